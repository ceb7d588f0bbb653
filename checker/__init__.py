"""Holds spec and runtime together: explores, proves, replays, and explains to a person what went wrong.

Eleven packages, in the order in which they build on each other; none imports one that stands further down. Read on from
here:

- model: what is checked, a module with its scope, its state and its designs;
- symbolic: one text and its readings, from a function to an expression graph, numpy columns and solver terms;
- machine: the same graph as instructions, run over blocks of states by kernels that are compiled once;
- traces: any engine's record, its verdict, and where it leaves a design;
- explain: a run for a person, as a timeline with the condition that failed;
- scenarios: readable scripts, played on the spec;
- search: explicit search of every reachable state, and the audits of what it says;
- lockstep: the runtime and the spec step by step, and the fuzzing that drives them;
- proof: the solver, by bounded checking, induction, repair, and about the code that ships;
- mutation: whether the checker is awake: every small change of the text must be noticed;
- command: the face, which is the command `slotproof` and its reports.

Three leaves stand beside them: exit_codes, deadline (a limit of time that is kept) and workers (parallel processes).
"""

from __future__ import annotations

import time
from typing import Final

STARTED: Final = time.time_ns()
"""When this process began to load what stands here: a text that was written since may not be the one it goes by."""
