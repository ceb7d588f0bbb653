"""The trace format: what an engine's control plane did, one JSON object a line.

The first line is a `Header`, every other line one `Event`. Lengths are in tokens; `slot`, `working`, `ring` and
`copy_from` are physical slot ids; `pos`, `next` and `last` are ring positions; None means ABSENT or unknown. Unknown
fields are ignored. Everything that makes a line unreadable (not JSON, a missing required field, a wrong type, a number
below its range) is a `BadTrace`. What is readable but can't have happened is the judge's matter: a reference to
something that doesn't exist is a `BadTrace` as well, a broken property is a violation or a hazard.
"""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike, fspath
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

Natural = Annotated[int, Meta(ge=0)]
Positive = Annotated[int, Meta(ge=1)]
LONGEST_LINE = 1 << 24
"""Bytes of a line: a batch of thousands of requests stays far below, and what is longer is no trace."""
Ring = tuple[Natural | None, ...]


class BadTrace(Exception):
    """A trace that can't be judged: `line` (counted from 1) of `path` is unreadable or refers to nothing."""

    def __init__(self, path: str, line: int, reason: str) -> None:
        super().__init__(f"{path}:{line}: {reason}")
        self.path = path
        self.line = line
        self.reason = reason


class Header(Struct, frozen=True, omit_defaults=True):
    """The first line: sizes and choices of the recorded engine.

    `slots` ids are allowed, `first_slot` .. `first_slot + slots - 1`; `ring` is the number of ring positions and
    `lookahead` the number of batches that the scheduler runs ahead.
    """

    trace: Literal[1]
    engine: str
    mode: Literal["eager", "lazy"]
    interval: Positive
    ring: Positive
    slots: Positive
    first_slot: Natural
    lookahead: Natural
    without_spare: Literal["overwrite", "skip"] = "overwrite"
    """What the engine does where a lazy boundary row gets no spare; a header need not say."""


class Admit(Struct, frozen=True, gc=False, tag="admit", tag_field="e"):
    """A request takes its working slot and fills its ring."""

    r: str
    working: Natural | None
    ring: Ring
    next: Natural | None
    last: Natural | None


class PrefillRow(Struct, frozen=True, gc=False):
    """One request in a prefill batch; `next`, `last` and `ring` are its values after preparation.

    The request starts from a cached state of `prefix` tokens, copied from slot `copy_from` before this forward; the
    forward leaves the state after `len` tokens in the working slot and the one after `mark` tokens in `slot`.
    """

    r: str
    len: Positive
    prefix: Natural
    copy_from: Natural | None
    mark: Natural | None
    slot: Natural | None
    pos: Natural | None
    next: Natural | None
    last: Natural | None
    ring: Ring


class PrepareRow(Struct, frozen=True, gc=False):
    """One request in a decode batch; `count` is its decode count and `len` its length with this step."""

    r: str
    count: Natural
    len: Positive
    mark: Natural | None
    slot: Natural | None
    pos: Natural | None
    next: Natural | None
    last: Natural | None
    ring: Ring


class ProcessRow(Struct, frozen=True, gc=False):
    """One request in a result: `skipped` rows were ignored, a `done` one finished here.

    Any other row carries the request's pointers, label and ring after processing; a decode row that wasn't skipped
    carries the lookahead that the engine computed (not restricted here: a wrong one is what a judge looks for).
    """

    r: str
    skipped: bool
    done: bool
    lookahead: int | UnsetType = UNSET
    next: Natural | UnsetType | None = UNSET
    last: Natural | UnsetType | None = UNSET
    last_len: Natural | UnsetType | None = UNSET
    ring: Ring | UnsetType = UNSET

    def __post_init__(self) -> None:
        if self.skipped or self.done:
            return
        for name in ("next", "last", "last_len", "ring"):
            if getattr(self, name) is UNSET:
                raise ValueError(f"a row that is neither skipped nor done needs the field `{name}`")


class Prefill(Struct, frozen=True, gc=False, tag="prefill", tag_field="e"):
    """Prefill batch `b` has been prepared and launched."""

    b: Natural
    rows: tuple[PrefillRow, ...]


class Prepare(Struct, frozen=True, gc=False, tag="prepare", tag_field="e"):
    """Decode batch `b` has been prepared and launched."""

    b: Natural
    rows: tuple[PrepareRow, ...]


class Process(Struct, frozen=True, gc=False, tag="process", tag_field="e"):
    """The result of batch `b` has been processed; its effects (`publish`, `free`) follow as events of their own."""

    b: Natural
    rows: tuple[ProcessRow, ...]


class Publish(Struct, frozen=True, gc=False, tag="publish", tag_field="e"):
    """`slot` now belongs to the cache under the first `len` tokens of request `r`.

    `stored` False: that key was cached already, and the slot stays with its owner.
    """

    r: str
    slot: Natural
    len: Natural
    stored: bool


class Free(Struct, frozen=True, gc=False, tag="free", tag_field="e"):
    """The slots go back to the free list. A null among them is the absent marker, which nobody may free."""

    slots: tuple[Natural | None, ...]


class Evict(Struct, frozen=True, gc=False, tag="evict", tag_field="e"):
    """The cache gives up `slot`, which is free from now on."""

    slot: Natural


Event = Admit | Prefill | Prepare | Process | Publish | Free | Evict

_decode_header = msgspec.json.Decoder(Header).decode
_decode_event = msgspec.json.Decoder(Event).decode
_encode = msgspec.json.Encoder().encode


def encode(event: Header | Event) -> bytes:
    """One line of a trace, its newline included."""
    return _encode(event) + b"\n"


class TraceReader:
    """The events of the trace at `path`, streamed. Iterate once; `header` is there from the start.

    `cut` becomes True when the last line turns out to be incomplete (no newline, and not JSON): the recorder was
    stopped in the middle of a line, which is no error. Raises BadTrace, and OSError if the file can't be read.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = fspath(path)
        self.cut = False
        self._file = open(self.path, "rb")  # noqa: SIM115 (closed when the iteration ends, or by close)
        try:
            self.header = self._read_header()
        except BaseException:
            self._file.close()
            raise

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
            return _decode_header(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            if b'"e"' in line and b'"trace"' not in line:
                raise BadTrace(self.path, 1, "an event comes before the header: a trace starts with one") from error
            raise BadTrace(self.path, 1, f"not a header: {error}") from error

    def __iter__(self) -> Iterator[tuple[int, Event]]:
        number = 1
        with self._file:
            while line := self._line(number + 1):
                number += 1
                try:
                    event = _decode_event(line)
                except (msgspec.DecodeError, UnicodeDecodeError) as error:
                    if not line.endswith(b"\n") and not _is_json(line):
                        self.cut = True
                        return
                    reason = str(error) if line.strip() else "the line is empty"
                    raise BadTrace(self.path, number, reason) from error
                yield number, event

    def close(self) -> None:
        """Close the file early; iterating to the end does it too."""
        self._file.close()


def read_trace(path: str | PathLike[str]) -> TraceReader:
    """Open a trace: its header is read at once, its events (line number, event) while one iterates."""
    return TraceReader(path)


def _is_json(line: bytes) -> bool:
    try:
        msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
    return True
