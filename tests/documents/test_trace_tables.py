"""The tables of docs/traces.md and docs/engines.md are those of the records, of the judge, and of the command."""

from __future__ import annotations

import re

import pytest

from checker.traces.fail_on import GROUPS, LOOKED_FOR, offered
from checker.traces.meanings import EVENTS, tag
from checker.traces.page_tables import INSIDE, event_rows, header_rows, inside_rows, key_rows
from checker.traces.schema import schema
from tests.support.paths import ROOT

TRACES = (ROOT / "docs" / "traces.md").read_text(encoding="utf-8")
ENGINES = (ROOT / "docs" / "engines.md").read_text(encoding="utf-8")


def table(head: str) -> list[str]:
    """The rows of the table that begins with a head."""
    _, _, rest = TRACES.partition(f"{head}\n")
    return [line for line in rest.partition("\n\n")[0].splitlines() if not line.startswith("|-")]


@pytest.mark.parametrize(
    ("head", "rows"),
    [
        ("| key | | meaning |", header_rows()),
        ("| event | keys | meaning |", event_rows()),
        ("| inside | keys | meaning |", inside_rows()),
        ("| key | where | meaning |", key_rows()),
    ],
)
def test_a_table_of_the_format_is_what_the_records_say(head: str, rows: list[str]) -> None:
    assert rows
    assert table(head) == rows


def test_every_record_is_in_a_table() -> None:
    shown = {
        "Header",
        "Event",
        *(it.__name__ for it in EVENTS),
        *(it.__name__ for it in INSIDE.values()),
    }
    assert set(schema()["$defs"]) == shown


def test_the_names_that_fail_a_trace_are_those_of_the_command() -> None:
    shown = set(re.findall(r"^\| `([\w-]+)` \|", "\n".join(table("| name | what it means |")), re.MULTILINE))
    assert shown == set(offered()) - set(LOOKED_FOR)
    for name, stated in GROUPS.items():
        if name in shown - {"any"}:
            assert f"| `{name}` | {', '.join(f'`{one}`' for one in stated)}: " in TRACES
    assert all(f"`{name}`" in TRACES for name in GROUPS)


def test_the_page_for_engines_names_every_event_that_an_engine_without_a_ring_needs() -> None:
    named = set(re.findall(r"`(\w+)`", ENGINES))
    assert {tag(it) for it in EVENTS} - named <= {"copy", "session", "transfer"}
