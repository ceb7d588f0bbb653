"""The file of a trace: whole lines in the order of the notes, whatever the file system takes at a time."""

from __future__ import annotations

import json

from slotproof_attach.trace_file import TraceFile


class Reluctant:
    """A file that takes a few bytes of what it is given."""

    def __init__(self, path):
        self._file = open(path, "wb", buffering=0)  # noqa: SIM115 (closed by `close`)

    def write(self, text):
        return self._file.write(text[:7])

    def close(self):
        self._file.close()


def lines_of(note):
    yield json.dumps({"note": note[0]})


def test_lines_are_whole_where_a_file_takes_less_than_it_is_given(tmp_path, monkeypatch):
    path = tmp_path / "trace.ndjson"
    monkeypatch.setattr("slotproof_attach.trace_file.open", lambda *given, **named: Reluctant(path), raising=False)
    file = TraceFile(str(path), lines_of)
    file.notes.extend((number,) for number in range(20))
    file.ended = True
    file.drain()
    assert [json.loads(line) for line in path.read_text().splitlines()] == [{"note": number} for number in range(20)]


def test_a_file_that_cannot_be_written_is_given_up(tmp_path, capsys):
    given_up = []
    file = TraceFile(str(tmp_path / "none" / "trace.ndjson"), lines_of, lambda: given_up.append(1))
    file.notes.append((1,))
    file.drain()
    assert (given_up, list(file.notes)) == ([1], [])
    assert "ends here" in capsys.readouterr().err
