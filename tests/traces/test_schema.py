"""The schema of a trace's lines says what the reader reads: every key with its meaning, and what is no line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from checker.traces import format
from checker.traces.format import Event, Header
from checker.traces.meanings import EVENTS, MEANINGS, keys, meaning
from checker.traces.reading import BadTrace, read_trace
from checker.traces.schema import EXAMPLES, schema
from tests.support.plain_schema import problems

SCHEMA = schema()
RECORDS = {name: found for name, found in SCHEMA["$defs"].items() if "properties" in found}
HEADER = EXAMPLES[0]
WRONG = [
    '{"e":"free"}',
    '{"e":"free","slots":[1],"slotz":[2]}',
    '{"e":"free","slots":["1"]}',
    '{"e":"free","slots":[1],"during":-1}',
    '{"e":"free","slots":[9223372036854775808]}',
    '{"e":"flee","slots":[1]}',
    '{"e":"end","r":"A","why":"boredom"}',
    '{"e":"launch","b":0,"rows":[{"r":"A","kind":"decode","start":9,"len":10,"reads":1,"writes":1}]}',
    '{"e":"launch","b":0,"rows":[{"r":"A","kind":"guess","start":9,"len":10,"reads":1,"writes":1,"marks":[]}]}',
    '{"e":"process","b":0,"rows":[{"r":"A","skipped":0,"done":false}]}',
]


def wrong(line: str) -> list[str]:
    return list(problems(json.loads(line), SCHEMA, SCHEMA))


def test_every_record_of_the_format_is_in_the_schema() -> None:
    assert set(RECORDS) == {
        name
        for name, found in vars(format).items()
        if isinstance(found, type) and issubclass(found, msgspec.Struct) and found.__doc__ and name in SCHEMA["$defs"]
    }
    assert {"Header", "PrefillRow", "DecodeRow", "VerifyRow", "ResultRow"} | {it.__name__ for it in EVENTS} <= set(
        RECORDS
    )


@pytest.mark.parametrize("name", RECORDS)
def test_every_key_of_a_record_is_there_with_its_meaning(name: str) -> None:
    described: dict[str, Any] = RECORDS[name]["properties"]
    record = getattr(format, name)
    tagged = {record.__struct_config__.tag_field} - {None}
    assert set(described) == set(keys(record)) | tagged
    assert set(RECORDS[name].get("required", ())) == {key for key, wanted in keys(record).items() if wanted} | tagged
    for key, found in described.items():
        assert found["description"].endswith("."), f"{name}.{key}"
        assert not any(word in found["description"] for word in ("None", "True", "False")), f"{name}.{key}"
    assert RECORDS[name]["description"]


def test_no_meaning_is_left_over() -> None:
    used = set()
    for name, found in RECORDS.items():
        for key in found["properties"]:
            text = meaning(getattr(format, name), key)
            used |= {place for place in (key, f"{name}.{key}") if MEANINGS.get(place) == text}
    assert not MEANINGS.keys() - used


def test_there_is_an_example_of_each_kind_of_line_and_row() -> None:
    found = [msgspec.json.decode(line) for line in EXAMPLES]
    tags = {it.__struct_config__.tag for it in EVENTS}
    assert {line["e"] for line in found[1:]} == tags
    assert {row["kind"] for line in found if line.get("e") == "launch" for row in line["rows"]} == {
        "prefill",
        "decode",
        "verify",
    }


@pytest.mark.parametrize("line", EXAMPLES)
def test_an_example_is_a_line_to_the_schema_and_to_the_reader(line: str) -> None:
    assert not wrong(line)
    msgspec.json.decode(line, type=Header if line == HEADER else Event)


@pytest.mark.parametrize("line", WRONG)
def test_what_is_no_line_is_none_to_the_schema_and_to_the_reader(line: str, tmp_path: Path) -> None:
    assert wrong(line)
    file = tmp_path / "wrong.ndjson"
    file.write_text(f"{HEADER}\n{line}\n", encoding="utf-8")
    with pytest.raises(BadTrace, match=":2: "):
        list(read_trace(file))


def test_a_recorders_own_keys_are_passed_over_by_both(tmp_path: Path) -> None:
    line = '{"e":"free","slots":[1],"x_why":{"anything":[1.5]}}'
    assert not wrong(line)
    file = tmp_path / "own.ndjson"
    file.write_text(f"{HEADER}\n{line}\n", encoding="utf-8")
    assert len(list(read_trace(file))) == 1
