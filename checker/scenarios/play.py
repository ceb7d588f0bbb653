"""Plays the items of a scenario on the spec and writes its timeline."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import spec.model
from checker.explain.failing_condition import false_clause, violated_clause
from checker.explain.lanes import CPU, DEVICE, Lanes, broken
from checker.explain.narrate import launched, say
from checker.model.model import Model, TakenStep
from checker.model.replay import Replay
from checker.scenarios.commands import Command
from checker.scenarios.expectations import Expectation, Moment
from spec.design import Design
from spec.language import Disabled
from spec.scope import Scope
from spec.state import State

WIDTH = 100
_LANES = Lanes(6, 54, WIDTH, tied=True)


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
        self.reported = 0
        """Where the lines about the last step end; prose may follow."""
        self.launches = 0
        self.played = Played()
        self.lines: list[str] = [f"scenario {title}"]
        self._report("scope    ", str(scope))
        self._report("design   ", f"{design.name}: {design.summary}")
        self._report("", "")
        self._reported(_LANES.head())

    def play(self, items: Iterable[Command | Expectation | str]) -> Played:
        """Play everything and return the timeline and what failed."""
        for item in items:
            if isinstance(item, Command):
                self._settle()
                self._step(item)
            elif isinstance(item, Expectation):
                self._expect(item)
            else:
                self.lines.append("" if item == "\n" else f"# {item}".rstrip())
        self._settle()
        failed = len(self.played.failed)
        total = f"{len(self.played.steps)} steps, {self.played.met} expectations met"
        self.lines += ["", total + (f", {failed} FAILED" if failed else "")]
        self.played.text = self._text()
        return self.played

    def _text(self) -> str:
        return "\n".join(self.lines) + "\n"

    def _fail(self, line: int, column: int, message: str) -> None:
        self.played.failed.append(Failure(line, column, message))

    # Steps.

    def _step(self, command: Command) -> None:
        if self.moment.after is None:
            raise command.error("the step before was cut short by a violation; nothing can follow it", self._text())
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
        self._told(str(len(self.played.steps)), lane, words)
        self.standing = {name for name in self.standing if name in found}
        self.moment = Moment(self.model.scope, self.moment.design, after, found)
        self.launches += launched(before, after)
        if command.refused:
            self._note("FAILED", "refused", "the step may happen here")
            self._fail(command.line, command.column, f"`{command.text}` may happen here")

    def _check_choices(self, command: Command, taken: TakenStep) -> None:
        """Refuse arguments that no search of this scope would choose: a scenario plays only what is searched."""
        for (name, choices), value in zip(taken.action.choices.items(), taken.arguments, strict=True):
            if value not in choices(self.model.scope):
                message = f"{taken.action.name} takes no {name} of {value} in this scope; leave that clause out"
                raise command.error(message, self._text())

    def _disabled(self, command: Command, disabled: Disabled) -> None:
        clause = violated_clause(disabled, [self.run.state])
        why = disabled.why or clause.code
        if not command.refused:
            message = f"this step may not happen: {why} [{clause.where}: {clause.code}]"
            raise command.error(message, self._text())
        self.played.met += 1
        self.moment.violated = {}
        self._told("-", CPU, command.text)
        self._note("ok", "may not happen", why)

    # Expectations.

    def _expect(self, expectation: Expectation) -> None:
        unmet = expectation.unmet(self.moment)
        self.awaited.update(expectation.violations)
        if unmet:
            self._fail(expectation.line, expectation.column, f"`{expectation.text}`: {unmet}")
            self._note("FAILED", expectation.text, unmet)
        else:
            self.played.met += 1
            self._note("ok", expectation.text, "")
            for name in expectation.violations:
                self._note("", name, self.moment.violated[name])

    def _settle(self) -> None:
        """Before the next step: every violation that is new must have been expected."""
        prose = self.lines[self.reported :]
        del self.lines[self.reported :]
        for name, sentence in self.moment.violated.items():
            if name not in self.awaited and name not in self.standing and self.command is not None:
                self._note("FAILED", f"{name} is violated", sentence)
                self._explain(name)
                self._fail(
                    self.command.line,
                    self.command.column,
                    f"this step violates {name}; if that is the point, write below it: expect violation {name}",
                )
        always = {stated.name for stated in self.model.of_kind("always")}
        self.standing |= self.moment.violated.keys() & always
        self.awaited = set()
        self.lines += prose

    def _explain(self, name: str) -> None:
        """Write down the condition that broke a property, with its values."""
        for stated in self.model.properties:
            if stated.name == name and self.moment.after is not None:
                clause = false_clause(stated, self.run.spoken_of(stated), self.moment.design)
                for line in clause.lines if clause else ():
                    self._report(" " * 16 + line, "")

    # The timeline.

    def _note(self, mark: str, text: str, remark: str) -> None:
        self._report(f"      {mark:<8}", f"{text}{': ' + remark if remark else ''}")

    def _told(self, number: str, lane: str, words: str) -> None:
        """Write what a step did into its lane."""
        self._reported(*_LANES.rows(f"{number:>4}", **{"device" if lane == DEVICE else "cpu": words}))

    def _report(self, head: str, text: str) -> None:
        """Write lines about the last step: the text beside the head, broken where it is too long."""
        self._reported(*(broken(text, WIDTH, head, tied=True) or [head.rstrip()]))

    def _reported(self, *lines: str) -> None:
        self.lines += lines
        self.reported = len(self.lines)
