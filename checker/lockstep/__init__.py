"""The runtime and the spec step by step: each step is taken on both, and afterwards the two must be the same.

Read lockstep first, then spec_side (the spec's half, with the runtime as its allocator), abstraction (the runtime
looked at as a state of the spec, through view) and runtime_invariants (what only the runtime knows); watch looks at
what slots hold, failure is a step that failed. correspondence says which field is what in the runtime and in a trace;
ties holds that table against the real records, fields finds what has been forgotten.

A run: step (one of them, spelled and performed), enabled (what can be done now), run and run_text (as a script and as
a timeline), replay (a script on both sides). Fuzzing: machine draws the steps, mix says what is likely, coverage adds
up what was seen; asked, loop and loops do the same for the scheduler's loops. hunt is one process of it, on devices
that may be late (delayed_stream), campaign the whole, findings what came of it. shrink makes a failing run shorter, by
bold cuts first and then by what shorter offers. cover draws nothing: it takes every step of a small scope.
"""
