"""One check: a design (or a wrong edit, or a model of the user's own) to search in one scope, and what came of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

from checker.model.model import Arguments, Model, TakenStep
from checker.search import canary
from checker.search.audit import Audit
from checker.search.exploration import Exploration, Limits

HOLDS, NOT_AUDITED = "holds", "not audited"


@dataclass(frozen=True, slots=True)
class Check:
    """What to search, and what is expected of it."""

    scope: str
    """The scope's words; for a model of the user's own, its settings."""
    design: str = "slotproof"
    """A name, or the path of a design file."""
    edit: str = ""
    """The name of a wrong edit of the spec."""
    model: str = ""
    """The path of a model of the user's own."""
    expect: tuple[str, ...] = ()
    """The properties that must be violated; none: it must hold."""
    exactly: bool = False
    """Whether nothing else may be violated, and everything that is expected sometimes must be seen."""
    all: bool = False
    """Go on after the first violation, to the shortest one of every property that can be violated."""
    symmetry: bool = True
    """Whether states that differ only in names are one; where names turn out to matter, the search goes on without."""
    insist: bool = False
    """Where names turn out to matter, refuse to search."""
    bits: int = 64
    """Bits of a fingerprint: 64, or 128."""
    limits: Limits = dataclasses.field(default_factory=Limits)
    last_resort: bool = False
    """Whether the process is ended where the limit of time can be kept in no other way."""

    @property
    def file(self) -> str:
        """The file of the user's own that is checked; empty: none is."""
        return self.model or (self.design if self.design.endswith(".py") else "")

    @property
    def is_foreign(self) -> bool:
        """Whether it is about a file of the user's own; of ours the tests know whether names matter."""
        return bool(self.model) or self.design.endswith(".py")

    @property
    def subject(self) -> str:
        """What is checked, in a word."""
        if self.model == canary.FILE:
            return "the canary"
        return self.model or (f"edit {self.edit}" if self.edit else self.design)


@dataclass(slots=True)
class Outcome:
    """What a check has shown."""

    check: Check
    scope: str
    exploration: Exploration
    steps: dict[str, list[tuple[str, Arguments]]]
    """For each violated property the shortest run, as action names and arguments."""
    audit: Audit = dataclasses.field(default_factory=Audit)
    """The native tries that were held against the search."""
    symmetry: str = "full"
    """full: names do not matter, and states that differ in them were one; none, with the reason: each was looked at."""
    unread: dict[str, str] = dataclasses.field(default_factory=dict)
    """Fields of a user's model that no text of it reads in this scope, each with its place."""
    unlisted: dict[str, str] = dataclasses.field(default_factory=dict)
    """What a user's model declares and lists nowhere: it was not looked at."""

    @property
    def idle(self) -> list[str]:
        """Actions that were never enabled."""
        return [name for name, count in self.exploration.taken.items() if not count]

    @property
    def status(self) -> str:
        """One of: holds, violated, vacuous, cut short, not audited."""
        if self.exploration.counterexamples:
            return "violated"
        if self.exploration.cut:
            return "cut short"
        if self.is_vacuous():
            return "vacuous"
        return HOLDS if self.audit.enough else NOT_AUDITED

    def is_vacuous(self) -> bool:
        """Whether a complete search shows less than it seems to: something was never seen, possible or asked."""
        found = self.exploration
        return bool(found.unseen or self.idle or not found.transitions or not found.asked)

    @property
    def as_expected(self) -> bool:
        """Whether the check shows what it should; what was not audited shows nothing."""
        if not self.audit.enough:
            return False
        if self.check.exactly and (
            self.exploration.unseen or set(self.exploration.counterexamples) - {*self.check.expect}
        ):
            return False
        if self.check.expect:
            return all(name in self.exploration.counterexamples for name in self.check.expect)
        return self.status == HOLDS

    @property
    def settled(self) -> bool:
        """Whether it passed, and would again: no limit of time has a part in it, and no file of a user's own."""
        timed = self.check.limits.seconds is not None or bool(self.exploration.cut)
        return self.as_expected and not timed and self.check.file in ("", canary.FILE)


def stored(steps: Sequence[TakenStep]) -> list[tuple[str, Arguments]]:
    """Return a run as names and arguments, which any process can read; `taken` is the way back."""
    return [(step.action.name, step.arguments) for step in steps]


def taken(model: Model, steps: Sequence[tuple[str, Arguments]]) -> list[TakenStep]:
    """Return a run of a model from names and arguments."""
    actions = {action.name: action for action in model.actions}
    return [TakenStep(actions[name], arguments) for name, arguments in steps]
