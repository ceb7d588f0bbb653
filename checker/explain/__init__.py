"""A run for a person: no search and no solver, only what there is to say about steps that are known.

Read story first (a counterexample as a timeline), then narrate (one step in a sentence), failing_condition (which
condition decided, with its values), lanes (what the CPU does and what the device does, side by side) and reproduce
(the line that performs a check again).
"""
