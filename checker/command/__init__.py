"""The face: the command `slotproof`, what it prints, and how it ends.

Read cli first (the commands), options (what several share) and examples (one of each), then verify (the main job),
judge (traces), play and replay (scripts). console brings results to a person or a machine, junit and github those of
traces to CI services; interrupts ends everything at Ctrl-C. The package report has a file for each kind of result.
"""
