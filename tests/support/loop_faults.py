"""Faults in the scheduler's loops: which batch comes next, what is processed, and who has all that was asked for."""

from __future__ import annotations

from runtime.scheduler import Scheduler
from tests.support.planting import Fault, Plant

LOOP_FAULTS = (
    Fault(
        "loop-out-of-order",
        "the overlapped loop processes the oldest result with what the newest batch has produced",
        (Plant(Scheduler, "process", "self.engine.pending[0].tokens()", "self.engine.pending[-1].tokens()"),),
    ),
    Fault(
        "loop-never-ahead",
        "the overlapped loop processes each result before it launches the next batch",
        (Plant(Scheduler, "run_overlapped", "if engine.window_is_full or not self._more():", "if engine.pending:"),),
    ),
    Fault(
        "loop-counts-no-step",
        "the loop forgets that a step has been launched, and decodes a request once more while its last result is out",
        (Plant(Scheduler, "launch", "self._left[seats] -= 1", "self._left[seats] -= len(self.engine.pending) < 2"),),
    ),
    Fault(
        "loop-finishes-late",
        "a request goes on after its last token has come",
        (Plant(Scheduler, "process", "(missing == 0)", "(missing < 0)"),),
    ),
    Fault(
        "loop-keeps-the-aborted",
        "a request that is aborted before its prefill is prefilled all the same",
        (Plant(Scheduler, "abort", "self.admitted.remove(handle)", "pass"),),
    ),
    Fault(
        "loop-cuts-the-output",
        "the last token of an output is left out",
        (
            Plant(
                Scheduler,
                "process",
                "table.tokens[seat, len(request.prompt) : end]",
                "table.tokens[seat, len(request.prompt) : end - 1]",
            ),
        ),
    ),
)
