"""A small model that uses every construct of the subset, so that no verdict rests on one that nobody has looked at.

The spec is written in part of the subset only. `slotproof verify` searches and audits this model beside it: what it
must violate it violates, and plain Python agrees with every reading of it. It means nothing in itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

from spec.language import (
    ABSENT,
    Ghost,
    Id,
    Per,
    Range,
    Transient,
    Vector,
    action,
    always,
    copy,
    guard,
    record,
    require,
    sometimes,
    step,
)

FILE: Final = str(Path(__file__))
MUST_FAIL: Final = ("well-formed", "no-overflow", "few-cells-are-high", "turn-goes-up", "owners-differ", "never-back")
"""What a search of it must find violated; the rest holds."""


@dataclass(frozen=True)
class Scope:
    """How many cells there are, and how high they count."""

    cells: int = 2
    top: int = 2


Number = Annotated[int, Range(0, "top")]


@record
class CanaryCell:
    """A number, a flag, and one of the cells."""

    value: Number
    flag: bool
    owner: Annotated[int, Id("cells")]


@record
class Told:
    """What the last step did."""

    picked: Annotated[int, Range(-9, 9)]
    both: bool


@record
class State:
    """The cells, numbers beside them, whose turn it is, and what only properties look at."""

    cells: Annotated[Vector[CanaryCell], Per("cells")]
    numbers: Vector[Number]
    turn: Number
    high: Annotated[bool, Ghost()]
    told: Annotated[Told, Transient()]


class Decisions:
    """Decisions that a design takes over."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.steps = (0, 1, scope.top)

    def limit(self, s: State, low: int = 0) -> int:
        """Return a number that depends on a branch of which the other side leaves."""
        if s.turn > low:
            return self.scope.top
        return 1


class Context(Decisions):
    """The decisions of this model: one calls what it overrides."""

    def limit(self, s: State, low: int = 0) -> int:
        """Return the same where the turn is even, else a number of its own."""
        return super().limit(s, low) if s.turn % 2 == 0 else max(1, self.scope.top - low)


def init(scope: Scope) -> State:
    """Return the first state."""
    return State(
        Vector(CanaryCell(0, False, ABSENT) for _ in range(scope.cells)),
        Vector(0 for _ in range(2)),
        0,
        False,
        Told(0, False),
    )


def cells(scope: Scope) -> Iterable[int]:
    """Return every cell."""
    return range(scope.cells)


def ways(scope: Scope) -> Iterable[int]:
    """Return the branches of an action."""
    return range(4)


def some(scope: Scope) -> Iterable[tuple[bool, ...]]:
    """Return a few sets of cells."""
    return [tuple(place != left for place in range(scope.cells)) for left in range(scope.cells + 1)]


def first_free(s: State) -> int:
    """Return the first cell without an owner, out of a loop that is left early."""
    for place, cell in enumerate(s.cells):
        if cell.flag:
            continue
        if cell.owner == ABSENT:
            return place
    return ABSENT


def raised(cell: CanaryCell, by: int = 1) -> int:
    """Return a cell's number and so many more, not above the end."""
    if cell.value + by > 2:
        return 2
    elif cell.value == 0 and by > 1:
        return 1
    else:
        return cell.value + by


@action(place=cells, way=ways)
def branch(s: State, c: Context, place: int, way: int) -> None:
    """Take one of four ways, the last of them an elif."""
    guard(s.numbers[0] == 0 or way != 2)
    cell = s.cells[place]
    step = 0
    if way == 0:
        step = 1
        cell.flag = not cell.flag
    elif way == 1:
        guard(0 < cell.value <= 1 or s.turn < 1 <= s.numbers[1])
        step = -1
    elif way == 2:
        cell.owner = (cell.owner + 2) % (c.scope.cells + 1) - 1
    elif way == 3:
        step = abs(cell.value - c.scope.top) // 2
        s.turn = 0 if s.turn >= c.scope.top else s.turn + 1
    cell.value = min(max(0, cell.value + step), c.scope.top)
    # An alias: the state's own cell has changed with it.
    s.told.picked = s.cells[place].value * 3 - cell.value
    s.high = s.high or cell.value >= c.scope.top


