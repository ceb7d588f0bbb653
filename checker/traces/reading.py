"""Reading a trace: either format, line by line, strictly, and always as events of format 2.

Everything that makes a line unreadable (not JSON, a key twice, a missing or unknown field, a wrong type, a number
outside of its range, too deep a nesting) is a `BadTrace` with line and field. What is readable and cannot have happened
is the judge's matter.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from os import PathLike, fspath
from typing import Any, Final, Protocol

import msgspec

from checker.exit_codes import BadInput
from checker.traces import format1
from checker.traces.format import Event, Header, Stop

LONGEST_LINE: Final = 1 << 24
"""Bytes of a line: a batch of thousands of requests stays far below, and what is longer is no trace."""
DEEPEST: Final = 8
"""How deep objects and lists may be nested."""
FREE_KEYS: Final = "x_"
"""Keys that begin so are a recorder's own, and are not read."""

Numbered = tuple[int, Event]
"""An event with its line, counted from 1."""


class BadTrace(BadInput):
    """A trace that can't be judged: `line` (counted from 1) of `path` is unreadable or refers to nothing."""

    def __init__(self, path: str, line: int, reason: str) -> None:
        super().__init__(f"{path}:{line}: {reason}")
        self.path = path
        self.line = line
        self.reason = reason


class NotStrict(ValueError):
    """What JSON allows and a trace does not: a key twice, too deep a nesting, a number that no integer type holds."""


_encode = msgspec.json.Encoder().encode
_header1, _header2 = msgspec.json.Decoder(format1.Header1).decode, msgspec.json.Decoder(Header).decode
_event1, _event2 = msgspec.json.Decoder(format1.Event1).decode, msgspec.json.Decoder(Event).decode
_ERRORS: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError, NotStrict)


def encode(event: Header | Event | format1.Header1 | format1.Event1) -> bytes:
    """One line of a trace, its newline included."""
    return _encode(event) + b"\n"


class LineSource(Protocol):
    """What a trace is read from, such as a file that is open in binary mode."""

    def readline(self, limit: int, /) -> bytes:
        """Return the next line with its newline, or `limit` bytes of it; b"" at the end."""

    def close(self) -> None:
        """Close it."""


class TraceReader:
    """The events of the trace at `path`, streamed, or of another source of lines.

    Iterate once; `header` is there from the start. `cut` becomes True when the last line turns out to be incomplete
    (no newline, and not JSON): the recorder was stopped in the middle of a line, which is no error. Raises BadTrace,
    and OSError if the file can't be read.
    """

    def __init__(self, path: str | PathLike[str], source: LineSource | None = None) -> None:
        self.path = fspath(path)
        self.cut = False
        self.format = 2
        self._upgrade: format1.Upgrade | None = None
        # Closed when the iteration ends, or by close.
        self._file: LineSource = open(self.path, "rb") if source is None else source  # noqa: SIM115
        try:
            self.header = self._read_header()
        except BaseException:
            self._file.close()
            raise

    def __iter__(self) -> Iterator[Numbered]:
        number, stopped = 1, False
        with closing(self._file):
            while line := self._line(number + 1):
                number += 1
                if stopped:
                    raise BadTrace(self.path, number, "this line follows the `stop` line, which is the last one")
                try:
                    event = self._decode(line)
                except _ERRORS as error:
                    if not line.endswith(b"\n") and not _is_json(line):
                        self.cut = True
                        break
                    reason = _words(error) if line.strip() else "the line is empty"
                    raise BadTrace(self.path, number, reason) from error
                stopped = isinstance(event, Stop)
                yield from self._read(number, event)
            if self._upgrade is not None:
                yield from self._upgrade.rest(number, self.cut)

    def close(self) -> None:
        """Close the file early; iterating to the end does it too."""
        self._file.close()

    def _line(self, number: int) -> bytes:
        line = self._file.readline(LONGEST_LINE + 1)
        if len(line) > LONGEST_LINE:
            raise BadTrace(self.path, number, f"the line is longer than {LONGEST_LINE:,} bytes; write one event a line")
        return line

    def _read_header(self) -> Header:
        line = self._line(1)
        if not line:
            raise BadTrace(self.path, 1, "the file is empty: a trace starts with a header line")
        try:
            found = strict(line)
            if isinstance(found, dict) and found.get("trace") == 1:
                self.format = 1
                self._upgrade = format1.Upgrade(_header1(line))
                return self._upgrade.header
            return _header2(line if not _free(found) else msgspec.json.encode(_without_free(found)))
        except (*_ERRORS, ValueError) as error:
            if b'"e"' in line and b'"trace"' not in line:
                raise BadTrace(self.path, 1, "an event comes before the header: a trace starts with one") from error
            raise BadTrace(self.path, 1, f"not a header: {_words(error)}") from error

    def _decode(self, line: bytes) -> Event | format1.Event1:
        """Decode one line; whatever is not plain at first sight is read again, slowly and strictly."""
        decode = _event2 if self._upgrade is None else _event1
        try:
            event = decode(line)
        except msgspec.ValidationError:
            found = strict(line)
            if self._upgrade is not None or not _free(found):
                raise
            return decode(msgspec.json.encode(_without_free(found)))
        # As many keys as the event has fields that are not as they are by default: no key stands there twice, and none
        # was passed over.
        if line.count(b'":') != _encode(event).count(b'":'):
            strict(line)
        return event

    def _read(self, number: int, event: Event | format1.Event1) -> Iterator[Numbered]:
        if self._upgrade is None:
            yield number, event  # type: ignore[misc]
            return
        try:
            yield from self._upgrade.events(number, event)  # type: ignore[arg-type]
        except format1.Unreadable as error:
            raise BadTrace(self.path, number, str(error)) from error


