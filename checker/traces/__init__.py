"""Any engine's record: what its control plane did, one JSON object a line, judged by what must be true of slots.

Read format first (what a line means), then judge_file (one pass over a file), verdict (what comes of it) and judge (how
it is found). The judge is one object in layers: book (what was found), table (whose each slot is), transfers, requests
(rings and pointers; rules ask whether rows agree), sessions, accesses (each read and write), device (launched batches),
results. What it remembers are slots and lives (of requests). reading reads both formats, format1 turns the old one into
the new. recorder writes a trace of our own runtime, corpus holds the recorded ones to their verdicts. The package
conformance asks whether a trace is one that a design produces. ranks compares those of one server. follow reads a trace
while it is being written, check_file only reads one, and fail_on names the hazards that fail one. meanings says in a
sentence what each key is; schema makes the JSON Schema of it, for other languages, and page_tables the tables of
docs/traces.md.
"""
