"""Small traces of format 2 written by hand, as plain dictionaries."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from checker.traces.judge import judge_trace
from checker.traces.verdict import Verdict

Lined = dict[str, Any]
ALL = ["takes", "frees", "evicts", "ends", "clears", "copies"]
EAGER: Lined = {
    "trace": 2, "engine": "by hand", "mode": "eager", "ring": 2, "interval": 2, "slots": 64, "first_slot": 1,
    "lookahead": 1, "knows": ALL,
}  # fmt: skip
LAZY: Lined = EAGER | {"mode": "lazy"}
NONE: Lined = {
    "trace": 2,
    "engine": "by hand",
    "mode": "none",
    "slots": 64,
    "first_slot": 1,
    "lookahead": 1,
    "knows": ALL,
}
STOP: Lined = {"e": "stop", "why": "closed"}


def take(r: str, *slots: int, **more: Any) -> Lined:
    return {"e": "take", "r": r, "slots": slots} | more


def admit(r: str, working: int, ring: list[int | None] | None = None, **more: Any) -> Lined:
    shown = {} if ring is None else {"ring": ring, "next": 0, "last": 1 if None not in ring else 0}
    return {"e": "admit", "r": r, "working": working, "hit": None} | shown | more


def begin(r: str, working: int, ring: list[int | None] | None = None, **more: Any) -> list[Lined]:
    slots = [working, *[slot for slot in ring or [] if slot is not None]]
    return [take(r, *slots), admit(r, working, ring, **more)]


def launch(b: int, *rows: Lined, **more: Any) -> Lined:
    return {"e": "launch", "b": b, "rows": rows} | more


def prefill(r: str, working: int, start: int, end: int, mark: Any = None, **more: Any) -> Lined:
    reads = working if start else None
    return _row("prefill", r, reads, working, start, end, mark) | more


def decode(r: str, working: int, end: int, mark: Any = None, **more: Any) -> Lined:
    return _row("decode", r, working, working, end - 1, end, mark) | more


def _row(kind: str, r: str, reads: int | None, writes: int, start: int, end: int, mark: Any) -> Lined:
    marks = [] if mark is None else [{"len": mark[0], "slot": mark[1]}]
    return {"r": r, "kind": kind, "reads": reads, "writes": writes, "start": start, "len": end, "marks": marks}


def process(b: int, *rows: Lined) -> Lined:
    return {"e": "process", "b": b, "rows": rows}


def result(r: str, done: bool = False, skipped: bool = False, **more: Any) -> Lined:
    return {"r": r, "skipped": skipped, "done": done} | more


def publish(r: str, slot: int | None, length: int, **more: Any) -> Lined:
    return {"e": "publish", "r": r, "slot": slot, "len": length, "stored": True} | more


def free(*slots: int | None, **more: Any) -> Lined:
    return {"e": "free", "slots": slots} | more


def evict(slot: int, **more: Any) -> Lined:
    return {"e": "evict", "slot": slot} | more


def end(r: str, why: str = "finish") -> Lined:
    return {"e": "end", "r": r, "why": why}


def write(path: Path, header: Lined, events: Iterable[Lined]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in [header, *events]), encoding="utf-8")
    return path


def judged(tmp_path: Path, header: Lined, *events: Lined, stop: bool = True) -> Verdict:
    """The verdict of a trace; the look at every row must agree with the short cut."""
    path = write(tmp_path / "small.ndjson", header, [*events, *([STOP] if stop else [])])
    verdict = judge_trace(path)
    assert verdict == judge_trace(path, close_look=True)
    return verdict


def first(verdict: Verdict) -> tuple[str, int, int | None] | None:
    """Kind, line and slot of the first violation."""
    return next(((it.kind, it.line, it.slot) for it in verdict.violations), None)
