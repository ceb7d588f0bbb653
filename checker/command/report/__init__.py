"""Results in words and as data: one file for each kind of result, and no logic of its own.

search and bmc report what was looked for, proof, ring and repair what the solver has shown, boundary what is proved
about the code that ships; verify reports the main job, mutation the scores, audit what a verdict was held against,
play and replay how a script went, fuzz a campaign, cover a scope, fields the fields of the spec, traces with verdict
and conformance a judged trace, ranks how those of one server decided, trace_check one that was only read.
"""
