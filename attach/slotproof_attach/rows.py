"""The rows of a batch and of its result. Nearly every row of a run says that nothing has changed but three counters.

So the text of such a row is kept with its request, with places for the counters, and the whole line is made by one
call. A row that shows something is made anew: what it leaves out is what the request's last line had (`same`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import compress, count
from operator import attrgetter, ne
from typing import Any

from slotproof_attach.ids import Ids, numbers
from slotproof_attach.life import UNKNOWN, Life
from slotproof_attach.spelling import slots, word

Column = Sequence[Any]
SAME = ',"same":true'
PARTS = 5
"""How many a decode row has: text, start and length, text, count, text."""
FEW = 8
REMEMBERED = 1 << 17


class Written(dict[int, str]):
    """How numbers (and what is one less) are written: counters of a batch come again and again."""

    def __init__(self, form: str) -> None:
        super().__init__()
        self._form = form

    def __missing__(self, number: int) -> str:
        found = self[number] = self._form.format(number - 1, number)
        return found

    def trim(self) -> None:
        """Forget them all where they have become too many."""
        if len(self) > REMEMBERED:
            self.clear()


class Rows:
    """Makes the lines of batches and results, and remembers what the ones before have shown."""

    def __init__(self) -> None:
        self._numerals, self._lengths = Written("{1}"), Written('{0},"len":{1}')
        self._decoded: list[Life] = []
        self._decode_columns: tuple[Column, ...] = ()
        self._decode_pieces: list[str] = []
        self._processed: list[Life] = []
        self._aheads: Column = []
        self._process_columns: tuple[Column, ...] = ()
        self._process_pieces: list[str] = []
        self._process_text = ""
        self._unlike_decode: set[Life] = set()
        """Requests of which something else has been shown since the last decode line, or is to be."""
        self._unlike_process: set[Life] = set()

    def look_at(self, life: Life) -> None:
        """Something of a request has changed: its next rows are made anew."""
        self._unlike_decode.add(life)
        self._unlike_process.add(life)

    def forget(self, life: Life) -> None:
        """A request is over."""
        self._unlike_decode.discard(life)
        self._unlike_process.discard(life)

    def prefill(
        self, b: int, rows: list[Any], slot_ids: Ids | None, copies: tuple[Ids, Ids] | None, clears: Ids
    ) -> str:
        """Return the line of a batch with prefill rows, and perhaps decode rows."""
        marked = None if slot_ids is None else numbers(slot_ids)
        lengths: dict[int, tuple[int, Life]] = {}
        parts = []
        for place, (life, prefill, start, length, mark, pos, next_, last, steps) in enumerate(rows):
            lengths[life.working] = (start, life)
            marks = "[]"
            if mark is not None and marked is not None:
                marks = f'[{{"len":{mark},"slot":{word(_slot(marked[place]))},"pos":{pos}}}]'
            reads = "null" if prefill and start == 0 else word(_slot(life.working))
            kind, counted = ("prefill", "") if prefill else ("decode", f',"count":{steps}')
            parts.append(
                f'{life.head()},"kind":"{kind}","start":{start},"len":{length},"reads":{reads},'
                f'"writes":{word(_slot(life.working))},"marks":{marks}{counted}{self._shows(life, next_, last)}}}'
            )
            self.look_at(life)
        extra = ""
        cleared = numbers(clears)
        if cleared:
            extra = f',"clears":{slots(cleared)}'
        if copies is not None:
            made = [
                _copy(source, target, lengths.get(target))
                for source, target in zip(numbers(copies[0]), numbers(copies[1]), strict=True)
            ]
            extra += f',"copies":[{",".join(made)}]'
        return f'{{"e":"launch","b":{b},"rows":[{",".join(parts)}]{extra}}}'

    def decode(
        self, b: int, lives: list[Life], lengths: Any, counts: Column, nexts: Column, lasts: Column | None, mark: Any
    ) -> str:
        """Return the line of a decode batch; `mark`: which rows write a checkpoint, at which positions, into what."""
        lens = lengths.tolist()
        columns = (nexts, lasts) if lasts is not None else (nexts,)
        marked = {} if mark is None else _marks(*mark)
        if lives == self._decoded:
            unlike = differing(columns, self._decode_columns)
        else:
            self._decoded = lives
            rows = [piece for life in lives for piece in life.decode or _plain_row(life)]
            self._decode_pieces = ["", *rows, "]}"]
            unlike = unshown(lives, columns)
        self._decode_columns = columns
        unlike = self._named(lives, self._unlike_decode, unlike)
        pieces = self._decode_pieces[:]
        for place in unlike | marked.keys():
            last = UNKNOWN if lasts is None else lasts[place]
            row = self._decode_row(lives[place], marked.get(place), lens[place], nexts[place], last)
            pieces[1 + PARTS * place : 1 + PARTS * place + PARTS] = row
        for written in (self._numerals, self._lengths):
            written.trim()
        pieces[2::PARTS] = map(self._lengths.__getitem__, lens)
        pieces[4::PARTS] = map(self._numerals.__getitem__, counts)
        pieces[0], pieces[-2] = f'{{"e":"launch","b":{b},"rows":[', pieces[-2][:-1]
        return "".join(pieces)

    def process(
        self,
        b: int,
        lives: list[Life],
        skipped: list[bool] | None,
        done: list[bool] | None,
        columns: tuple[Column, Column | None, Column],
        aheads: Column,
    ) -> str:
        """Return the line of a result; `columns`: next, last and label of each row after it."""
        nexts, lasts, labels = columns
        now = (nexts, labels) if lasts is None else (nexts, lasts, labels)
        if lives == self._processed and aheads == self._aheads:
            unlike = differing(now, self._process_columns)
        else:
            self._processed, self._aheads, self._process_text = lives, aheads, ""
            self._process_pieces = [
                life.results.get(ahead) or _result_piece(life, ahead) for life, ahead in zip(lives, aheads, strict=True)
            ]
            unlike = unshown(lives, now, "next", "label") if lasts is None else unshown(lives, now)
        self._process_columns = now
        unlike = self._named(lives, self._unlike_process, unlike)
        if skipped is not None or done is not None:
            unlike |= {*place_of(skipped), *place_of(done)}
        if unlike:
            pieces = self._process_pieces[:]
            for place in unlike:
                over = "skipped" if skipped is not None and skipped[place] else ""
                over = over or ("done" if done is not None and done[place] else "")
                last = UNKNOWN if lasts is None else lasts[place]
                pieces[place] = self._result_row(lives[place], over, aheads[place], nexts[place], last, labels[place])
            text = ",".join(pieces)
        else:
            text = self._process_text = self._process_text or ",".join(self._process_pieces)
        return f'{{"e":"process","b":{b},"rows":[{text}]}}'

    def _named(self, lives: list[Life], named: set[Life], unlike: set[int]) -> set[int]:
        """Add the places of requests that have shown, or are to show, something since their last row of a kind."""
        if named:
            here = named.intersection(lives) if len(named) > FEW else [life for life in named if life in lives]
            unlike.update(map(lives.index, here))
            named.difference_update(here)
        return unlike

    def _result_row(self, life: Life, over: str, ahead: object, next_: Any, last: Any, label: Any) -> str:
        if over == "skipped":
            return f'{life.head()},"skipped":true,"done":false}}'
        if over == "done":
            return f'{life.head()},"skipped":false,"done":true{_ahead(ahead)}}}'
        shown = self._shows(life, next_, last, label)
        if shown != SAME:
            self._unlike_decode.add(life)
        return f'{life.head()},"skipped":false,"done":false{_ahead(ahead)}{shown}}}'

    def _decode_row(
        self, life: Life, mark: tuple[int, int] | None, length: int, next_: Any, last: Any
    ) -> tuple[str, ...]:
        shown = self._shows(life, next_, last)
        if shown != SAME:
            self._unlike_process.add(life)
        marks = "" if mark is None else f'{{"len":{length},"slot":{word(_slot(mark[1]))},"pos":{mark[0]}}}'
        return _row(life, marks, shown)

    def _shows(self, life: Life, next_: Any, last: Any, label: Any = UNKNOWN) -> str:
        """Return what a row shows of its request, of which the lines so far have shown something else or nothing."""
        shown = ""
        if next_ != life.next:
            shown = f',"next":{word(next_)}'
            life.next = next_
        if last is not UNKNOWN and last != life.last:
            shown += f',"last":{word(last)}'
            life.last = last
        if label is not UNKNOWN and label != life.label:
            shown += f',"last_len":{word(label)}'
            life.label = label
        if life.ring is not life.shown:
            shown += f',"ring":{slots(life.ring)}'
            life.shown = life.ring
        return shown + SAME


def differing(columns: tuple[Column, ...], before: tuple[Column, ...]) -> set[int]:
    """Return the places at which columns are not what they were."""
    found: set[int] = set()
    for column, other in zip(columns, before, strict=True):
        if column != other:
            found.update(compress(count(), map(ne, column, other)))
    return found


def unshown(lives: list[Life], columns: tuple[Column, ...], *fields: str) -> set[int]:
    """Return the places of requests of which no line has shown what is so now."""
    found = {place for place, life in enumerate(lives) if life.ring is not life.shown}
    for column, field in zip(columns, fields or ("next", "last", "label"), strict=False):
        found.update(compress(count(), map(ne, column, map(attrgetter(field), lives))))
    return found


def place_of(flags: Sequence[int] | None) -> Iterable[int]:
    """Return where a flag stands."""
    return compress(count(), flags or ())


def _slot(number: int) -> int | None:
    return None if number < 0 else number


def _ahead(ahead: object) -> str:
    return "" if ahead is None else f',"lookahead":{ahead}'


def _copy(source: int, target: int, row: tuple[int, Life] | None) -> str:
    who = "" if row is None else f',"r":{row[1].text}'
    return f'{{"from":{word(_slot(source))},"to":{word(_slot(target))},"len":{0 if row is None else row[0]}{who}}}'


def _marks(mask: Any, positions: Sequence[int], ids: Ids) -> dict[int, tuple[int, int]]:
    """Return position and slot of the rows that write a checkpoint."""
    places = list(place_of(numbers(mask)))
    if not places:
        return {}
    found = numbers(ids)
    return {place: (positions[place], found[place]) for place in places}


def _row(life: Life, marks: str, shown: str) -> tuple[str, ...]:
    """Return the parts of a decode row; the second and the fourth are numbers."""
    works = f'"reads":{word(_slot(life.working))},"writes":{word(_slot(life.working))}'
    head = f'{life.head()},"kind":"decode","start":'
    return head, "", f',{works},"marks":[{marks}],"count":', "", f"{shown}}},"


def _plain_row(life: Life) -> tuple[str, ...]:
    life.decode = _row(life, "", SAME)
    return life.decode


def _result_piece(life: Life, ahead: object) -> str:
    text = f'{life.head()},"skipped":false,"done":false{_ahead(ahead)},"same":true}}'
    life.results[ahead] = text
    return text
