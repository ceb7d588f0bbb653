"""A run for a person: no search and no solver, only what there is to say about steps that are known.

Read story first (a counterexample as data) and render (the same as text). Below it: entries (each step in its lane),
narrate (a step in a sentence), with narrate_launch and narrate_result for the long ones, changes (what moved beside
the rows) and named_arguments (those of a step); failing_condition (which condition broke), with clause (its values),
deciding_parts (which of its parts decided), stopped_at (the line that gave the verdict) and source_lines (the text
around it); comparison (what the reference design would have done). names and values are the words for what a state
holds, lanes lays out what the CPU and the device do side by side, reproduce is the line that performs a check again.
"""
