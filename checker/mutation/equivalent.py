"""Mutants that nothing kills, each with the reason why it may live.

`slotproof mutants` fails if one is missing here, and if one here is killed.
"""

from __future__ import annotations

_GATE = (
    "Where our design has a label, no row in flight writes its slot (lemma label-is-written): the "
    "gate at a donation or a finish never refuses. It is there for designs that label otherwise, and "
    "whether a shipped one of those fails does not depend on it."
)
_DUPLICATES = "Where the key is cached, only a design that donates duplicates gets this far."
_TOLD = "That the label was kept back, `label` has told in the same step."
_SHIPPED = "Only shipped designs get here in a way that shows, and whether they fail does not depend on it."
_SAID = "The property of the same name says the same of the state before, and so finds it first."
_READY = "What may be processed has been run (`ready`), and what has been run is pending."
_NO_MARK = "A row that is not there, or has no mark, names no slot and no position (lemma rows-well-formed)."
_EMPTY = "From `pending` on the batches are empty, so that looking at one more changes nothing."
_RAN = (
    "A row that has run and is still pending wrote slots that its request still owns; others are "
    "forgotten once they have run."
)
_RENAMED = (
    "A slot that is named although it is not in flight is another name for the one that would be handed out anyway."
)
_UNASKED = "Where the allocator is not asked, EXHAUSTED stands for the same one step as ABSENT."
_PREFERENCE = (
    "It changes which free slots the allocator counts on or hands out first, and an allocator may do that as it likes."
)
_POSITIVE = (
    "Keys have a positive length and no two are equal (one-entry-per-key), so a second one is never "
    "as long as the first."
)
_NO_CHOICE = "With an interval there is no choice of boundaries: none is ever set."
_APART = "In an eager ring that suffices no two pending rows claim the same position."
_FILLED = "The position at `last` holds a slot (keep-index-defined), so there is always one to free."
_OWED = "What is owed at a donation is the checkpoint that is donated, or nothing."
_ABSENT = "At that return `found` is ABSENT, which is -1."


def _keys(where: str, old: str, *new: str) -> tuple[str, ...]:
    return tuple(f"{where}: {old} -> {changed}" for changed in new)


