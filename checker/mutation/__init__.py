"""Is the checker awake: every small change of the spec, or of the code that ships, must be noticed by something.

Read operators first (which changes there are) and source_edit (one node of a text replaced). A mutant of the spec
goes through oracles, in the scopes that stages lists, with graph_hash for those that change nothing and
expected_failures for what must fail all the same; result is what became of one mutant, score puts all of them
together, equivalent holds the reason of each that may live. boundary does the same for the code that ships.
"""
