"""Why a step may not happen: the guard that was false, and what to write instead."""

from __future__ import annotations

import ast
import linecache
import traceback
from dataclasses import dataclass
from pathlib import Path

from spec.language import Disabled, guard

HINTS: dict[str, str] = {
    "me.phase == IDLE": "the name is in use; finish or abort the request first, or use another name",
    "not has_rows(s, request)": "batches with rows of this name are still pending; process them first",
    "worth_choosing(s, supply)": (
        "`taking slot N` is for a free slot that an unwritten row still targets, and this one is not; leave it out"
    ),
    "available(s, supply) >= design.scope.slots_to_start": (
        "too few slots are free to admit it; finish, abort or evict something first, or write a larger slots="
    ),
    "me.phase == ADMITTED": "it is not waiting for its prefill; admit it first, and prefill it once",
    "s.pending < scope.window": "L + 1 batches are pending already; process one first",
    "choice == ABSENT or me.prefix < choice <= prompt": (
        "the mark lies outside the part that this prefill computes; write one beyond the cached prefix, in the prompt"
    ),
    "rows[request] or not boundaries[request]": "a boundary needs a row; name the request in the batch as well",
    "s.requests[request].phase == RUNNING": "a decode needs a running request; prefill it first, alone on its line",
    "s.requests[request].seq_len < scope.max_len": "it has reached max_len; write a larger max_len=",
    "within_gap_rule(scope, s.requests[request])": (
        "the gap rule forbids one more boundary among its last L + 1 lengths; leave `boundary` out"
    ),
    "supply == ABSENT or s.step.asked": (
        "nothing in this step asks for a slot, so it says nothing about what is free; leave that clause out"
    ),
    "s.written < s.pending": "every launched batch has run; prepare one first",
    "s.pending > 0": "no batch is pending; prepare one first",
    "design.ready(s)": "the device has not yet run what the design waits for; write `device` before",
    "order == tuple(sorted(order)) or sum((row.present for row in oldest.rows)) > 1": (
        "the order matters only among several rows; leave it out"
    ),
    "oldest.rows[request].present and s.requests[request].phase == RUNNING": (
        "only a running request with a row in the oldest pending batch can finish here"
    ),
    "s.cached[slot].family != ABSENT": "this slot is not cached; name one that is",
    "not locked(s, slot)": "an admitted request is going to copy from it; prefill that first",
    "s.requests[request].phase != IDLE": "the name is not in use; admit it first",
    "sum((key.family != ABSENT for key in s.cached)) < design.scope.nodes": (
        "the cache is full and something would be published; evict first, or write a larger nodes="
    ),
}
"""What to do about each guard of the spec, by its condition; a test keeps this in step with the spec."""


@dataclass(frozen=True, slots=True)
class Closed:
    """The guard that kept a step from happening."""

    place: str
    """File and line, relative to where the packages lie."""
    source: str
    hint: str

    @property
    def words(self) -> str:
        """Say why in words, or else in code."""
        return self.hint or self.source


def closed_by(error: Disabled) -> Closed:
    """Find the call of `guard` that raised the error."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.name != guard.__name__]
    frame = frames[-1]
    source = linecache.getline(frame.filename, frame.lineno or 0).strip()
    path = Path(frame.filename)
    root = Path(__file__).parents[2]
    place = path.relative_to(root) if path.is_relative_to(root) else path
    return Closed(f"{place}:{frame.lineno}", source, HINTS.get(condition(source), ""))


def condition(source: str) -> str:
    """Return the condition of a line `guard(...)` in one spelling."""
    try:
        parsed = ast.parse(source, mode="eval").body
    except SyntaxError:
        return source
    return ast.unparse(parsed.args[0]) if isinstance(parsed, ast.Call) and parsed.args else source
