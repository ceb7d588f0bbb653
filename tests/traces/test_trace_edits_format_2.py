"""Every single-field edit of recorded traces that were converted to format 2."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from checker.traces.judge import judge_trace
from checker.traces.reading import BadTrace
from checker.traces.verdict import Verdict
from tests.support.converted import write_converted
from tests.support.trace_edits import enumerate_edits
from tests.traces.test_trace_edits import FILES, IN_THE_HEADER, WHEN, told

LAST = "nobody reads what a request's last row leaves"
MIDDLE = "a recording may begin in the middle, so that a name or a slot need not have been seen before"
OWNER = "whose it is follows from who has the slot"
LABEL = "a label without a `last` (0.5.17) speaks about no known slot"
SURVIVORS = {
    **IN_THE_HEADER,
    ("take", "r", "to null"): OWNER,
    ("publish", "r", "to null"): OWNER,
    ("launch", "copies.r", "to null"): OWNER,
    ("end", "r", "other name"): MIDDLE,
    ("launch", "rows.writes", "+1"): MIDDLE,
    ("launch", "b", "+1"): "of the last batch: its result is taken for one of a batch from before the recording",
    ("launch", "rows.reads", "from null"): "the first row may start from a slot that was cleared unseen",
    ("launch", "rows.len", "+1"): LAST,
    ("launch", "rows.len", "-1"): LAST,
    ("launch", "rows.next", "-1"): WHEN,
    ("launch", "rows.next", "+1"): WHEN,
    ("process", "rows.next", "-1"): WHEN,
    ("process", "rows.next", "+1"): WHEN,
    ("process", "rows.done", "flip"): "the `end` line says it as well",
    ("process", "rows.last_len", "from null"): LABEL,
    ("process", "rows.last_len", "to null"): LABEL,
}


def is_noticed(edited: Path, before: Verdict) -> bool:
    """Whether an edited trace is an error, or gets another verdict or other hazards; the short cut sees the same."""
    try:
        after = judge_trace(edited)
    except BadTrace:
        return True
    close = judge_trace(edited, close_look=True)
    assert (after.outcome, [v.line for v in after.violations[:1]]) == (
        close.outcome,
        [v.line for v in close.violations[:1]],
    )
    return told(after) != told(before) or after.outcome != before.outcome


def test_single_field_edits_are_noticed(tmp_path: Path) -> None:
    survivors: Counter[tuple[str, str, str]] = Counter()
    edits = 0
    edited = tmp_path / "edited.ndjson"
    for path in FILES:
        trace = write_converted(path, tmp_path)
        before = judge_trace(trace)
        for edit in enumerate_edits(trace):
            edited.write_bytes(b"".join(edit.lines))
            edits += 1
            if not is_noticed(edited, before):
                survivors[edit.kind, edit.field, edit.change] += 1
    assert set(survivors) == set(SURVIVORS), "an edit goes unnoticed that has no reason to, or a reason is not needed"
    assert survivors.total() < 0.03 * edits
