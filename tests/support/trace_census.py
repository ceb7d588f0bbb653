"""What occurs in traces of format 2: a count of rows, events and situations, so that a test can ask for each."""

from __future__ import annotations

from collections import Counter
from typing import Any

Line = dict[str, Any]

WANTED = """
mode eager; mode lazy; mode none; lookahead 0; lookahead 1; lookahead 2; crossing planned; crossing counted
without_spare overwrite; without_spare skip; grid_from zero; grid_from prefix; everything known
silent takes; silent frees; silent evicts; silent ends; silent clears; silent copies; silent texts
silent transfers; silent sessions
row prefill; row decode; row verify; several chunks; mixed batch; prefill mark; decode mark; mark in the dump
reads nothing; reads a cleared slot; reads in place; moves; verify after decode; decode after verify
same; own key; clock; a hit unknown; taken for nobody named
hit copied; hit read in place; hit by several at once; promised publication; donation at a result; shared publication
published at a finish; not stored; published by nobody; eviction; eviction during a result
eviction before its process line
hand-over inside a result; more than 64 finish; skipped row; row of an older epoch; higher epoch; accepted several
retained fewer; wrote a mark; wrote nothing; snapshot copy; rekey; copy outside a batch; waits
end finish; end abort; end reject; end retract; end preempt; saved; session open; session take; session borrow
session end; session abort; session close; turn resumes in place; turn resumes from a checkpoint; turn starts anew
covers with a row pending; d2h queue; d2h submit; d2h ack; d2h abort; h2d queue; h2d submit; h2d ack; transfer fenced
transfer unfenced; stop closed; stop not covered; no stop
""".replace("\n", ";")
NAMES = [name.strip() for name in WANTED.split(";") if name.strip()]