def read_trace(path: str | PathLike[str]) -> TraceReader:
    """Open a trace: its header is read at once, its events (line number, event) while one iterates."""
    return TraceReader(path)


def open_trace(path: str | PathLike[str]) -> TraceReader:
    """Open a trace; a file that cannot be read is a BadTrace too."""
    try:
        return TraceReader(path)
    except OSError as error:
        raise BadTrace(fspath(path), 0, f"the file cannot be read: {error.strerror}") from error


def strict(line: bytes) -> Any:
    """Return a line as plain data; raises NotStrict for what JSON's own readers let pass, DecodeError for no JSON."""
    msgspec.json.decode(line)
    found = json.loads(line, object_pairs_hook=_unique, parse_int=_integer, parse_constant=_constant)
    _check_depth(found, 0)
    return found


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise NotStrict(f"the key `{twice}` stands there twice in one object")
    return found


def _integer(text: str) -> int:
    number = int(text) if len(text) < 32 else 1 << 64
    if not -(1 << 63) <= number < 1 << 63:
        raise NotStrict(f"the number {text[:24]} does not fit into 64 bits")
    return number


def _constant(text: str) -> float:
    raise NotStrict(f"{text} is no number of JSON")


def _check_depth(found: Any, depth: int) -> None:
    if isinstance(found, dict | list):
        if depth >= DEEPEST:
            raise NotStrict(f"objects and lists are nested deeper than {DEEPEST}")
        for inner in found.values() if isinstance(found, dict) else found:
            _check_depth(inner, depth + 1)


def _free(found: Any) -> bool:
    if isinstance(found, dict):
        return any(key.startswith(FREE_KEYS) or _free(inner) for key, inner in found.items())
    return isinstance(found, list) and any(map(_free, found))


def _without_free(found: Any) -> Any:
    if isinstance(found, dict):
        return {key: _without_free(inner) for key, inner in found.items() if not key.startswith(FREE_KEYS)}
    return list(map(_without_free, found)) if isinstance(found, list) else found


def _words(error: Exception) -> str:
    return f"objects and lists are nested deeper than {DEEPEST}" if isinstance(error, RecursionError) else str(error)


def _is_json(line: bytes) -> bool:
    try:
        msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return True
