"""The rows of a batch and of its result. Nearly every row of a run says that nothing has changed but three counters.

So the text of such a row is kept with its request, with places for the counters, and the whole line is made by one
call. A row that shows something is made anew: what it leaves out is what the request's last line had (`same`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from slotproof_attach.ids import Ids, numbers
from slotproof_attach.life import UNKNOWN, Life
from slotproof_attach.spelling import slots, word

Column = Sequence[Any]
PLAIN = ',"marks":[],"count":%d,"same":true}'


class Rows:
    """Makes the lines of batches and results, and remembers what the ones before have shown."""

    def __init__(self) -> None:
        self._decoded: tuple[list[Life], Column, Column] = ([], [], [])
        self._decode_text = ""
        self._processed: tuple[list[Life], Column, Column, Column, Column] = ([], [], [], [], [])
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
        for place, (life, prefill, start, length, mark, pos, next_, last, count) in enumerate(rows):
            lengths[life.working] = (start, life)
            marks = "[]"
            if mark is not None and marked is not None:
                marks = f'[{{"len":{mark},"slot":{word(_slot(marked[place]))},"pos":{pos}}}]'
            reads = "null" if prefill and start == 0 else word(_slot(life.working))
            kind, counted = ("prefill", "") if prefill else ("decode", f',"count":{count}')
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
        size = len(lives)
        lens = lengths.tolist()
        lasts = lasts if lasts is not None else [UNKNOWN] * size
        marked = {} if mark is None else _marks(*mark)
        unlike = self._unlike(lives, self._unlike_decode, (lives, nexts, lasts), self._decoded)
        same = not unlike and not marked and lives == self._decoded[0]
        if not same:
            pieces = [life.decode or _decode_piece(life) for life in lives]
            for place in unlike | marked.keys():
                life = lives[place]
                pieces[place] = self._decode_row(life, marked.get(place), lens[place], nexts[place], lasts[place])
            text = '{"e":"launch","b":%d,"rows":[' + ",".join(pieces) + "]}"
            # A line with something special in it is no pattern for the next one.
            self._decode_text = "" if unlike or marked else text
        elif not self._decode_text:
            text = self._decode_text = (
                '{"e":"launch","b":%d,"rows":['
                + ",".join([life.decode or _decode_piece(life) for life in lives])
                + "]}"
            )
        else:
            text = self._decode_text
        self._decoded = (lives, nexts, lasts)
        self._unlike_decode.difference_update(lives)
        values = [b] * (3 * size + 1)
        values[1::3] = [length - 1 for length in lens]
        values[2::3] = lens
        values[3::3] = counts
        return text % tuple(values)

    def process(
        self,
        b: int,
        lives: list[Life],
        skipped: list[bool] | None,
        done: list[bool] | None,
        columns: tuple[Column, Column | None, Column, Column],
    ) -> str:
        """Return the line of a result; `columns`: next, last, label and lookahead of each row after it."""
        size = len(lives)
        nexts, lasts, labels, aheads = columns
        lasts = lasts if lasts is not None else [UNKNOWN] * size
        state = (lives, nexts, lasts, labels, aheads)
        if skipped is None and done is None:
            unlike = self._unlike(lives, self._unlike_process, state, self._processed)
            if not unlike and lives == self._processed[0] and self._process_text and aheads == self._processed[4]:
                self._processed = state
                return f'{{"e":"process","b":{b},"rows":[{self._process_text}]}}'
        else:
            unlike = set(range(size))
        self._unlike_process.difference_update(lives)
        parts = [
            life.results.get(ahead) or _result_piece(life, ahead) for life, ahead in zip(lives, aheads, strict=True)
        ]
        for place in unlike:
            life, ahead = lives[place], aheads[place]
            if skipped is not None and skipped[place]:
                parts[place] = f'{life.head()},"skipped":true,"done":false}}'
            elif done is not None and done[place]:
                parts[place] = f'{life.head()},"skipped":false,"done":true{_ahead(ahead)}}}'
            else:
                shown = self._shows(life, nexts[place], lasts[place], labels[place])
                if shown != ',"same":true':
                    self._unlike_decode.add(life)
                parts[place] = f'{life.head()},"skipped":false,"done":false{_ahead(ahead)}{shown}}}'
        text = ",".join(parts)
        self._process_text = "" if unlike else text
        self._processed = state
        return f'{{"e":"process","b":{b},"rows":[{text}]}}'

    def _unlike(self, lives: list[Life], named: set[Life], now: tuple[Any, ...], before: tuple[Any, ...]) -> set[int]:
        """Return the places of rows that may have to show something: those whose numbers are not the ones before."""
        if lives != before[0]:
            # Others, or in another order: what each has shown decides.
            found = {i for i, life in enumerate(lives) if life.ring is not life.shown}
            for column, field in zip(now[1:4], ("next", "last", "label"), strict=False):
                found |= {
                    i
                    for i, (life, value) in enumerate(zip(lives, column, strict=True))
                    if getattr(life, field) != value
                }
        else:
            found = set()
            for column, other in zip(now[1:4], before[1:4], strict=True):
                if column != other:
                    found |= {i for i, (one, two) in enumerate(zip(column, other, strict=True)) if one != two}
        if named:
            found |= {i for i, life in enumerate(lives) if life in named}
        return found

    def _decode_row(self, life: Life, mark: tuple[int, int] | None, length: int, next_: Any, last: Any) -> str:
        shown = self._shows(life, next_, last)
        if shown != ',"same":true':
            self._unlike_process.add(life)
        marks = "" if mark is None else f'{{"len":{length},"slot":{word(_slot(mark[1]))},"pos":{mark[0]}}}'
        return f'{_decode_head(life)},"marks":[{marks}],"count":%d{shown}}}'

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
        return shown + ',"same":true'


def _slot(number: int) -> int | None:
    return None if number < 0 else number


def _ahead(ahead: object) -> str:
    return "" if ahead is None else f',"lookahead":{ahead}'


def _copy(source: int, target: int, row: tuple[int, Life] | None) -> str:
    who = "" if row is None else f',"r":{row[1].text}'
    return f'{{"from":{word(_slot(source))},"to":{word(_slot(target))},"len":{0 if row is None else row[0]}{who}}}'


def _marks(mask: Any, positions: Sequence[int], ids: Ids) -> dict[int, tuple[int, int]]:
    """Return position and slot of the rows that write a checkpoint."""
    wanted = mask if isinstance(mask, list) else mask.numbers()
    if not any(wanted):
        return {}
    found = numbers(ids)
    return {place: (positions[place], found[place]) for place, one in enumerate(wanted) if one}


def _decode_head(life: Life) -> str:
    working = word(_slot(life.working))
    head = life.head().replace("%", "%%")
    return f'{head},"kind":"decode","start":%d,"len":%d,"reads":{working},"writes":{working}'


def _decode_piece(life: Life) -> str:
    life.decode = _decode_head(life) + PLAIN
    return life.decode


def _result_piece(life: Life, ahead: object) -> str:
    text = f'{life.head()},"skipped":false,"done":false{_ahead(ahead)},"same":true}}'
    life.results[ahead] = text
    return text
