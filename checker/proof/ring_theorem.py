"""The ring-size theorem: how many positions the track ring needs, and that one fewer is not enough.

Three claims, each for lookahead L in 0..3 and interval K in 1..4. A bound is *enough* by complete search of a scope,
and by induction for every length; *one fewer* is not enough by a run that breaks the claim.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass

import spec.model
from checker.model.model import Model
from checker.proof.matrix import EVERY_LENGTH
from spec.design import Design
from spec.domains import supply_at_admission
from spec.language import ABSENT, Action, Property, always, lemma, step
from spec.lemmas import label_is_written
from spec.properties import ring_apart
from spec.rows import awaits_write, claim_at, claims
from spec.scope import EAGER, LAZY, Scope
from spec.state import IDLE, RUNNING, RequestId, Slot, State, Text


class NoGate(Design):
    """Our design without any gate: what has a label may be published, whatever is going to be written."""

    name = "no-gate"
    summary = "ours, but every publication is allowed: only the length of the ring protects a checkpoint"

    def may_publish(self, s: State, request: RequestId, slot: Slot) -> bool:
        """Nobody asks; label_survives and may_donate answer the same."""
        return True


apart_everywhere = always(each=RUNNING)(ring_apart.written)
"""The property ring-apart, claimed in rings of any length."""


@step()
def ring_has_room(before: State, after: State, design: Design) -> bool:
    """No lazy boundary row goes without a spare because every position of the ring is taken."""
    for number, event in enumerate(after.step.events):
        if event.no_spare and all(slot != ABSENT for slot in before.requests[number].ring):
            return False
    return True


@lemma()
def label_outlives_its_claims(s: State, design: Design) -> bool:
    """A labelled `last` is written; only the newest of L + 1 rows may target it, while the oldest completes another.

    In the shortest ring that is enough at a finish this is all that is true: the claim that comes round to `last` is
    launched just before the label moves on, and whoever finishes does so after that.
    """
    for number, request in enumerate(s.requests):
        if request.phase == RUNNING and request.last_len != ABSENT:
            slot = request.ring[request.last]
            if request.last_len <= 0 or slot == ABSENT:
                return False
            for index in range(design.scope.lookahead):
                row = s.batches[index].rows[number]
                if row.mark != ABSENT and row.slot == slot:
                    return False
            if claims(s, number, slot):
                if any(not batch.rows[number].present for batch in s.batches):
                    return False
                if s.batches[0].rows[number].mark == ABSENT:
                    return False
            elif s.holds[slot] != Text(request.family, request.last_len) or awaits_write(s, slot):
                return False
    return True


@lemma()
def ring_holds_what_is_used(s: State, design: Design) -> bool:
    """Lazy: a filled ring position is `last`, or a pending row has claimed it; a prefill's claim is at `last`."""
    for number, request in enumerate(s.requests):
        if request.phase == RUNNING:
            for batch in s.batches:
                row = batch.rows[number]
                if row.decode_count == 0 and row.mark != ABSENT and row.position != request.last:
                    return False
        if request.phase != IDLE:
            for position, slot in enumerate(request.ring):
                if slot != ABSENT and position != request.last and not claim_at(s, number, position):
                    return False
    return True


@dataclass(frozen=True, slots=True)
class RingClaim:
    """One of the claims of the theorem."""

    name: str
    sentence: str
    mode: str
    design: type[Design]
    rows: int
    """How many rows beyond L may hold a claim beside the checkpoint: the bound is 1 + ceil((L + rows) / K)."""
    broken_by: tuple[str, ...]
    """The properties of which a ring with one position fewer violates at least one."""
    properties: tuple[Property, ...] = ()
    """What is claimed or assumed beside the properties and lemmas of the spec."""
    without: tuple[Property, ...] = ()
    """What is not."""

    def bound(self, lookahead: int, interval: int) -> int:
        """Return the number of ring positions that is enough."""
        return 1 + math.ceil((lookahead + self.rows) / interval)


AT_A_FINISH = RingClaim(
    "at a finish",
    "eager, no gate at all: 1 + ceil(L / K) positions keep exact-label, no-inflight-target and checkpoint-not-lost",
    EAGER,
    NoGate,
    0,
    ("exact-label", "no-inflight-target", "checkpoint-not-lost"),
    (label_outlives_its_claims,),
    (label_is_written,),
)
AT_EVERY_MOMENT = RingClaim(
    "at every moment",
    "eager, no gate at all: 1 + ceil((L + 1) / K) positions keep every claim away from a labelled `last` (ring-apart)",
    EAGER,
    NoGate,
    1,
    ("ring-apart",),
    (apart_everywhere,),
    (ring_apart,),
)
LAZY_RING = RingClaim(
    "a lazy ring",
    "lazy: with 1 + ceil((L + 1) / K) positions no boundary row finds the ring full (ring-has-room)",
    LAZY,
    Design,
    1,
    ("ring-has-room",),
    (ring_has_room, ring_holds_what_is_used),
)
CLAIMS = (AT_A_FINISH, AT_EVERY_MOMENT, LAZY_RING)


@dataclass(frozen=True, slots=True)
class Task:
    """One question: a claim in one cell, asked of one ring, of a search or (proof) of the solver."""

    claim: int
    """Its place in CLAIMS."""
    lookahead: int
    interval: int
    fewer: bool = False
    """Whether the ring has one position fewer than the bound."""
    proof: bool = False

    @property
    def ring(self) -> int:
        """The number of positions."""
        return CLAIMS[self.claim].bound(self.lookahead, self.interval) - self.fewer


def scope_of(task: Task) -> Scope:
    """Return the scope of a task: long enough for two boundaries after a prefill and everything that runs ahead.

    Beside what the request owns there is one slot for the cache and one to replace a donated one; a proof does not
    bound lengths, and needs no slots beyond the request's own, the donated one and its replacement.
    """
    longest = 2 * task.interval + task.lookahead + 2
    return Scope(
        requests=1,
        slots=1 + task.ring + 1 + (not task.proof),
        nodes=1,
        interval=task.interval,
        ring=task.ring,
        lookahead=task.lookahead,
        mode=CLAIMS[task.claim].mode,
        max_len=EVERY_LENGTH if task.proof else longest,
    )


def model_of(task: Task) -> Model:
    """Return the spec as a task needs it.

    A ring with one position fewer must fail by the claim itself, so nothing else is stated there; and it must fail
    although a spare is always to be had, so no other request ever empties the pool there.
    """
    claim = CLAIMS[task.claim]
    stated = [each for each in spec.model.properties if each not in claim.without and each.kind != "postcondition"]
    stated += claim.properties
    actions: tuple[Action, ...] = spec.model.actions
    if task.fewer:
        stated = [each for each in stated if each.name in claim.broken_by]
        actions = tuple(
            dataclasses.replace(each, choices=each.choices | {"supply": supply_at_admission})
            if "supply" in each.choices and claim.mode == LAZY
            else each
            for each in actions
        )
    scope = scope_of(task)
    return Model(spec.model, scope, claim.design(scope)).with_(stated, actions)


def proof_of(number: int, lookahead: int, interval: int) -> Task:
    """Return the proof of a claim in one cell. Where the two eager bounds are the same number, so are their proofs."""
    claim = CLAIMS[number]
    if claim is AT_A_FINISH and claim.bound(lookahead, interval) == AT_EVERY_MOMENT.bound(lookahead, interval):
        number = CLAIMS.index(AT_EVERY_MOMENT)
    return Task(number, lookahead, interval, proof=True)
