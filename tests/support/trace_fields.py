"""The fields of format 2 as its page lists them: required ones, and optional ones in brackets."""

from __future__ import annotations

from typing import Any

Line = dict[str, Any]

POINTERS = "[epoch] [next] [last] [ring] [same]"
FIELDS = {
    "take": "slots [r] [s] [during]",
    "admit": "r [hit] [epoch] [working] [ring] [next] [last] [s]",
    "launch": "b rows [clears] [copies] [waits]",
    "prefill": f"r kind reads writes marks start len [count] [pos] [last_chunk] {POINTERS}",
    "decode": f"r kind reads writes marks start len [count] [pos] [last_chunk] {POINTERS}",
    "verify": f"r kind reads writes low high tokens may [count] {POINTERS}",
    "copy": "from to len after [r] [during]",
    "process": "b rows",
    "result": f"r skipped done [accepted] [retained] [wrote] [lookahead] [last_len] {POINTERS}",
    "publish": "slot len stored [r] [shared] [text] [replaced_by] [during]",
    "rekey": "from to [during]",
    "free": "slots [during]",
    "evict": "slot [during]",
    "end": "r why [saved]",
    "session": "op s [r] [working] [ring] [next] [last] [last_len] [covers]",
    "transfer": "op t dir slot host len [after]",
    "stop": "why [what]",
}


def misspelt(lines: list[Line]) -> list[Line]:
    """The lines and rows that lack a required field or have one that the page does not know."""
    parts = []
    for line in lines[1:]:
        parts.append((line["e"], {key: value for key, value in line.items() if key not in ("e", "t")}))
        if line["e"] == "transfer":
            parts[-1][1]["t"] = line["t"]
        kinds = ((row.get("kind", "result"), row) for row in line.get("rows", ()))
        parts += kinds
    return [part for name, part in parts if not spelt(FIELDS[name].split(), part)]


def spelt(fields: list[str], part: Line) -> bool:
    required = {field for field in fields if not field.startswith("[")}
    keys = {key for key in part if not key.startswith("x_")}
    return required <= keys <= required | {field.strip("[]") for field in fields}
