"""A value of the spec's state in a few words: a row, a request's record, a list of texts."""

from __future__ import annotations

from collections.abc import Iterable

from checker.explain.names import request_name, slot_name, text_name, tokens
from spec.language import ABSENT, Vector
from spec.state import Event, Request, Row, Text


def value_name(value: object, requests: Iterable[object] = ()) -> str:
    """Return a value of a state in a few words; those among `requests` are called by name."""
    if isinstance(value, (bool, int)):
        return str(value).lower() if isinstance(value, bool) else "absent" if value == ABSENT else str(value)
    if isinstance(value, Text):
        return text_name(value) if value.family != ABSENT else "nothing"
    if isinstance(value, Row):
        return _row_words(value)
    if isinstance(value, Request):
        return _request_words(value, requests)
    if isinstance(value, Event):
        events = {name: getattr(value, name) for name in Event.__slots__}  # type: ignore[attr-defined]
        return ", ".join(
            name if held is True else f"{name} {held}"
            for name, held in events.items()
            if held is not False and held != ABSENT
        )
    if isinstance(value, Vector) and value and all(isinstance(part, Text) for part in value):
        known = [f"{slot_name(slot)}: {text_name(text)}" for slot, text in enumerate(value) if text.family != ABSENT]
        return ", ".join(known) or "nothing in any slot"
    if isinstance(value, (Vector, list, tuple)):
        return "[" + ", ".join(value_name(part, requests) for part in value) + "]"
    if hasattr(value, "__dataclass_fields__"):
        fields = ", ".join(f"{name} {value_name(getattr(value, name))}" for name in value.__dataclass_fields__)
        return f"({fields})"
    return str(value)


def _row_words(row: Row) -> str:
    if not row.present:
        return "absent"
    kind = f"decode of token {row.seq_len}" if row.decode_count else f"prefill of {tokens(row.seq_len)}"
    mark = "no checkpoint"
    if row.mark != ABSENT:
        mark = f"checkpoint {text_name(Text(row.family, row.mark))} to ring[{row.position}] = {slot_name(row.slot)}"
    return f"{kind}, works in {slot_name(row.working)}, {mark}"


def _request_words(me: Request, requests: Iterable[object]) -> str:
    name = next((f"{request_name(number)}: " for number, one in enumerate(requests) if one is me), "")
    ring = ", ".join(slot_name(slot) if slot != ABSENT else "-" for slot in me.ring)
    label = "no label" if me.last_len == ABSENT else f"label {me.last_len}"
    return f"{name}{tokens(me.seq_len)}, ring [{ring}], next {me.next}, last {me.last}, {label}"
