"""The five examples of format 2 are lines that the reader reads and the schema describes, edited or not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from checker.traces.reading import read_trace
from checker.traces.schema import schema
from tests.support.plain_schema import problems
from tests.support.trace_examples import EXAMPLES

TEXTS = {
    name: text
    for example in EXAMPLES
    for name, text in {example.name: example.lines, **{e.name: example.edited(e) for e in example.edits}}.items()
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_it_is_read_to_its_last_line(text: str, tmp_path: Path) -> None:
    file = tmp_path / "example.ndjson"
    file.write_text(text, encoding="utf-8")
    reader = read_trace(file)
    assert [line for line, _ in reader] == list(range(2, len(text.splitlines()) + 1))
    assert reader.format == 2
    assert not reader.cut


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_the_schema_describes_each_line(text: str) -> None:
    whole = schema()
    for line in text.splitlines():
        assert not list(problems(json.loads(line), whole, whole)), line
