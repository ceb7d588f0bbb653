"""The tables of docs/traces.md, made from the records of the format; a test holds the page against them."""

from __future__ import annotations

from typing import Final

import msgspec

from checker.traces import format
from checker.traces.format import Header
from checker.traces.meanings import EVENTS, as_in_json, keys, meaning, tag

MANY: Final = 5
"""In so many records a key is everybody's."""

INSIDE: Final[dict[str, type[msgspec.Struct]]] = {
    "hit": format.Hit,
    "prefill": format.PrefillRow,
    "decode": format.DecodeRow,
    "verify": format.VerifyRow,
    "marks": format.Mark,
    "copies": format.CopiedState,
    "result": format.ResultRow,
    "wrote": format.Wrote,
    "saved": format.Saved,
}
"""The records inside of lines: what stands under that key, or the kinds of rows of a launch and the row of a result."""


def table_row(name: str, record: type[msgspec.Struct]) -> str:
    """Return a row of the tables of docs/traces.md: a name, the keys with optional ones in brackets, the meaning.

    Any line may carry `t`; the table names it where it means something else.
    """
    spelled = ", ".join(
        key if required else f"[{key}]" for key, required in keys(record).items() if required or key != "t"
    )
    return f"| `{name}` | {spelled} | {as_in_json((record.__doc__ or '').partition('. ')[0])} |"


def event_rows() -> list[str]:
    """Return the table of the events, in the order of the format."""
    return [table_row(tag(record), record) for record in EVENTS]


def inside_rows() -> list[str]:
    """Return the table of what stands inside of them."""
    return [table_row(name, record) for name, record in INSIDE.items()]


def header_rows() -> list[str]:
    """Return the table of the header's keys."""
    required = keys(Header)
    return [f"| `{key}` | {'required' if required[key] else ''} | {meaning(Header, key)} |" for key in required]


def key_rows() -> list[str]:
    """Return the table of all other keys; one that means several things has a row for each, with where it stands."""
    found: dict[str, dict[str, list[str]]] = {}
    for name, record in [*((tag(record), record) for record in EVENTS), *INSIDE.items()]:
        for key in keys(record):
            found.setdefault(key, {}).setdefault(meaning(record, key), []).append(f"`{name}`")
    return [
        f"| `{key}` | {', '.join(where) if len(found[key]) > 1 and len(where) < MANY else ''} | {said} |"
        for key in sorted(found)
        for said, where in found[key].items()
    ]
