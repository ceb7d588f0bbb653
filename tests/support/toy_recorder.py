"""What a recorder makes of the toy engine's events: it may know little, leave out fields, and write keys of its own."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.support.toy_engine import ToyEngine
from tests.support.toy_parts import Line, Settings, any_settings

KNOWS = ["takes", "frees", "evicts", "ends", "clears", "copies", "texts", "transfers", "sessions"]
KINDS = ["ring", "moving", "snapshot", "verify", "sessions", "transfers", "crowd"]
SILENT = {"take": "takes", "free": "frees", "evict": "evicts", "end": "ends", "transfer": "transfers", "copy": "copies"}
POINTERS = ("next", "last", "last_len", "ring")


def toy_trace(seed: Any, kind: str, fault: str | None = None, steps: int = 70) -> tuple[list[Line], ToyEngine]:
    """A trace of a random engine of this kind, with its header; a recorder's whims are drawn from the same seed."""
    rng = Random(f"{seed} {kind}")
    settings = any_settings(rng, kind)
    engine = ToyEngine(rng, settings, fault)
    engine.run(steps)
    recorder = Recorder(Random(f"recorder {seed} {kind}"), settings, whole=fault is not None)
    return recorder.record(engine.lines), engine


class Recorder:
    """Turns events into a trace. `whole`: it knows everything and writes all fields.

    It may keep silent about copies where the only ones are those of hits, about transfers where there are none, and it
    ends its file where a session comes that it does not know.
    """

    def __init__(self, rng: Random, settings: Settings, whole: bool = False) -> None:
        self.settings = settings
        self.knows = KNOWS
        self.dropped: set[str] = set()
        self.same = self.clock = self.own_keys = self.anonymous = False
        self.ending = "closed"
        if whole:
            return
        needed = {"transfers"} if settings.transfers else set()
        if settings.style != "ring" or settings.sessions:
            needed.add("copies")
        if rng.random() < 0.6:
            self.knows = [what for what in KNOWS if what in needed or rng.random() < 0.7]
        fields = [
            "pos",
            "count",
            "lookahead",
            "last_chunk",
            "last",
            "wrote",
            "during",
            "next",
            "ring",
            "working",
            "hit",
        ]
        self.dropped = {field for field in fields if rng.random() < 0.3}
        if settings.crossing == "counted":
            self.dropped -= {"next", "ring"}
        self.same, self.clock, self.own_keys, self.anonymous = (rng.random() < 0.3 for _ in range(4))
        self.ending = rng.choice(["closed"] * 30 + ["not covered", "cut"])

    def record(self, events: list[Line]) -> list[Line]:
        """The whole file."""
        self.told: dict[str, Line] = {}
        lines = [self.settings.header(self.knows)]
        self.result: int | None = None
        for event in events:
            if SILENT.get(event["e"], "takes") not in self.knows and event["e"] in SILENT:
                continue
            if event["e"] == "session" and "sessions" not in self.knows:
                return [*lines, {"e": "stop", "why": "not covered", "what": "sessions"}]
            if event["e"] == "stop":
                return lines if self.ending == "cut" else [*lines, {"e": "stop", "why": self.ending}]
            lines.append(self.line(event, len(lines)))
        return lines

    def line(self, event: Line, number: int) -> Line:
        """One event as this recorder writes it."""
        line = {key: value for key, value in event.items() if self.keeps(key, event)}
        for forbidden, what in (("clears", "clears"), ("copies", "copies"), ("waits", "transfers")):
            if what not in self.knows:
                line.pop(forbidden, None)
        if "texts" not in self.knows:
            line = without_text(line)
        if self.anonymous and event["e"] in ("take", "publish") and not {"shared", "replaced_by"} & event.keys():
            line.pop("r", None)
        if "rows" in line:
            line["rows"] = [self.row(row) for row in line["rows"]]
        elif line.get("r") is not None and event["e"] in ("admit", "publish", "session"):
            self.told[line["r"]] = {key: line[key] for key in POINTERS if key in line and event["e"] == "admit"}
        if event["e"] in ("launch", "admit", "process"):
            self.result = event["b"] if event["e"] == "process" else None
        if self.clock and event["e"] != "transfer":
            line["t"] = number * 1000
        if self.own_keys and number % 3 == 0:
            line["x_note"] = {"line": number}
        return line

    def keeps(self, key: str, event: Line) -> bool:
        """Whether the recorder writes this field; a session's record is always named in full."""
        if key == "during":
            return "during" not in self.dropped or event["during"] != self.result
        return key not in self.dropped or event["e"] == "session"

    def row(self, row: Line) -> Line:
        """A row, without what is left out or has been written before."""
        row = {key: value for key, value in row.items() if key not in self.dropped}
        if "marks" in row and "pos" in self.dropped:
            row["marks"] = [{key: mark[key] for key in ("len", "slot")} for mark in row["marks"]]
        told = self.told.setdefault(row["r"], {})
        if self.same and not row.get("skipped"):
            left = [key for key in POINTERS if key in row and key in told and told[key] == row[key]]
            row = {key: value for key, value in row.items() if key not in left}
            if left:
                row["same"] = True
        told.update({key: row[key] for key in POINTERS if key in row})
        return row


def without_text(value: Any) -> Any:
    """The same without any digest of a text: of a publication, a hit, a copy."""
    if isinstance(value, list):
        return [without_text(item) for item in value]
    if isinstance(value, dict):
        return {key: without_text(item) for key, item in value.items() if key != "text"}
    return value
