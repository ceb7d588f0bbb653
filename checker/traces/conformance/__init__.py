"""Is a trace one that a design produces, and if not, where do the two part and which decision differs?

Read conformance first, then shadow (the spec run beside the trace) with shadow_design (its allocator is the trace's)
and slot_map (physical slots and the model's); launches and results follow the two halves of the events. translate
says what the spec covers of a line. divergence is the first difference as data, why tries which other decision would
have fitted.
"""
