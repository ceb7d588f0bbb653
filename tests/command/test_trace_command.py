"""`slotproof trace`: the schema as it is printed, and whether a file is a trace, line by line."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import get_args

import pytest

from checker.command import cli
from checker.traces.check_file import LEFT_OPEN
from checker.traces.format import Knows
from checker.traces.schema import schema
from tests.support.paths import TRACES
from tests.support.trace_examples import LAZY, TURNS

Out = pytest.CaptureFixture[str]


def written(folder: Path, text: str) -> str:
    file = folder / "mine.ndjson"
    file.write_text(text, encoding="utf-8")
    return str(file)


def test_the_schema_is_printed(capsys: Out) -> None:
    assert cli.run(["trace", "--schema"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(schema()))


def test_each_event_is_counted_and_what_is_left_open_is_said(tmp_path: Path, capsys: Out) -> None:
    assert cli.run(["trace", "--check", written(tmp_path, TURNS.lines)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("readable: ")
    counts = {line.split()[1]: line.split()[0] for line in out.splitlines() if len(line.split()) == 2}
    assert (counts["launch"], counts["process"], counts["session"], counts["stop"]) == ("7", "6", "4", "1")
    assert {name for name in LEFT_OPEN if f"does not know `{name}`: {LEFT_OPEN[name]}" in out} == {
        "clears",
        "texts",
        "transfers",
    }


def test_whatever_a_header_may_know_has_its_sentence() -> None:
    assert set(LEFT_OPEN) == set(get_args(Knows))


def test_json_says_the_same(tmp_path: Path, capsys: Out) -> None:
    assert cli.run(["trace", "--check", written(tmp_path, LAZY.lines), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["lines"], found["counts"]["launch"], found["stopped"], found["cut"]) == (29, 9, True, False)
    assert list(found["left_open"]) == ["clears", "texts", "transfers", "sessions"]


def test_a_trace_of_format_1_is_read_as_the_judge_reads_it(capsys: Out) -> None:
    path = TRACES / "sglang-0.5.23-eager-p9-n15-b7-bad.ndjson"
    assert cli.run(["trace", "--check", str(path)]) == 0
    out = capsys.readouterr().out
    assert f"format 1, {len(path.read_text().splitlines())} lines" in out
    assert "launch" in out


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"count":7', '"count":"7"', ":20: .*rows.0..count"),
        ('"count":7', '"counts":7', ":20: .*counts"),
        ('"count":7', '"count":7,"count":7', ":20: .*count. stands there twice"),
        ('"e":"end"', '"e":"and"', ":28: .*and"),
        ('"mode":"lazy"', '"mode":"idle"', ":1: .*mode"),
        ('{"e":"stop","why":"closed"}', '{"e":"stop","why":"closed"}\n' * 2, ":30: .*follows the `stop` line"),
    ],
)
def test_what_is_not_readable_is_one_sentence_with_line_and_key(
    old: str, new: str, said: str, tmp_path: Path, capsys: Out
) -> None:
    assert cli.run(["trace", "--check", written(tmp_path, LAZY.lines.replace(old, new))]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert re.search(said, err), err
    assert err.count("\n") == 1


def test_a_trace_that_does_not_end_is_readable_and_an_incomplete_line_was_not_read(tmp_path: Path, capsys: Out) -> None:
    without_stop = LAZY.lines.rpartition('{"e":"stop"')[0]
    assert cli.run(["trace", "--check", written(tmp_path, without_stop)]) == 0
    assert "no `stop` line" in capsys.readouterr().out
    assert cli.run(["trace", "--check", written(tmp_path, without_stop[:-4])]) == 3
    assert "the last line is incomplete, and was not read" in capsys.readouterr().out


@pytest.mark.parametrize("words", [[], ["--schema", "--check", "x.ndjson"]])
def test_one_thing_at_a_time(words: list[str], capsys: Out) -> None:
    assert cli.run(["trace", *words]) == 2
    assert capsys.readouterr().err == "slotproof: write one of --schema and --check FILE\n"


def test_a_file_that_is_not_there_is_one_sentence(capsys: Out) -> None:
    assert cli.run(["trace", "--check", "nowhere.ndjson"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
