"""Explicit state: every reachable state of a scope, breadth first, and the audits of what is said about it.

Read check (what is asked and what came of it) and perform (how it is done) first, then exploration (what a search has
shown) and bfs (level by level). levels goes one step on with columns: compiled (a transition as programs), successors
(a chunk of states expanded) and expansion (what comes back). compiled_levels does the same with the machine
(checker/machine) once there are many states: machine_code and fingerprint_code are what it is given, machine_steps what
an audit asks of it. States are told apart by fingerprint (64 bits, names left out), made of tables of random words;
fingerprint_sets keeps those of the columns, and orbits tries whether names may be left out. suite lists what `slotproof
verify` searches, saved keeps a counterexample under an id. The audits: native runs a model in plain Python and makes
tries, readings takes a block of such tries, audit holds the two together, differences tells where they part,
audit_place finds the line, canary is a model that uses the whole subset.
"""
