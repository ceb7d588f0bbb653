"""The runtime and the spec step by step: each step is taken on both, and afterwards the two must be the same.

Read lockstep first, then abstraction (the runtime looked at as a state of the spec) and runtime_invariants (what only
the runtime knows); correspondence says which field is what in the runtime and in a trace, fields which has been
forgotten; step performs and writes the lines of a script, watch looks at each. machine draws the runs, mix says what
is likely, loops does the same for the scheduler's loops. campaign is the fuzzing as a whole, shrink makes a failing
run shorter.
"""
