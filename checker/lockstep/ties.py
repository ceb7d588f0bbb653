"""The table of correspondence held against the real records, in both directions, each gap a sentence with its place."""

from __future__ import annotations

import inspect
import re
import tempfile
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np

import spec.model
from checker.lockstep import correspondence
from checker.lockstep.correspondence import RUNTIME_ONLY, TIES, TRACE_ONLY
from checker.model.model import Model
from checker.symbolic.unread import Field, declared
from checker.traces import format, recorder
from checker.traces.reading import read_trace
from runtime.batch import ROW_COLUMNS, Rows
from runtime.config import Config
from runtime.engine import Engine
from runtime.exact_model import ExactModel
from runtime.requests import TABLE_COLUMNS, RequestTable
from spec.scope import Scope

FULL: Final = "requests=1 slots=3 nodes=1 interval=any others=on short_keys=on mode=eager"
"""A scope whose state has every field of the spec."""
_EVENTS: Final = (
    *(format.Take, format.Admit, format.Launch, format.Process),
    *(format.Publish, format.Free, format.Evict, format.End),
)
_LINES: Final = (
    *(format.PrefillRow, format.DecodeRow, format.ResultRow),
    *(format.Mark, format.Hit, format.CopiedState),
)
_KINDS: Final = {kind.__name__: kind for kind in (*_EVENTS, *_LINES)}


def ties() -> Iterator[str]:
    """Yield what is missing in the table, or what it names and is not there."""
    model = Model(spec.model, Scope.parse(FULL))
    fields = {field.spelled: field for field in declared(model.shape)}
    table = _place(correspondence, "TIES")
    for name, field in fields.items():
        if name not in TIES:
            line = f'"{name}": Tie("{_likely(field)}", "PrefillRow.{field.name}"),'
            yield (
                f"{field.place}: nothing says what {name} is in the runtime and in a trace; add to {table} the line "
                f'{line} or, where they have none, Tie("ghost: the runtime has none, because ...", "none: ...")'
            )
    for name in TIES.keys() - fields.keys():
        yield f"{_place(correspondence, name)}: no record of spec/state.py has a field {name}; take the line out"
    yield from _columns()
    yield from _keys()


def _likely(field: Field) -> str:
    return f"rows.{field.name}" if field.cls.__name__ == "Row" else f"table.{field.name}"


def _columns() -> Iterator[str]:
    """Yield the columns that are named and not there, and those that are there and nobody's."""
    named = {tie.runtime for tie in TIES.values()} | RUNTIME_ONLY.keys()
    here = {"table": (RequestTable, TABLE_COLUMNS), "rows": (Rows, ROW_COLUMNS)}
    engine = Engine(_CONFIG, ExactModel())
    for name, tie in TIES.items():
        kind, _, why = tie.runtime.partition(": ")
        owner, _, column = tie.runtime.partition(".")
        if kind == "ghost" and why.strip():
            continue
        if owner in here and column and not hasattr(engine.table if owner == "table" else Rows, column):
            cls, columns = here[owner]
            yield (
                f"{_place(cls, '= Column(', last=True)}: {cls.__name__} has no column {column}, which the spec has as "
                f'{name}; add {column} = Column({len(columns)}, "..."), or tie it to "ghost: the runtime has none, '
                f'because ..." in {_place(correspondence, name)}'
            )
        elif owner not in here and not _found(engine, tie.runtime):
            yield (
                f"{_place(correspondence, name)}: an engine has no {tie.runtime}; write where it keeps {name}, or "
                '"ghost: the runtime has none, because ..."'
            )
    for owner, (cls, columns) in here.items():
        for column in columns:
            if f"{owner}.{column}" not in named:
                yield (
                    f"{_place(cls, f'{column} = Column(')}: no field of the spec stands for {cls.__name__}.{column}; "
                    f'tie one to "{owner}.{column}" in {_place(correspondence, "TIES")}, or add to RUNTIME_ONLY the '
                    f'line "{owner}.{column}": "because ...",'
                )
    engine.close()


def _found(engine: Engine, path: str) -> bool:
    found: Any = engine
    for name in path.split("."):
        found = getattr(found, name, None)
    return found is not None


def _keys() -> Iterator[str]:
    """Yield the keys of a trace that are named and not there, never written, or there and nobody's."""
    there = {f"{name}.{key}" for name, kind in _KINDS.items() for key in kind.__struct_fields__}
    try:
        written = _written()
    except Exception as error:
        # The records do not fit together: that is what is looked for here, not an error of the looking.
        frames = traceback.extract_tb(error.__traceback__)
        at = next((frame for frame in reversed(frames) if "runtime" in Path(frame.filename).parts), frames[-1])
        yield f"{at.filename}:{at.lineno}: a recorded run stops with {error!r}; hand the field over there"
        return
    named = set(TRACE_ONLY)
    for name, tie in TIES.items():
        if tie.trace.startswith("none: "):
            continue
        named |= set(tie.trace.split())
        for key in tie.trace.split():
            kind, _, last = key.partition(".")
            if key not in there:
                yield (
                    f"{_place(_KINDS.get(kind, format), 'class ')}: {kind} has no key {last}, which the spec has as "
                    f"{name}; add {last}: Natural | UnsetType = UNSET (traces recorded before lack it), or tie it to "
                    f'"none: ..." in {_place(correspondence, name)}'
                )
            elif key not in written:
                yield (
                    f"{_place(recorder, f'{kind}(')}: a recorded run never has {key}; hand it over where a {kind} is "
                    f"made: {last}=int(self._engine.table.{last}[seat])"
                )
    for key in sorted(there - named):
        kind, _, last = key.partition(".")
        yield (
            f"{_place(_KINDS[kind], f'{last}: ')}: no field of the spec stands for {key}; tie one to it in "
            f'{_place(correspondence, "TIES")}, or add to TRACE_ONLY the line "{key}": "because ...",'
        )


_CONFIG: Final = Config(requests=2, slots=12, max_len=12, interval=2)


def _written() -> set[str]:
    """Return the keys that a recorded run has: a prompt, the same again, a prefix that is not had, an eviction."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "run.ndjson")
        recording = recorder.Recorder(path)
        engine = Engine(_CONFIG, ExactModel(), observer=recording)
        for name in ("a", "b"):
            handle = engine.admit(name, np.array([1, 2, 3, 4, 5]))
            engine.prefill(handle)
            engine.decode(np.array([handle]))
            for finished in (False, True):
                engine.process(np.array([6]), np.array([finished]))
        engine.evict(next(iter(engine.cache)).slot)
        engine.close()
        recording.close()
        return {key for _, event in read_trace(path) for key in _of_event(event)}


def _of_event(event: Any) -> Iterator[str]:
    for key in event.__struct_fields__:
        value = getattr(event, key)
        if value is not msgspec.UNSET:
            yield f"{type(event).__name__}.{key}"
        for inner in value if isinstance(value, tuple) else (value,):
            if isinstance(inner, msgspec.Struct):
                yield from _of_event(inner)


def _place(owner: Any, text: str, last: bool = False) -> str:
    """Return FILE:LINE of the first or last line of a class or module that has a text in it."""
    try:
        lines, first = inspect.getsourcelines(owner)
    except OSError:
        return str(getattr(owner, "__name__", owner))
    wanted = re.compile(rf"(?<!\w){re.escape(text)}")
    found = [number for number, line in enumerate(lines, max(first, 1)) if wanted.search(line)]
    return f"{inspect.getsourcefile(owner)}:{(found or [max(first, 1)])[-1 if last else 0]}"
