"""Faults in what hands requests over: records that move, rows that are filtered, merged and copied."""

from __future__ import annotations

from runtime.batch import Rows
from runtime.requests import RequestTable
from runtime.tracking import Tracker
from tests.support.planting import Fault, Plant

_RECORD = "self.block[:, target] = self.block[:, source]"

BATCH_FAULTS = (
    Fault(
        "move-forgets-a-field",
        "a move copies the fields up to the label, and forgets what was entered later: source and prefix",
        (Plant(RequestTable, "move", _RECORD, "self.block[:7, target] = self.block[:7, source]"),),
    ),
    Fault(
        "move-forgets-tokens",
        "a move leaves the text behind, so its checkpoints go under another key",
        (Plant(RequestTable, "move", "self.tokens[target] = self.tokens[source]", "pass"),),
    ),
    Fault(
        "move-forgets-owner",
        "the slots of a record that has moved belong to the seat where it was",
        (Plant(Tracker, "move", "self.pool.holder[slots] = target", "pass"),),
    ),
    Fault(
        "move-gives-a-seat-twice",
        "the seat to which a record has moved is given to the next request as well",
        (Plant(RequestTable, "move", "self._seats.remove(target)", "self._seats.pop()"),),
    ),
    Fault(
        "merge-swaps",
        "rows are merged the wrong way round, and the tokens are not",
        (Plant(Rows, "merge", "(self.block, other.block)", "(other.block, self.block)"),),
    ),
    Fault(
        "merge-forgets-marks",
        "the rows that are merged into others lose what they checkpoint",
        (
            Plant(
                Rows,
                "merge",
                "np.concatenate((self.block, other.block), axis=1)",
                "np.concatenate((self.block, np.vstack((other.block[:-1], 0 * other.block[-1:] - 1))), axis=1)",
            ),
        ),
    ),
    Fault(
        "filter-sorts",
        "filtered rows keep the order that they had, not the one that was asked for",
        (Plant(Rows, "filter", "self.block[:, kept]", "self.block[:, np.sort(kept)]"),),
    ),
    Fault(
        "copy-drops-a-row",
        "a copy of more than two rows has one too few",
        (Plant(Rows, "copy", "self.block.copy()", "self.block[:, : max(2, len(self) - 1)].copy()"),),
    ),
)
