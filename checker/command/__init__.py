"""The face: the command `slotproof`, what it prints, and how it ends.

Read cli first (which commands there are), then the package commands (their options), options (what several share),
examples (one of each) and extras (what only some need); then verify (the main job; cache keeps its verdicts, and
cache_key says under what), judge (traces), attach (an engine that records them), play and replay (scripts), attachable
(what comes onto an engine's path). console brings results to a person or a machine, tables those in columns, junit and
github those of traces to CI services; interrupts ends everything at Ctrl-C. The package report has a file for each kind
of result.
"""
