"""The commands, as functions with typed options; a docstring here is what `--help` says.

Each imports what it needs when it is run: `slotproof judge` starts at once, and who has not installed a solver misses
only what asks one. Files by what is asked: searches (explore, designs, explain), proofs (prove, bmc, repair), scripts
(play, replay, fuzz, fields), traces (judge, trace) and whole (verify, mutants).
"""
