"""What can be proved of a repaired design: our lemmas where they hold, weaker ones for a prefill that is named early.

A design that lets a prefill's claim become `last` before it has been written breaks lemmas that only ours promises. The
weaker ones say what is left; of all of them those that are inductive together are kept, and the properties shown.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import spec.model
from checker.model.model import Model
from checker.proof.induction import PROVED, Induction, inductive_subset
from checker.proof.matrix import CORE, parse
from spec.design import Design
from spec.language import ABSENT, Property, lemma
from spec.lemmas import LEMMAS, before_claims
from spec.rows import awaits_write, claims
from spec.scope import EAGER
from spec.state import IN_USE, RUNNING, Request, RequestId, State, Text


def _names(design: Design) -> bool:
    return design.names_prefill_at_preparation()


def _names_eagerly(design: Design) -> bool:
    return design.names_prefill_at_preparation() and design.scope.mode == EAGER


def prefill_pending(s: State, request: RequestId) -> bool:
    """Whether the result of the request's prefill has not been processed."""
    return any(batch.rows[request].present and batch.rows[request].decode_count == 0 for batch in s.batches)


@lemma(_names, each=RUNNING)
def prefill_is_named(s: State, design: Design, number: RequestId, request: Request) -> bool:
    """While its prefill is pending, `last` and label are the prefill's claim; a later claim in place took it back."""
    if prefill_pending(s, number):
        if request.owed != ABSENT:
            return False
        for index, batch in enumerate(s.batches):
            row = batch.rows[number]
            if row.present and row.decode_count == 0:
                later = any(
                    place > index and other.rows[number].mark != ABSENT and other.rows[number].slot == row.slot
                    for place, other in enumerate(s.batches)
                )
                if row.mark != ABSENT and request.last != row.position:
                    return False
                if request.last_len != (ABSENT if later else row.mark):
                    return False
    return True


@lemma(_names, each=RUNNING)
def label_is_written_in_the_end(s: State, design: Design, number: RequestId, request: Request) -> bool:
    """Once its prefill is processed, a labelled slot holds the label's state, and nothing in flight will write it."""
    if request.last_len != ABSENT:
        slot = request.ring[request.last]
        if request.last_len <= 0 or slot == ABSENT:
            return False
        if not prefill_pending(s, number):
            if s.holds[slot] != Text(request.family, request.last_len):
                return False
            return not awaits_write(s, slot) and not claims(s, number, slot)
    return True


@lemma(_names_eagerly, each=IN_USE)
def claims_stay_in_order(s: State, design: Design, number: RequestId, request: Request) -> bool:
    """Eager: `next` is due, pending claims lie right before it, and a processed label lies before them."""
    position = before_claims(s, number, design)
    if request.next != request.due or position == ABSENT:
        return False
    return request.last_len == ABSENT or prefill_pending(s, number) or request.last == position


@lemma(_names, each=IN_USE)
def owed_in_the_end(s: State, design: Design, number: RequestId, request: Request) -> bool:
    """Once its prefill is processed, what a request owes the cache is what its label says, at `last`."""
    if (request.owed == ABSENT) != (request.owed_at == ABSENT):
        return False
    if prefill_pending(s, number):
        return True
    return request.owed == request.last_len and (request.owed == ABSENT or request.owed_at == request.last)


WEAKER: tuple[Property, ...] = (
    prefill_is_named,
    label_is_written_in_the_end,
    claims_stay_in_order,
    owed_in_the_end,
)


@dataclass(slots=True)
class Standing:
    """What induction shows of a design, for every length, any boundary pattern and any number of other requests."""

    scope: str
    dropped: list[str] = field(default_factory=list)
    """Lemmas of ours that are not inductive for the design."""
    weaker: list[str] = field(default_factory=list)
    """Weaker lemmas that the proof stands on."""
    unproved: list[str] = field(default_factory=list)
    """Obligations of properties that do not follow."""

    @property
    def proved(self) -> bool:
        """Whether every property follows."""
        return not self.unproved


def _model(design: type[Design], mode: str, lemmas: list[Property]) -> Model:
    scope = parse(f"{CORE} mode={mode}")
    stated = [each for each in spec.model.properties if each.kind != "lemma"]
    return Model(spec.model, scope, design(scope)).with_(properties=(*stated, *lemmas))


def stand(design: type[Design], mode: str) -> Standing:
    """Drop what is not inductive for the design out of our lemmas and the weaker ones; show what follows."""
    pool = _model(design, mode, [*LEMMAS, *WEAKER])
    kept = inductive_subset(pool)
    ours = {each.name for each in LEMMAS}
    applying = [each.name for each in pool.of_kind("lemma")]
    result = Standing(
        str(pool.scope),
        dropped=[name for name in applying if name in ours and name not in kept],
        weaker=[name for name in applying if name not in ours and name in kept],
    )
    model = _model(design, mode, [each for each in (*LEMMAS, *WEAKER) if each.name in kept])
    induction = Induction(model)
    shown = induction.show(dict.fromkeys(induction.lemmas, ""), seconds=20.0)
    result.unproved = [each.name for each in shown if each.verdict != PROVED and each.target != "possible"]
    return result
