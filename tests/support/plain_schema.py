"""The part of JSON Schema that the schema of traces uses, as a plain check: what is wrong with a value, in words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

KNOWN = {
    *("$schema", "$defs", "$ref", "title", "description", "examples", "default", "discriminator"),
    *("anyOf", "type", "enum", "minimum", "maximum", "items"),
    *("properties", "patternProperties", "required", "additionalProperties"),
}
TYPES = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool, "null": type(None)}


def problems(value: Any, schema: dict[str, Any], root: dict[str, Any], place: str = "$") -> Iterator[str]:
    """Yield what is wrong with a value by a schema whose references lie in `root`."""
    assert schema.keys() <= KNOWN, f"{place}: this check does not know {schema.keys() - KNOWN}"
    if "$ref" in schema:
        yield from problems(value, root["$defs"][schema["$ref"].rpartition("/")[2]], root, place)
    if "anyOf" in schema:
        found = [list(problems(value, one, root, place)) for one in schema["anyOf"]]
        if all(found):
            yield min(found, key=len)[0]
    if "type" in schema:
        wanted = TYPES[schema["type"]]
        if not isinstance(value, wanted) or (wanted is int and isinstance(value, bool)):
            yield f"{place}: not of type {schema['type']}"
            return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{place}: none of {schema['enum']}"
    if isinstance(value, int) and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        yield f"{place}: out of range"
    if isinstance(value, list):
        for index, inner in enumerate(value):
            yield from problems(inner, schema.get("items", {}), root, f"{place}[{index}]")
    if isinstance(value, dict):
        yield from _of_object(value, schema, root, place)


def _of_object(value: dict[str, Any], schema: dict[str, Any], root: dict[str, Any], place: str) -> Iterator[str]:
    for key in schema.get("required", ()):
        if key not in value:
            yield f"{place}: lacks {key}"
    for key, inner in value.items():
        if key in schema.get("properties", {}):
            yield from problems(inner, schema["properties"][key], root, f"{place}.{key}")
        elif not any(re.search(pattern, key) for pattern in schema.get("patternProperties", ())):
            if schema.get("additionalProperties", True) is False:
                yield f"{place}: does not know {key}"
