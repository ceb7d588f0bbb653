"""What a note becomes: the lines of trace format 2. Runs in the writer's thread, where every id has arrived.

What was noted between the beginning and the end of a result belongs to it, and carries its number: what made room
before (evictions, and slots that were taken then) stands before the `process` line, what came of it behind.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from slotproof_attach.ids import Ids, numbers
from slotproof_attach.life import Life
from slotproof_attach.rows import Rows
from slotproof_attach.spelling import slots, word

REMEMBERED = 1 << 12
"""How many names of requests are remembered, so that one that comes again gets a higher epoch."""


class Held(NamedTuple):
    """An effect of a result that is being processed."""

    kind: str
    slots: list[int]
    text: str


class Lines:
    """Turns the notes of one pool into lines. Memory: running requests, cached slots, names of recent requests."""

    def __init__(self) -> None:
        self._makers: dict[str, Callable[..., Iterable[str]]] = {
            "header": self._header, "admit": self._admit, "ring": self._ring, "take": self._take, "free": self._free,
            "clear": self._clear, "publish": self._publish, "prefill": self._prefill, "decode": self._decode,
            "begin": self._begin,
            "passed": self._passed, "process": self._process, "end": self._end, "stop": self._stop,
        }  # fmt: skip
        self._rows = Rows()
        self._waiting: list[str] | None = []
        """Lines before the header, which is known when the first batch is."""
        self._taken: dict[int, str] = {}
        """Slots that have left the pool and are nobody's yet, each with what its line says of the moment."""
        self._cached: set[int] = set()
        self._newest: dict[str, Life] = {}
        """The newest life of each name."""
        self._during = "null"
        self._held: list[Held] | None = None
        self._stopped = False

    def of(self, note: tuple[Any, ...]) -> Iterable[str]:
        """Return the lines that a note becomes."""
        if self._waiting is None:
            return () if self._stopped else self._makers[note[0]](*note[1:])
        return self._before_header(note)

    def _before_header(self, note: tuple[Any, ...]) -> list[str]:
        found, self._stopped = [], self._stopped or note[0] == "stop"
        if note[0] == "header":
            found, self._waiting = [*self._header(*note[1:]), *(self._waiting or ())], None
        elif not self._stopped and self._waiting is not None:
            self._waiting += self._makers[note[0]](*note[1:])
        return found

    def _header(self, fields: dict[str, Any]) -> Iterator[str]:
        yield json.dumps(fields, separators=(",", ":"))

    def _stop(self, what: str) -> Iterator[str]:
        yield from self._take_all()
        self._stopped = True
        yield (
            '{"e":"stop","why":"closed"}'
            if not what
            else (f'{{"e":"stop","why":"not covered","what":{json.dumps(what)}}}')
        )

    # Whose a slot is.

    def _take(self, ids: Ids) -> Iterator[str]:
        taken = numbers(ids)
        if self._held is not None:
            self._held.append(Held("take", taken, ""))
            return
        yield from self._take_some(taken, "")
        self._taken.update(dict.fromkeys(taken, self._during))

    def _take_some(self, ids: list[int], owner: str) -> Iterator[str]:
        """Yield that slots were taken, as far as no line has said so: for a request (`owner`, as JSON) or nobody."""
        found = [number for number in ids if number in self._taken]
        if found:
            during = self._taken[found[0]]
            for number in found:
                del self._taken[number]
            who = f'"r":{owner},' if owner else ""
            yield f'{{"e":"take",{who}"slots":{slots(found)},"during":{during}}}'

    def _take_all(self, lives: list[Life] | None = None) -> Iterator[str]:
        """Yield whatever is taken and has no line: for whom of these the rings show it, else for nobody."""
        if self._taken and lives is not None:
            for life in lives:
                if life.shown is not life.ring:
                    yield from self._take_some(life.ring, life.text)
        if self._taken:
            yield from self._take_some(list(self._taken), "")

    def _free(self, ids: Ids, by_cache: bool) -> Iterator[str]:
        freed: list[int] = []
        for number in numbers(ids):
            if by_cache and number in self._cached:
                yield from self._evict(number)
            else:
                freed.append(number)
        if freed:
            text = f'{{"e":"free","slots":{slots(freed)},"during":{self._during}}}'
            if self._held is not None:
                self._held.append(Held("free", freed, text))
                return
            yield from self._take_some(freed, "")
            yield text

    def _evict(self, number: int) -> Iterator[str]:
        self._cached.discard(number)
        text = f'{{"e":"evict","slot":{number},"during":{self._during}}}'
        if self._held is not None:
            self._held.append(Held("evict", [number], text))
        else:
            yield text

    def _clear(self) -> Iterator[str]:
        """All of the pool is free from now on, and the cache has been emptied."""
        yield from self._take_some(list(self._taken), "")
        for number in sorted(self._cached):
            yield from self._evict(number)

    def _publish(self, life: Life | None, ids: Ids, length: int, stored: bool, replaced: Ids | None) -> Iterator[str]:
        slot = numbers(ids)[0]
        who = "" if life is None else f'"r":{life.text},'
        by = "" if replaced is None or not stored else f'"replaced_by":{numbers(replaced)[0]},'
        text = (
            f'{{"e":"publish",{who}"slot":{"null" if slot < 0 else slot},"len":{length},"stored":{word(stored)},'
            f'{by}"during":{self._during}}}'
        )
        if stored:
            self._cached.add(slot)
        if self._held is not None:
            self._held.append(Held("publish", [slot] if stored else [], text))
            return
        yield from self._take_all([life] if life is not None else [])
        yield text

    # Requests.

    def _admit(
        self, life: Life, ids: Ids, next_: int | None, last: int | None, hit: tuple[Ids, int] | None
    ) -> Iterator[str]:
        found = numbers(ids)
        life.working, life.ring = found[0], found[1:]
        self._follow(life)
        yield from self._take_some(found, life.text)
        life.shown, life.next, life.last = life.ring, next_, last
        epoch = f'"epoch":{life.epoch},' if life.epoch else ""
        start = "null" if hit is None else f'{{"slot":{numbers(hit[0])[0]},"len":{hit[1]}}}'
        pointers = f'"next":{word(next_)}' + ("" if last is None else f',"last":{last}')
        yield (
            f'{{"e":"admit","r":{life.text},{epoch}"working":{life.working},"ring":{slots(life.ring)},{pointers},'
            f'"hit":{start}}}'
        )

    def _follow(self, life: Life) -> None:
        """A name has a new life: rows of the one before have to say that they are its."""
        before = self._newest.pop(life.name, None)
        if before is not None:
            before.newest, life.epoch = False, before.epoch + 1
            before.results.clear()
        self._newest[life.name] = life
        if len(self._newest) > REMEMBERED:
            del self._newest[next(iter(self._newest))]

    def _ring(self, life: Life, ids: Ids) -> Iterator[str]:
        life.ring = numbers(ids)
        self._rows.look_at(life)
        return iter(())

    def _end(self, life: Life, why: str) -> Iterator[str]:
        text = f'{{"e":"end","r":{life.text},"why":"{why}"}}'
        self._rows.forget(life)
        if self._held is not None:
            self._held.append(Held("end", [], text))
        else:
            yield text

    # Batches.

    def _prefill(self, b: int, *note: Any) -> Iterable[str]:
        return [*self._take_all([row[0] for row in note[0]]), self._rows.prefill(b, *note)]

    def _decode(self, b: int, lives: list[Life], *note: Any) -> Iterable[str]:
        taken = self._take_all(lives) if self._taken else ()
        return [*taken, self._rows.decode(b, lives, *note)]

    def _begin(self, b: int) -> Iterable[str]:
        self._held, during = [], self._during
        self._during = str(b)
        assert during == "null", "results are processed one after the other"
        return list(self._take_all()) if self._taken else ()

    def _passed(self, b: int) -> Iterator[str]:
        """A result that the engine went past: it says nothing of its rows."""
        yield from self._take_all()
        yield f'{{"e":"process","b":{b},"rows":[]}}'

    def _process(self, b: int, lives: list[Life], *note: Any) -> Iterable[str]:
        held, self._held, self._during = self._held, None, "null"
        if not held:
            return (self._rows.process(b, lives, *note),)
        early: list[str] = []
        late: list[str] = []
        spent: set[int] = set()
        """Slots that only this result has brought to the cache, or back to the pool."""
        for effect in held:
            behind = bool(late and spent.intersection(effect.slots))
            if effect.kind == "take":
                if behind:
                    late.append(f'{{"e":"take","slots":{slots(effect.slots)},"during":{b}}}')
                else:
                    self._taken.update(dict.fromkeys(effect.slots, str(b)))
            elif effect.kind == "evict" and not behind:
                early.append(effect.text)
            else:
                late.append(effect.text)
                spent.update(effect.slots)
        early += self._take_all(lives)
        return [*early, self._rows.process(b, lives, *note), *late]