_SURVIVORS = (
    (
        _GATE,
        _keys(
            "spec/actions/results.py donate",
            "if not design.may_donate(s, request, slot):",
            "if False:",
        ),
    ),
    (
        _GATE,
        _keys(
            "spec/actions/results.py donate",
            "event.refused = True",
            "pass",
            "event.refused = False",
        ),
    ),
    (
        _GATE,
        _keys(
            "spec/actions/results.py finish",
            "if withheld or not design.may_publish(s, request, slot):",
            "if withheld or False:",
        ),
    ),
    (
        _GATE,
        _keys(
            "spec/actions/results.py finish",
            "event.refused = True",
            "pass",
            "event.refused = False",
        ),
    ),
    (
        _GATE,
        _keys(
            "spec/design.py Design.may_donate",
            "return self.may_publish(s, request, slot)",
            "return True",
        ),
    ),
    (
        _DUPLICATES,
        _keys(
            "spec/actions/results.py donate",
            "if design.donates_duplicates() and cached:",
            "if True and cached:",
        ),
    ),
    (
        _TOLD,
        _keys(
            "spec/actions/results.py donate",
            "event.refused = row.mark != ABSENT",
            "pass",
        ),
    ),
    (
        _SHIPPED,
        _keys(
            "spec/actions/prefill.py prefill",
            "me.last = me.next",
            "pass",
        ),
    ),
    (
        _SHIPPED,
        _keys(
            "spec/ring.py advance",
            "if flips:",
            "if True:",
        ),
    ),
    (
        _SAID,
        _keys(
            "spec/actions/results.py result",
            'require(0 <= lookahead <= design.scope.lookahead, "lookahead-window")',
            "pass",
            'require((0 - 1) <= lookahead <= design.scope.lookahead, "lookahead-window")',
        ),
    ),
    (
        _SAID,
        _keys(
            "spec/slots.py publish",
            'require(s.cached[slot].family == ABSENT, "one-owner")',
            "pass",
        ),
    ),
    (
        _READY,
        _keys(
            "spec/actions/results.py process_result",
            "guard(s.pending > 0)",
            "pass",
            "guard(s.pending >= 0)",
            "guard(s.pending > (0 - 1))",
        ),
    ),
    (
        _NO_MARK,
        _keys(
            "spec/slots.py erase_dead_state",
            "elif row.present and row.decode_count == 0:",
            "elif True and row.decode_count == 0:",
        ),
    ),
    (
        _NO_MARK,
        _keys(
            "spec/rows.py claim_at",
            "return any(batch.rows[request].mark != ABSENT and batch.rows[request].position == position for "
            "batch in s.batches)",
            "return any(True and batch.rows[request].position == position for batch in s.batches)",
            "return any(batch.rows[request].mark != (ABSENT + 1) and batch.rows[request].position == position"
            " for batch in s.batches)",
        ),
    ),
    (
        _NO_MARK,
        _keys(
            "spec/rows.py writes",
            "return row.present and (row.working == slot or (row.mark != ABSENT and row.slot == slot))",
            "return True and (row.working == slot or (row.mark != ABSENT and row.slot == slot))",
            "return row.present and (row.working == slot or (True and row.slot == slot))",
            "return row.present and (row.working == slot or (row.mark != (ABSENT + 1) and row.slot == slot))",
        ),
    ),
    (
        _NO_MARK,
        _keys(
            "spec/rows.py awaits_read",
            "s.written <= index < s.pending and any(row.present and row.source == slot for row in batch.rows)",
            "s.written <= index < s.pending and any(True and row.source == slot for row in batch.rows)",
        ),
    ),
    (
        _EMPTY,
        _keys(
            "spec/rows.py awaits_write",
            "s.written <= index < s.pending and (any(writes(row, slot) for row in batch.rows) or "
            "others_write(batch, slot))",
            "s.written <= index <= s.pending and (any(writes(row, slot) for row in batch.rows) or "
            "others_write(batch, slot))",
        ),
    ),
    (
        _EMPTY,
        _keys(
            "spec/rows.py awaits_read",
            "s.written <= index < s.pending and any(row.present and row.source == slot for row in batch.rows)",
            "s.written <= index <= s.pending and any(row.present and row.source == slot for row in batch.rows)",
        ),
    ),
    (
        _RAN,
        _keys(
            "spec/rows.py awaits_write",
            "s.written <= index < s.pending and (any(writes(row, slot) for row in batch.rows) or "
            "others_write(batch, slot))",
            "True and (any(writes(row, slot) for row in batch.rows) or others_write(batch, slot))",
        ),
    ),
    (
        _RENAMED,
        _keys(
            "spec/actions/admission.py admit",
            "guard(is_distinct_choice(s, supply))",
            "pass",
        ),
    ),
    (
        _RENAMED,
        _keys(
            "spec/slots.py is_distinct_choice",
            "return supply == ABSENT or supply == EXHAUSTED or (s.free[supply] and in_flight(s, supply))",
            "return True",
            "return supply == ABSENT or supply == EXHAUSTED or ((s.free[supply] or in_flight(s, supply)))",
        ),
    ),
    (
        _UNASKED,
        _keys(
            "spec/actions/results.py process_result",
            "guard(supply == ABSENT or s.step.asked)",
            "guard(supply == (ABSENT - 1) or s.step.asked)",
        ),
    ),
    (
        _PREFERENCE,
        _keys(
            "spec/slots.py available",
            "return sum(s.free[slot] and (slot == supply or not in_flight(s, slot)) for slot in range(len(s.free)))",
            "return sum(s.free[slot] and (False or not in_flight(s, slot)) for slot in range(len(s.free)))",
        ),
    ),
    (
        _PREFERENCE,
        _keys(
            "spec/rows.py in_flight",
            "return awaits_write(s, slot) or awaits_read(s, slot)",
            "return awaits_write(s, slot) or False",
        ),
    ),
    (
        _POSITIVE,
        _keys(
            "spec/actions/admission.py admit",
            "if s.cached[slot].family == family and me.prefix < s.cached[slot].length < prompt:",
            "if s.cached[slot].family == family and me.prefix <= s.cached[slot].length < prompt:",
        ),
    ),
    (
        _NO_CHOICE,
        _keys(
            "spec/actions/decode.py prepare",
            "if scope.interval == ANY and boundaries[request]:",
            "if True and boundaries[request]:",
        ),
    ),
    (
        _APART,
        _keys(
            "spec/actions/results.py owe_publication",
            "if design.scope.mode == LAZY and claim_at(s, request, row.position):",
            "if True and claim_at(s, request, row.position):",
        ),
    ),
    (
        _FILLED,
        _keys(
            "spec/actions/results.py drop",
            "if me.ring[position] != ABSENT and not claim_at(s, request, position):",
            "if True and not claim_at(s, request, position):",
        ),
    ),
    (
        _OWED,
        _keys(
            "spec/actions/results.py clear_donated",
            "if me.owed == row.mark:",
            "if True:",
        ),
    ),
    (
        _ABSENT,
        _keys(
            "spec/design.py Design.pick",
            "return found",
            "return -1",
        ),
    ),
)

JUSTIFIED: dict[str, str] = {key: reason for reason, keys in _SURVIVORS for key in keys}
"""The reason of each survivor, by the mutant's key."""
