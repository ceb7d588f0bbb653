"""The JSON Schema of a line of a trace, made from the records that read it: for engines in any language."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from checker.traces import format
from checker.traces.format import Event, Header
from checker.traces.meanings import EVENTS, meaning
from checker.traces.reading import FREE_KEYS

DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"

EXAMPLES: Final = (
    '{"trace":2,"engine":"mine 1.0","mode":"eager","slots":64,"first_slot":1,"lookahead":1,"ring":2,"interval":8}',
    '{"e":"take","r":"A","slots":[1,2,3]}',
    '{"e":"admit","r":"A","working":1,"ring":[2,3],"next":0,"last":1,"hit":null}',
    '{"e":"launch","b":0,"rows":[{"r":"A","kind":"prefill","start":0,"len":9,"reads":null,"writes":1,'
    '"marks":[{"len":8,"slot":2,"pos":0}]}]}',
    '{"e":"launch","b":1,"rows":[{"r":"A","kind":"decode","start":9,"len":10,"reads":1,"writes":1,"marks":[]}]}',
    '{"e":"launch","b":2,"rows":[{"r":"A","kind":"verify","low":10,"high":14,"tokens":4,"reads":1,"writes":1,'
    '"may":[null,3]}]}',
    '{"e":"copy","from":1,"to":9,"len":10,"after":1}',
    '{"e":"process","b":0,"rows":[{"r":"A","skipped":false,"done":false,"next":1,"last":0,"last_len":8,"ring":[2,3]}]}',
    '{"e":"publish","r":"A","slot":2,"len":8,"stored":true}',
    '{"e":"rekey","from":2,"to":9}',
    '{"e":"free","slots":[1,3],"during":1}',
    '{"e":"evict","slot":2}',
    '{"e":"end","r":"A","why":"finish"}',
    '{"e":"session","op":"open","s":"S"}',
    '{"e":"transfer","op":"queue","t":"t1","dir":"d2h","slot":2,"host":0,"len":8}',
    '{"e":"stop","why":"closed"}',
)
"""A line of each kind; they show the spelling, and are no run."""


def schema() -> dict[str, Any]:
    """Return the schema of one line: a header (the first line) or an event (each other line)."""
    _, records = msgspec.json.schema_components((Header, *EVENTS), ref_template="#/$defs/{name}")
    (events,), _ = msgspec.json.schema_components((Event,), ref_template="#/$defs/{name}")
    for name, found in records.items():
        # A recorder's own keys are passed over, all others are errors.
        found["patternProperties"] = {f"^{FREE_KEYS}": True}
        for key, value in found["properties"].items():
            value["description"] = meaning(getattr(format, name), key)
    return {
        "$schema": DRAFT,
        "title": "A line of a slotproof trace, format 2",
        "description": "The first line of a file is a Header, each other line an Event. A missing key is unknown, "
        "null is none. With mode `none` the keys `ring` and `without_spare` are missing, else `ring` and `interval` "
        "are required; with a window above 1 `crossing` and `interval` are. A `high` is at least `low` and `tokens`.",
        "anyOf": [{"$ref": "#/$defs/Header"}, {"$ref": "#/$defs/Event"}],
        "$defs": {**records, "Event": {"title": "Event", "description": "A line after the header.", **events}},
        "examples": [msgspec.json.decode(line) for line in EXAMPLES],
    }
