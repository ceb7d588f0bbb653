"""What is checked: a module that says what may happen, its scope, the layout of its state, and its designs.

Nothing here searches or proves; whatever does is handed a model from here. Read model first (a module loaded), then
layout (the leaves of its state) and source (a function and the syntax tree of its text); designs and known_designs
say which decisions are taken, any_order what changes where names matter; replay takes a run natively, step by step.
user_files and user_model load what users write, and refuse it in words. spec_copy makes a second copy of the spec
with a changed text, seeded_faults the wrong edits that properties must catch.
"""