@action(chosen=some)
def many(s: State, c: Context, chosen: tuple[bool, ...]) -> None:
    """Change several cells: loops, early ends, sums and copies."""
    guard(any(chosen) and 1 <= s.turn <= 1)
    total = sum(cell.value for cell in s.cells if not cell.flag)
    for place in reversed(range(c.scope.cells)):
        if not chosen[place]:
            continue
        s.numbers[place % 2] = min(total, c.limit(s, low=1))
        s.cells[place].value = raised(s.cells[place], by=c.steps[s.numbers[place % 2] % 3])
    if all(cell.value > 0 for cell in s.cells):
        s.told.both = True
        return
    free = first_free(s)
    if free != ABSENT:
        s.cells[free] = CanaryCell(value=s.cells[free].value, flag=False, owner=free)
    s.turn -= 1


@action()
def swap(s: State, c: Context) -> None:
    """Exchange, replace and compare: records as values."""
    first, last = s.cells[0], s.cells[len(s.cells) - 1]
    guard(first != last and first.value not in (2, 5))
    s.numbers[0], s.numbers[1] = s.numbers[1], s.numbers[0]
    kept = copy(first)
    s.cells[0] = copy(last)
    s.cells[len(s.cells) - 1] = kept
    for number, (one, other) in enumerate(zip(s.cells, s.numbers)):
        if one.value == other:
            s.told.picked += number + int(one.flag)
    s.told.picked = -s.told.picked if s.told.picked > 1 else s.told.picked


@action(place=cells)
def over(s: State, c: Context, place: int) -> None:
    """Go too far: an index outside its vector, a number outside its range, a requirement."""
    guard(s.cells[place].owner != ABSENT)
    require(not (s.cells[place].flag and s.cells[place].value > 1), "no-overflow")
    s.numbers[s.cells[place].value] += 1
    s.cells = Vector(copy(cell) for cell in s.cells)


@always()
def turns_are_numbers(s: State, c: Context) -> bool:
    """It holds: a chain of comparisons."""
    return 0 <= s.turn <= c.scope.top and not (s.turn > 0 > s.numbers[0])


@always()
def no_overflow(s: State, c: Context) -> bool:
    """It holds of every state; what an action requires under the same name does not."""
    return all(cell.value <= c.scope.top for cell in s.cells)


@always()
def few_cells_are_high(s: State, c: Context) -> bool:
    """It fails: not all cells count to the end."""
    for cell in s.cells:
        if cell.value < c.scope.top:
            return True
    return s.turn == 0


@step()
def numbers_stay(before: State, after: State, c: Context) -> bool:
    """It holds: what is seen as high once stays so."""
    if before.high:
        return after.high
    return True


@step()
def turn_goes_up(before: State, after: State, c: Context) -> bool:
    """It fails: the turn starts again."""
    return after.turn >= before.turn or after.told.both


@always()
def owners_differ(s: State, c: Context) -> bool:
    """It fails: no two cells have one owner; the last of its kind."""
    return not any(
        one.owner == other.owner != ABSENT
        for place, one in enumerate(s.cells)
        for number, other in enumerate(s.cells)
        if place < number
    )


@step()
def never_back(before: State, after: State, c: Context) -> bool:
    """It fails: no cell counts down by a step of its own; the last of its kind."""
    return all(old.value <= new.value or old.flag for old, new in zip(before.cells, after.cells))


@sometimes()
def both_at_once(before: State, after: State, c: Context) -> bool:
    """All cells have counted."""
    return after.told.both and not before.high


actions = (branch, many, swap, over)
properties = (
    turns_are_numbers,
    no_overflow,
    few_cells_are_high,
    numbers_stay,
    turn_goes_up,
    owners_differ,
    never_back,
    both_at_once,
)
symmetric = ()