class Census:
    """Counts the situations of one trace."""

    def __init__(self, lines: list[Line]) -> None:
        self.found: Counter[str] = Counter()
        self.pending: dict[int, Line] = {}
        self.hits: dict[str, int] = {}
        self.kinds: dict[str, str] = {}
        self.turns: dict[str, str] = {}
        self.freed: dict[int, set[int]] = {}
        self.covers: dict[str, Any] = {}
        self.result: int | None = None
        self._header(lines[0])
        for line in lines[1:]:
            self.found.update({"own key": any(key.startswith("x_") for key in line), "clock": "clock" in self._t(line)})
            getattr(self, "_" + line["e"])(line)
        if lines[-1]["e"] != "stop":
            self.found["no stop"] += 1

    def _t(self, line: Line) -> list[str]:
        return ["clock"] if "t" in line and line["e"] != "transfer" else []

    def see(self, name: str, really: Any = True) -> None:
        self.found[name] += bool(really)

    def _header(self, header: Line) -> None:
        for key in ("mode", "lookahead", "crossing", "without_spare", "grid_from"):
            self.see(f"{key} {header.get(key)}")
        known = ("takes", "frees", "evicts", "ends", "clears", "copies", "texts", "transfers", "sessions")
        for what in known:
            self.see(f"silent {what}", what not in header["knows"])
        self.see("everything known", len(header["knows"]) == len(known))

    def _admit(self, line: Line) -> None:
        self.result = None
        self.see("higher epoch", line.get("epoch"))
        self.see("a hit unknown", "hit" not in line)
        if line.get("hit"):
            self.hits[line["r"]] = line["hit"]["slot"]
        if "s" in line:
            self.turns[line["r"]] = line["s"]

    def _launch(self, line: Line) -> None:
        self.result = None
        kinds = {row["kind"] for row in line["rows"]}
        self.see("mixed batch", "prefill" in kinds and len(kinds) > 1)
        self.see("waits", line.get("waits"))
        copied = {copy["r"] for copy in line.get("copies", ()) if copy["from"] == self.hits.get(copy["r"])}
        self.found["hit copied"] += len(copied)
        self.see("snapshot copy", len(line.get("copies", ())) > len(copied))
        in_place = [self.hits.get(row["r"]) for row in line["rows"] if row["reads"] is not None]
        in_place = [slot for slot in in_place if slot in {row["reads"] for row in line["rows"]}]
        self.found["hit read in place"] += len(in_place)
        self.see("hit by several at once", len(copied) > 1 or len(set(in_place)) < len(in_place))
        for row in line["rows"]:
            self._row(row, line)
            self.hits.pop(row["r"], None)
        self.pending[line["b"]] = line

    def _row(self, row: Line, line: Line) -> None:
        name, kind = row["r"], row["kind"]
        before = self.kinds.get(name)
        self.see(f"row {kind}")
        self.see("several chunks", before == kind == "prefill")
        self.see("verify after decode", (before, kind) == ("decode", "verify"))
        self.see("decode after verify", (before, kind) == ("verify", "decode"))
        self.kinds[name] = kind
        dump = any(mark["slot"] == 0 for mark in row.get("marks", ()))
        self.see("mark in the dump", dump)
        self.see(f"{kind} mark", row.get("marks") and not dump)
        self.see("reads nothing", row["reads"] is None)
        self.see("reads a cleared slot", row["reads"] in line.get("clears", ()))
        self.see("reads in place", row["reads"] == row["writes"])
        self.see("moves", row["reads"] not in (None, row["writes"]))
        self.see("same", row.get("same"))
        if name in self.turns:
            covers = self.covers.get(self.turns.pop(name))
            self.see("turn resumes in place", row["start"] and row["start"] == covers)
            self.see("turn resumes from a checkpoint", any(copy["r"] == name for copy in line.get("copies", ())))
            self.see("turn starts anew", row["start"] == 0)

    def _process(self, line: Line) -> None:
        self.result = line["b"]
        self.pending.pop(line["b"], None)
        self.see("more than 64 finish", sum(row["done"] for row in line["rows"]) > 64)
        for row in line["rows"]:
            self.see("skipped row", row["skipped"])
            self.see("row of an older epoch", row["skipped"] and row["r"] in self.kinds and not row.get("epoch"))
            self.see("accepted several", row.get("accepted", 0) > 1)
            self.see("retained fewer", row.get("retained", 0) < row.get("accepted", 0))
            self.see("wrote a mark", row.get("wrote"))
            self.see("wrote nothing", row.get("wrote", 1) is None)

    def _during(self, line: Line) -> int | None:
        return line.get("during", self.result)

    def _publish(self, line: Line) -> None:
        during = self._during(line)
        self.see("not stored", not line["stored"])
        self.see("shared publication", line.get("shared"))
        self.see("published by nobody", "r" not in line)
        self.see("donation at a result", during is not None and "replaced_by" in line)
        self.see("published at a finish", during is not None and "replaced_by" not in line)
        writes = [row for batch in self.pending.values() for row in batch["rows"] if batch["b"] != during]
        slots = {mark["slot"] for row in writes for mark in row.get("marks", ())} | {row["writes"] for row in writes}
        self.see("promised publication", line["slot"] in slots and line["stored"])

    def _evict(self, line: Line) -> None:
        during = self._during(line)
        self.see("eviction")
        self.see("eviction during a result", during is not None)
        self.see("eviction before its process line", during in self.pending)

    def _free(self, line: Line) -> None:
        if self._during(line) is not None:
            self.freed.setdefault(self._during(line) or 0, set()).update(line["slots"])

    def _take(self, line: Line) -> None:
        during = self._during(line)
        self.see("taken for nobody named", "r" not in line)
        self.see("hand-over inside a result", during is not None and self.freed.get(during, set()) & {*line["slots"]})

    def _copy(self, line: Line) -> None:
        self.see("copy outside a batch")

    def _rekey(self, line: Line) -> None:
        self.see("rekey")

    def _end(self, line: Line) -> None:
        self.see(f"end {line['why']}")
        self.see("saved", line.get("saved"))

    def _session(self, line: Line) -> None:
        self.see(f"session {line['op']}")
        if line["op"] == "end":
            self.covers[line["s"]] = line["covers"]
            rows = {row["r"] for batch in self.pending.values() for row in batch["rows"] if batch["b"] != self.result}
            self.see("covers with a row pending", line["covers"] is not None and line["r"] in rows)

    def _transfer(self, line: Line) -> None:
        self.see(f"{line['dir']} {line['op']}")
        self.see("transfer fenced", line.get("after") is not None)
        self.see("transfer unfenced", line.get("after", 1) is None)

    def _stop(self, line: Line) -> None:
        self.see(f"stop {line['why']}")


def census(traces: list[list[Line]]) -> Counter[str]:
    """How often each situation occurs in all of them."""
    total: Counter[str] = Counter()
    for lines in traces:
        total.update(Census(lines).found)
    return total
