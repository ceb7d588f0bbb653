from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec import UNSET

from checker.traces.format import Admit, Event, Free, Stop, Take
from checker.traces.format1 import Free1, Header1, Upgrade
from checker.traces.format1 import ProcessRow1 as ProcessRow
from checker.traces.reading import BadTrace, encode, read_trace
from tests.support.paths import TRACES

FILES = sorted(TRACES.glob("*.ndjson"))
SIZES = '"interval": 8, "ring": 2, "slots": 64, "first_slot": 1, "lookahead": 1'
HEADER = '{"trace": 1, "engine": "e", "mode": "eager", ' + SIZES + "}"
ADMIT = '{"e": "admit", "r": "A", "working": 1, "ring": [2, 3], "next": 0, "last": 1}'
PREFILL_ROW = (
    '{"r": "A", "len": 9, "prefix": 0, "copy_from": null, "mark": 8, "slot": 2, "pos": 0, "next": 1, "last": 0, '
    '"ring": [2, 3]}'
)
PREPARE_ROW = (
    '{"r": "A", "count": 1, "len": 10, "mark": null, "slot": null, "pos": null, "next": 1, "last": 0, "ring": [2, 3]}'
)
PROCESS_ROW = '{"r": "A", "skipped": false, "done": false, "next": 1, "last": 0, "last_len": null, "ring": [4, 3]}'
EVENTS = [
    ADMIT,
    '{"e": "prefill", "b": 0, "rows": [' + PREFILL_ROW + "]}",
    '{"e": "prepare", "b": 1, "rows": [' + PREPARE_ROW + "]}",
    '{"e": "process", "b": 0, "rows": [' + PROCESS_ROW + "]}",
    '{"e": "publish", "r": "A", "slot": 2, "len": 8, "stored": true}',
    '{"e": "free", "slots": [1, 4]}',
    '{"e": "evict", "slot": 2}',
]


def write(tmp_path: Path, *lines: str, end: str = "\n") -> Path:
    path = tmp_path / "a.ndjson"
    path.write_text("\n".join(lines) + end)
    return path


def read(path: Path) -> list[tuple[int, Event]]:
    return list(read_trace(path))


def test_there_are_ten_recorded_traces() -> None:
    assert len(FILES) == 10


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_reading_and_encoding_again_changes_nothing(path: Path, tmp_path: Path) -> None:
    """What was read of format 1, written down in format 2, reads as the same events."""
    reader = read_trace(path)
    events = list(reader)
    assert reader.format == 1
    assert not reader.cut
    upgraded = tmp_path / "upgraded.ndjson"
    upgraded.write_bytes(b"".join([encode(reader.header), *(encode(event) for _, event in events)]))
    again = read_trace(upgraded)
    assert again.format == 2
    assert encode(again.header) == encode(reader.header)
    assert [event for _, event in again] == [event for _, event in events]
    assert type(events[-1][1]) is Stop


def test_line_numbers_count_from_the_header(tmp_path: Path) -> None:
    assert sorted({line for line, _ in read(write(tmp_path, HEADER, *EVENTS))}) == list(range(2, 9))


def test_unknown_fields_are_ignored(tmp_path: Path) -> None:
    header = HEADER.replace('"trace"', '"host": {"cpus": 2}, "trace"')
    events = read(write(tmp_path, header, ADMIT.replace('"r"', '"note": [1], "r"')))
    admitted = Admit(r="A", working=1, ring=(2, 3), next=0, last=1)
    assert events == [(2, Take(slots=(1, 2, 3), r="A")), (2, admitted)]


def required(line: str) -> list[tuple[str, str]]:
    """The line without each of its fields, rows included; lookahead isn't in them, as only decode rows need it."""
    found = []
    event = json.loads(line)
    for key in event:
        found.append((key, json.dumps({other: value for other, value in event.items() if other != key})))
    for key in event.get("rows", [{}])[0]:
        row = {other: value for other, value in event["rows"][0].items() if other != key}
        found.append((f"rows.{key}", json.dumps({**event, "rows": [row]})))
    return found


@pytest.mark.parametrize(("key", "line"), [pair for event in EVENTS for pair in required(event)])
def test_a_missing_required_field_is_named_with_its_line(tmp_path: Path, key: str, line: str) -> None:
    with pytest.raises(BadTrace, match=f"`{key.rsplit('.', maxsplit=1)[-1]}`") as caught:
        read(write(tmp_path, HEADER, ADMIT, line))
    assert caught.value.line == 3


