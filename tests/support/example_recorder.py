"""A recorder of traces for an engine that is not ours, and the smallest engine that has something to record.

The recorder imports nothing of slotproof: it is what an engine would carry. docs/engines.md tells what it has to write.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import time
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, TypeAlias

Tokens: TypeAlias = tuple[int, ...]


class ExampleRecorder:
    """Writes one line for each thing that the engine's CPU does, in that order, when it does it."""

    def __init__(self, path: str | Path, engine: str, slots: int) -> None:
        self._file = Path(path).open("w", encoding="utf-8")  # noqa: SIM115 (closed at the end of the block)
        self._salt = secrets.token_bytes(16)
        self._began = time.perf_counter_ns()
        # What the recorder would have written had it happened: only then does silence mean anything.
        knows = ["takes", "frees", "evicts", "ends", "copies", "texts"]
        header = {"trace": 2, "engine": engine, "mode": "none", "slots": slots, "first_slot": 0, "lookahead": 0}
        self._write(header | {"knows": knows})

    def __enter__(self) -> ExampleRecorder:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if error is None:
            self.event("stop", why="closed")
        else:
            self.event("stop", why="not covered", what=f"the engine raised {error!r}")
        self._file.close()

    def event(self, kind: str, **fields: Any) -> None:
        """Write an event."""
        self._write({"e": kind, **fields, "t": time.perf_counter_ns() - self._began})

    def launch(self, batch: int, row: dict[str, Any], copied_from: int | None = None) -> None:
        """Write the launch of one row that computes in place; a cached state may be copied to where it starts."""
        copies = [] if copied_from is None else [{"from": copied_from, "to": row["reads"], "len": row["start"]}]
        self.event("launch", b=batch, rows=[row | {"marks": []}], copies=copies)

    def text(self, tokens: Tokens) -> str:
        """Return a digest of a prompt's tokens: prompts are private, and a salt of this recording keeps them so."""
        return hashlib.blake2b(repr(tokens).encode(), key=self._salt, digest_size=16).hexdigest()

    def _write(self, line: dict[str, Any]) -> None:
        self._file.write(json.dumps(line, separators=(",", ":")) + "\n")
        # Whoever follows the file wants each line as soon as it is there.
        self._file.flush()


class ToyEngine:
    """One request at a time. Its state is a slot; when it is done, the slot stays in the cache under its tokens."""

    def __init__(self, recorder: ExampleRecorder, slots: int) -> None:
        self._recorder = recorder
        self._free = list(range(slots))
        self._cache: OrderedDict[Tokens, int] = OrderedDict()
        self._batch = 0

    def generate(self, name: str, prompt: Sequence[int], steps: int) -> Tokens:
        """Run a request, and return its tokens with the new ones."""
        write, tokens = self._recorder, tuple(prompt)
        if not self._free:
            self._evict()
        slot = self._free.pop()
        write.event("take", r=name, slots=[slot])
        found = self._longest(tokens)
        hit = None if found is None else {"slot": self._cache[found], "len": len(found), "text": write.text(found)}
        write.event("admit", r=name, working=slot, hit=hit)
        start, source = (len(found), self._cache[found]) if found else (0, None)
        kind = "prefill"
        for step in range(steps + 1):
            row = {"r": name, "kind": kind, "start": start, "len": len(tokens)}
            write.launch(self._batch, row | {"reads": slot if start else None, "writes": slot}, source)
            result = {"r": name, "skipped": False, "done": step == steps}
            write.event("process", b=self._batch, rows=[result])
            self._batch += 1
            start, source, kind = len(tokens), None, "decode"
            if step < steps:
                tokens += (hash(tokens) % 1000,)
        self._keep(name, tokens, slot)
        write.event("end", r=name, why="finish")
        return tokens

    def _longest(self, tokens: Tokens) -> Tokens | None:
        """Return the longest cached text that the tokens begin with; one token at least is left to be computed."""
        known = [text for text in self._cache if len(text) < len(tokens) and tokens[: len(text)] == text]
        return max(known, key=len, default=None)

    def _keep(self, name: str, tokens: Tokens, slot: int) -> None:
        stored = tokens not in self._cache
        text = self._recorder.text(tokens)
        self._recorder.event("publish", r=name, slot=slot, len=len(tokens), stored=stored, text=text)
        if stored:
            self._cache[tokens] = slot
        else:
            self._free.append(slot)
            self._recorder.event("free", slots=[slot])

    def _evict(self) -> None:
        _, slot = self._cache.popitem(last=False)
        self._free.append(slot)
        self._recorder.event("evict", slot=slot)
