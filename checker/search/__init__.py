"""Explicit state: every reachable state of a scope, breadth first, and the audits of what is said about it.

Read check first (what is asked and what came of it), then bfs (the levels of a search), successors (a chunk of states
expanded) and fingerprint (states in 64 bits, names left out); orbits tries whether names may be left out. suite lists
what `slotproof verify` searches, saved keeps a counterexample under an id. The audits: tries runs a model natively,
readings takes a block of such tries, audit holds the two together, audit_place finds the line, canary is a model that
uses the whole subset.
"""