@pytest.mark.parametrize(("key", "line"), required(HEADER))
def test_a_missing_header_field_is_named(tmp_path: Path, key: str, line: str) -> None:
    with pytest.raises(BadTrace, match=key) as caught:
        read_trace(write(tmp_path, line, ADMIT))
    assert caught.value.line == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"working": 1', '"working": "1"'),
        ('"working": 1', '"working": -1'),
        ('"working": 1', '"working": true'),
        ('"working": 1', '"working": 1.5'),
        ('"next": 0', '"next": -1'),
        ('"ring": [2, 3]', '"ring": 2'),
        ('"r": "A"', '"r": null'),
        ('"e": "admit"', '"e": "admitted"'),
    ],
)
def test_a_wrong_type_is_an_error(tmp_path: Path, old: str, new: str) -> None:
    assert old in ADMIT
    with pytest.raises(BadTrace) as caught:
        read(write(tmp_path, HEADER, ADMIT.replace(old, new)))
    assert caught.value.line == 2
    assert str(caught.value).startswith(f"{caught.value.path}:2: ")


@pytest.mark.parametrize("bad", ['"interval": 0', '"ring": 0', '"slots": 0', '"mode": "hasty"', '"trace": 3'])
def test_a_header_out_of_range_is_an_error(tmp_path: Path, bad: str) -> None:
    event = json.loads(HEADER)
    event.update(json.loads("{" + bad + "}"))
    with pytest.raises(BadTrace):
        read_trace(write(tmp_path, json.dumps(event)))


def test_a_line_without_an_end_is_not_read_into_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadTrace, match=r":1: the line is longer than 16,777,216 bytes"):
        read_trace("/dev/zero")
    monkeypatch.setattr("checker.traces.reading.LONGEST_LINE", 200)
    path = tmp_path / "long.ndjson"
    path.write_bytes(HEADER.encode() + b"\n" + encode(Free1((1,))) + b" " * 300)
    reader = read_trace(path)
    events = iter(reader)
    assert next(events) == (2, Free(slots=(1,)))
    with pytest.raises(BadTrace, match=r":3: the line is longer than 200 bytes"):
        next(events)


def test_an_empty_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BadTrace, match="empty"):
        read_trace(write(tmp_path, end=""))


def test_an_event_before_the_header_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BadTrace, match="before the header"):
        read_trace(write(tmp_path, ADMIT, HEADER))


@pytest.mark.parametrize("line", ["", "nonsense", "{", "[]", '{"e": "admit"', HEADER])
def test_a_malformed_line_in_the_middle_is_an_error(tmp_path: Path, line: str) -> None:
    with pytest.raises(BadTrace) as caught:
        read(write(tmp_path, HEADER, ADMIT, line, ADMIT))
    assert caught.value.line == 3


def test_bytes_that_are_no_text_are_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.ndjson"
    path.write_bytes(HEADER.encode() + b'\n{"e": "evict\xff", "slot": 1}\n')
    with pytest.raises(BadTrace):
        read(path)


@pytest.mark.parametrize("length", [1, 20, len(ADMIT) - 1])
def test_an_incomplete_last_line_cuts_the_trace(tmp_path: Path, length: int) -> None:
    reader = read_trace(write(tmp_path, HEADER, ADMIT, ADMIT[:length], end=""))
    assert [line for line, _ in reader] == [2, 2]
    assert reader.cut


def test_a_complete_last_line_without_a_newline_is_read(tmp_path: Path) -> None:
    reader = read_trace(write(tmp_path, HEADER, ADMIT, end=""))
    assert [line for line, _ in reader] == [2, 2]
    assert not reader.cut


def test_a_last_line_that_is_json_but_no_event_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BadTrace):
        read(write(tmp_path, HEADER, '{"e": "evict"}', end=""))


def test_an_incomplete_line_with_its_newline_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BadTrace):
        read(write(tmp_path, HEADER, ADMIT[:20]))


def test_rows_that_are_skipped_or_done_need_no_pointers() -> None:
    assert ProcessRow("A", True, False).next is UNSET
    assert encode(Free1((1, None))) == b'{"e":"free","slots":[1,null]}\n'
    with pytest.raises(ValueError, match="neither skipped nor done"):
        ProcessRow("A", False, False)


def test_the_header_reads_as_written(tmp_path: Path) -> None:
    header = read_trace(write(tmp_path, HEADER)).header
    assert header == Upgrade(Header1(1, "e", "eager", 8, 2, 64, 1, 1)).header
    assert (header.trace, header.engine, header.mode, header.interval, header.ring) == (2, "e", "eager", 8, 2)
    assert (header.slots, header.first_slot, header.lookahead, header.without_spare) == (64, 1, 1, "overwrite")
