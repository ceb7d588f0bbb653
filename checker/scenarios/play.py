"""A script played on the spec, item by item: what happens, what is as expected, and what nobody expected."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import spec.model
from checker.explain.failing_condition import false_clause, violated_clause
from checker.explain.lanes import CPU
from checker.explain.narrate import launched, say
from checker.model.model import Model, TakenStep
from checker.model.replay import Replay
from checker.scenarios.commands import Command
from checker.scenarios.expectations import Expectation
from checker.scenarios.moment import Moment
from checker.scenarios.timeline import ScenarioTimeline
from spec.design import Design
from spec.language import Disabled
from spec.scope import Scope
from spec.state import State


@dataclass(frozen=True, slots=True)
class Failure:
    """An expectation that was not met, or a violation or step that nobody expected."""

    line: int
    column: int
    message: str


@dataclass(slots=True)
class Played:
    """What playing a scenario gave."""

    text: str = ""
    """The timeline."""
    failed: list[Failure] = field(default_factory=list)
    met: int = 0
    """How many expectations were met."""
    steps: list[TakenStep] = field(default_factory=list)
    """The steps taken, for a replay."""


class Player:
    """One run of a script."""

    def __init__(self, title: str, scope: Scope, design: Design) -> None:
        self.model = Model(spec.model, scope, design)
        self.run = Replay(self.model)
        self.moment = Moment(scope, design, self.run.state, {})
        self.command: Command | None = None
        self.awaited: set[str] = set()
        """Violations that the script expects of the last step."""
        self.standing: set[str] = set()
        """Always-properties that were violated before the last step already."""
        self.launches = 0
        self.played = Played()
        self.timeline = ScenarioTimeline(title, scope, design)

    def play(self, items: Iterable[Command | Expectation | str]) -> Played:
        """Play everything and return the timeline and what failed."""
        for item in items:
            if isinstance(item, Command):
                self._complete_step()
                self._step(item)
            elif isinstance(item, Expectation):
                self._expect(item)
            else:
                self.timeline.prose(item)
        self._complete_step()
        failed = len(self.played.failed)
        total = f"{len(self.played.steps)} steps, {self.played.met} expectations met"
        self.timeline.total(total + (f", {failed} FAILED" if failed else ""))
        self.played.text = self.timeline.text
        return self.played

    def _fail(self, line: int, column: int, message: str) -> None:
        self.played.failed.append(Failure(line, column, message))

    # Steps.

    def _step(self, command: Command) -> None:
        if self.moment.after is None:
            raise command.error(
                "the step before was cut short by a violation; nothing can follow it", self.timeline.text
            )
        before: State = self.run.state
        taken = command.taken(before, self.model.scope)
        self._check_choices(command, taken)
        self.command = command
        after: State | None = self.run.state if self.run.take(taken) else None
        if isinstance(self.run.failure, Disabled):
            self._disabled(command, self.run.failure)
            return
        found = self.run.violated()
        self.played.steps.append(taken)
        lane, words = say(self.model, self.launches, before, taken, after)
        self.timeline.step(str(len(self.played.steps)), lane, words)
        self.standing = {name for name in self.standing if name in found}
        self.moment = Moment(self.model.scope, self.moment.design, after, found)
        self.launches += launched(before, after)
        if command.refused:
            self.timeline.note("FAILED", "refused", "the step may happen here")
            self._fail(command.line, command.column, f"`{command.text}` may happen here")

    def _check_choices(self, command: Command, taken: TakenStep) -> None:
        """Refuse arguments that no search of this scope would choose: a scenario plays only what is searched."""
        for (name, choices), value in zip(taken.action.choices.items(), taken.arguments, strict=True):
            if value not in choices(self.model.scope):
                message = f"{taken.action.name} takes no {name} of {value} in this scope; leave that clause out"
                raise command.error(message, self.timeline.text)

    def _disabled(self, command: Command, disabled: Disabled) -> None:
        clause = violated_clause(disabled, [self.run.state])
        why = disabled.why or clause.code
        if not command.refused:
            message = f"this step may not happen: {why} [{clause.where}: {clause.code}]"
            raise command.error(message, self.timeline.text)
        self.played.met += 1
        self.moment.violated = {}
        self.timeline.step("-", CPU, command.text)
        self.timeline.note("ok", "may not happen", why)

    # Expectations.

    def _expect(self, expectation: Expectation) -> None:
        unmet = expectation.unmet(self.moment)
        self.awaited.update(expectation.violations)
        if unmet:
            self._fail(expectation.line, expectation.column, f"`{expectation.text}`: {unmet}")
            self.timeline.note("FAILED", expectation.text, unmet)
        else:
            self.played.met += 1
            self.timeline.note("ok", expectation.text, "")
            for name in expectation.violations:
                self.timeline.note("", name, self.moment.violated[name])

    def _complete_step(self) -> None:
        """Before the next step: every violation that is new must have been expected."""
        prose = self.timeline.take_prose()
        for name, sentence in self.moment.violated.items():
            if name not in self.awaited and name not in self.standing and self.command is not None:
                self.timeline.note("FAILED", f"{name} is violated", sentence)
                self._explain(name)
                self._fail(
                    self.command.line,
                    self.command.column,
                    f"this step violates {name}; if that is the point, write below it: expect violation {name}",
                )
        always = {stated.name for stated in self.model.of_kind("always")}
        self.standing |= self.moment.violated.keys() & always
        self.awaited = set()
        self.timeline.put_back(prose)

    def _explain(self, name: str) -> None:
        """Write down the condition that broke a property, with its values."""
        for stated in self.model.properties:
            if stated.name == name and self.moment.after is not None:
                clause = false_clause(stated, self.run.spoken_of(stated), self.moment.design)
                for line in clause.lines if clause else ():
                    self.timeline.condition(line)
