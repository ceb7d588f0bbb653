"""Changes of a trace of format 2 that change nothing about its verdict. Each takes lines and gives new ones."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from random import Random
from typing import Any

Line = dict[str, Any]

SLOTS = ("slot", "from", "to", "reads", "writes", "working", "replaced_by")
SLOT_LISTS = ("slots", "ring", "may", "clears")
LENGTHS = ("len", "start", "low", "high", "last_len", "covers")
BATCHES = ("b", "during", "after")


def mapped(value: Any, change: Callable[[str, Any], Any], key: str = "") -> Any:
    """The same value with every field replaced by what `change` makes of it."""
    if isinstance(value, dict):
        return {name: mapped(change(name, item), change, name) for name, item in value.items()}
    if isinstance(value, list):
        return [mapped(item, change) if isinstance(item, dict) else item for item in value]
    return value


def everywhere(lines: list[Line], change: Callable[[str, Any], Any]) -> list[Line]:
    """All lines but the header, changed field by field."""
    return [lines[0], *(mapped(line, change) for line in lines[1:])]


def swap_rows(lines: list[Line], rng: Random) -> list[Line]:
    """What stands in a batch has no order, nor have the rows of a result."""
    lines = deepcopy(lines)
    for line in lines[1:]:
        for key in ("rows", "clears", "copies", "waits"):
            rng.shuffle(line.get(key, []))
    return lines


def rename_slots(lines: list[Line], rng: Random) -> list[Line]:
    header = lines[0]
    pool = range(header["first_slot"], header["first_slot"] + header["slots"])
    pool = [slot for slot in pool if slot not in header["reserved"]]
    names = dict(zip(pool, rng.sample(pool, len(pool)), strict=True))

    def change(key: str, value: Any) -> Any:
        if key in SLOTS and isinstance(value, int):
            return names.get(value, value)
        return [names.get(slot, slot) for slot in value] if key in SLOT_LISTS else value

    return everywhere(lines, change)


def rename_requests(lines: list[Line], rng: Random) -> list[Line]:
    """Requests and sessions get names that sort in another order."""
    names: dict[str, str] = {}

    def change(key: str, value: Any) -> Any:
        if key in ("r", "s") and value is not None:
            return names.setdefault(value, f"{rng.randint(0, 999)}-{len(names)}")
        return value

    return everywhere(lines, change)


def shift_lengths(lines: list[Line], rng: Random) -> list[Line]:
    """Every text gets so many more tokens in front; its first prefill takes them as well."""
    by = lines[0]["interval"] * lines[0].get("prefill_grid", 1) * rng.randint(1, 3)
    return everywhere(lines, lambda key, value: value + by if key in LENGTHS and value else value)


def split_batches(lines: list[Line], rng: Random) -> list[Line]:
    """Each batch becomes two: its clears, copies and waits stay with the first half of its rows."""
    split: list[Line] = []
    halves: dict[int, list[set[str]]] = {}
    for line in mapped(lines, lambda key, value: 2 * value + 1 if key in BATCHES and value is not None else value):
        if "rows" not in line:
            split.append(line)
            continue
        names = [row["r"] for row in line["rows"]]
        if line["b"] not in halves:
            rng.shuffle(names)
            cut = rng.randint(0, len(names))
            halves[line["b"]] = [set(names[:cut]), set(names[cut:])]
        for at, half in enumerate(halves[line["b"]]):
            part = {key: value for key, value in line.items() if at == 0 or key not in ("clears", "copies", "waits")}
            split.append(part | {"b": line["b"] - 1 + at, "rows": [row for row in line["rows"] if row["r"] in half]})
    return split


def add_request(lines: list[Line], rng: Random) -> list[Line]:
    """A request that shares nothing with the others takes part in some batches."""
    lines = deepcopy(lines)
    header, name, tokens = lines[0], "unrelated", 0
    slot = header["first_slot"] + header["slots"]
    header["slots"] += 1
    own = {"r": name, "reads": None, "writes": slot, "marks": []}
    batches: set[int] = set()
    for line in lines[1:]:
        if line["e"] == "launch" and rng.random() < 0.5:
            kind, tokens, start = "decode" if tokens else "prefill", tokens + 1, tokens
            line["rows"].insert(
                0, own | {"kind": kind, "reads": slot if start else None, "start": start, "len": tokens}
            )
            batches.add(line["b"])
        if line["e"] == "process" and line["b"] in batches:
            line["rows"].append({"r": name, "skipped": False, "done": False})
    arrival = [{"e": "take", "r": name, "slots": [slot], "during": None}] if "takes" in header["knows"] else []
    arrival.append({"e": "admit", "r": name, "working": slot, "hit": None})
    leaving = [{"e": "free", "slots": [slot], "during": None}] if "frees" in header["knows"] else []
    leaving += [{"e": "end", "r": name, "why": "abort"}] if "ends" in header["knows"] else []
    at = len(lines) - (lines[-1]["e"] == "stop")
    return [header, *arrival, *lines[1:at], *leaving, *lines[at:]]


CHANGES = [swap_rows, rename_slots, rename_requests, shift_lengths, add_request]
"""Those that hold of any trace; a batch may only be split where its rows do not depend on each other."""
