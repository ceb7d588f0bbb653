"""What each key of a trace means, one sentence each: the sentence beside the field in the record, else one from here.

The JSON Schema (schema.py) and the tables of docs/traces.md (page_tables.py) are written from it.
"""

from __future__ import annotations

import ast
import inspect
from functools import cache
from typing import Final, get_args

import msgspec

from checker.traces import format
from checker.traces.format import Event

EVENTS: Final[tuple[type[msgspec.Struct], ...]] = get_args(Event)
"""The records of the lines after the header, in the order of the format."""

MEANINGS: Final[dict[str, str]] = {
    "trace": "The version of the format.",
    "engine": "Name and release of the engine.",
    "Header.mode": "eager: a request keeps a full ring; lazy: a spare is taken at each boundary; none: no ring, a "
    "working slot becomes the checkpoint, or checkpoints are taken elsewhere.",
    "Header.ring": "How many ring positions a request has.",
    "first_slot": "The first id of the pool.",
    "grid_from": "Where the prefill grid begins: at zero, or at the end of the prefix that was hit.",
    "t": "Nanoseconds on the CPU's clock; no verdict reads it.",
    "pool": "Which pool of the engine this is, where it has several.",
    "e": "Which event this is.",
    "kind": "Which kind of row this is.",
    "r": "The request's name.",
    "s": "The session's name.",
    "epoch": "Which life of that name: it counts up when a name is used again. Missing: the newest.",
    "b": "The batch's number, in the order of launches.",
    "rows": "One entry for each request in the batch.",
    "slots": "Ids of slots.",
    "slot": "The slot's id.",
    "len": "How many tokens the state stands for.",
    "working": "The slot of the request's own state.",
    "ring": "The slot at each ring position; null: none there.",
    "next": "The ring position of the next checkpoint.",
    "last": "The ring position of the newest checkpoint.",
    "last_len": "The label: how many tokens the checkpoint at `last` stands for; null: there is none.",
    "pos": "The ring position.",
    "text": "A digest of those tokens, chained, with a salt drawn for each recording.",
    "hit": "The cached state that the request starts from; null: none.",
    "from": "The slot that is read.",
    "to": "The slot that is written.",
    "host": "The slot in host memory; null: none.",
    "during": "The batch whose result was being processed; null: none was; missing: as the line stands.",
    "clears": "Slots that the batch clears before its copies and rows.",
    "copies": "Copies of states that the batch makes before its rows.",
    "waits": "Transfers whose end the batch waits for.",
    "after": "The newest batch whose device work is waited for; null: nothing is.",
    "start": "How many tokens the state in `reads` must cover.",
    "marks": "The checkpoints that the row writes besides `writes`.",
    "last_chunk": "Whether the prompt ends with this chunk.",
    "low": "The fewest tokens that the state may cover before the row; one more afterwards.",
    "high": "The most tokens that the state may cover after the row.",
    "tokens": "How many candidate tokens the row verifies.",
    "skipped": "Whether the row was ignored.",
    "done": "Whether the request ends here; its pointers are then gone.",
    "lookahead": "How many steps the request had been prepared ahead of this row.",
    "wrote": "What the engine takes the row to have written; null: no checkpoint.",
    "same": "Every left-out field of this request has the value of the last line that had it.",
    "stored": "Whether the cache took the slot; false: the key was there, and the slot stays with its owner.",
    "replaced_by": "The slot that takes its ring position; null: none.",
    "writes": "The slot that stands for `len` tokens afterwards.",
    "Rekey.from": "The slot that had the key.",
    "Rekey.to": "The slot that has it now.",
    "VerifyRow.writes": "The slot of the state with the accepted tokens.",
    "Session.op": "What happens to the session.",
    "Transfer.op": "How far the transfer is.",
    "Transfer.dir": "From device to host, from host to device, out to another process, or in from one.",
    "End.why": "Why it is over.",
    "Stop.why": "closed: all was recorded; not covered: the recorder could not follow any longer.",
    "what": "What could not be followed.",
    "saved": "Where its state lies in host memory; null: nowhere.",
    "covers": "How many tokens the engine takes the working state to stand for.",
}
"""By key, or by record and key where a key means something else there."""


def meaning(record: type[msgspec.Struct], key: str) -> str:
    """Return what a key of a record means; raises KeyError where nothing says it."""
    special = f"{record.__name__}.{key}"
    if special in MEANINGS:
        return MEANINGS[special]
    beside = _sentences()
    places = [(cls.__name__, field) for cls in record.__mro__ for field in (key, f"{key}_")]
    return next((beside[place] for place in places if place in beside), None) or MEANINGS[key]


@cache
def _sentences() -> dict[tuple[str, str], str]:
    """Return the sentence that stands right after a field, by class and field."""
    found: dict[tuple[str, str], str] = {}
    for node in ast.parse(inspect.getsource(format)).body:
        if isinstance(node, ast.ClassDef):
            for field, after in zip(node.body, node.body[1:], strict=False):
                if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                    if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
                        found[node.name, field.target.id] = as_in_json(str(after.value.value))
    return found


def as_in_json(text: str) -> str:
    """Return a sentence of the records with JSON's words for the values that Python calls otherwise."""
    for python, json in (("None", "null"), ("False", "false"), ("True", "true")):
        text = text.replace(python, json)
    return " ".join(text.split())


def tag(record: type[msgspec.Struct]) -> str:
    """Return the word by which a line or a row says that it is of this record."""
    return str(record.__struct_config__.tag)


def keys(record: type[msgspec.Struct]) -> dict[str, bool]:
    """Return the keys of a record as a line spells them, each with whether it is required; required ones first."""
    found = [(field.encode_name, field.required) for field in msgspec.structs.fields(record)]
    return dict(sorted(found, key=lambda each: not each[1]))
