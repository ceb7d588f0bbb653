"""Whether a trace follows a design: where the two part, and which guard or decision differs."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from checker.command.console import printable, say_all
from checker.exit_codes import INCONCLUSIVE, SHOWN, VIOLATED
from checker.traces.conformance.divergence import Conformity, DesignAnswer, Divergence, Place
from checker.traces.judge_file import Judgement


def exit_code(judged: Judgement) -> int:
    """Return the exit code of conformance alone; where it was not asked for, nothing speaks against the trace."""
    if judged.conformity is None or judged.conformity.conforms:
        return SHOWN
    return VIOLATED if judged.conformity.divergence is not None else INCONCLUSIVE


def data(judged: Judgement) -> object:
    """Return the outcome for a machine; None: it was not asked for."""
    return msgspec.to_builtins(judged.conformity)


def lines(judged: Judgement) -> list[str]:
    """Return the outcome; none, if it was not asked for."""
    return conformance_lines(judged.conformity, str(judged.path)) if judged.conformity is not None else []


def show(judged: Judgement) -> None:
    """Print the outcome."""
    say_all(map(printable, lines(judged)))


def conformance_lines(result: Conformity, path: str) -> list[str]:
    """Return the outcome for the trace at `path`: one headline, then, if it diverges, what, where and why."""
    told = result.divergence
    if told is None and result.not_covered:
        words = f"conforms up to line {result.line - 1}, not covered from there: {path} has {result.not_covered}"
        return [f"{words}, which the spec does not have yet (design {result.design}, {result.events} events)"]
    if told is None:
        return [f"conforms: {path} is what {result.design} does ({result.events} events)"]
    return [
        f"diverges: {path} is not what {result.design} does, from line {told.line} on",
        *divergence_lines(told),
        *_rest(result),
    ]


def _rest(result: Conformity) -> Iterator[str]:
    """Return what follows the first difference: others, and from where on nothing was compared."""
    for told in result.more:
        yield from divergence_lines(told)
    if result.not_covered:
        yield f"  not covered from line {result.line}: {result.not_covered}"


def divergence_lines(told: Divergence) -> list[str]:
    """One difference: event, field, both values, the guard or the decisions, and what would have been accepted."""
    relation = "of" if told.event in ("prefill", "prepare", "process") else "after"
    batch = "" if told.batch is None else f" {relation} batch {told.batch}"
    who = "" if told.request is None else f", request {told.request}"
    lines = [f"  line {told.line}: {told.event}{batch}{who}"]
    if told.guard is not None:
        place, stated = told.guard.place, told.guard.property
        kind = "this guard is false" if stated is None else f"this violates {stated}"
        lines += [f"    the spec's action can't happen here; {kind}:", f"      {_place(place)}"]
        if told.field != "event":
            lines.append(f"    {told.field}: expected {_value(told.expected)}, seen {_value(told.seen)}")
    else:
        lines.append(f"    {told.field}: expected {_value(told.expected)}, seen {_value(told.seen)}")
    if told.why:
        lines.append(f"    because {told.why}")
    lines += [f"    the expected value was written at {_place(place)}" for place in told.written[-3:]]
    if not told.written and told.guard is None and told.field in ("next", "last", "last_len", "ring"):
        lines.append("    nothing in this step of the design changes it")
    if told.answers:
        lines.append(f"    the trace is accepted if {' and '.join(map(_answer, told.answers))}")
    else:
        lines += [f"    {_consulted(answer)}" for answer in told.consulted]
        lines.append(f"    {accepted(told)}")
    if told.times > 1:
        lines.append(f"    the trace differs like this {told.times} times; nothing else depends on it")
    return lines


def accepted(told: Divergence) -> str:
    """What would have been accepted, where no decision explains the difference."""
    if told.guard is not None:
        return "no answer of the design makes this event possible; accepted is one for which that condition holds"
    return f"no few answers of the design explain it; accepted is {told.field} = {_value(told.expected)}"


def _answer(answer: DesignAnswer) -> str:
    about = f" ({answer.about})" if answer.about else ""
    return f"`{answer.decision}`{about} answers {_plain(answer.instead)} instead of {_plain(answer.answered)}"


def _consulted(answer: DesignAnswer) -> str:
    about = f" ({answer.about})" if answer.about else ""
    return f"`{answer.decision}`{about} answered {_plain(answer.answered)} and has a say in it"


def _plain(value: int | bool | None) -> str:
    return "ABSENT" if value == -1 and not isinstance(value, bool) else str(value)


def _place(place: Place) -> str:
    return f"{place.file}:{place.line} ({place.function}): {place.text}"


def _value(value: object) -> str:
    if value is None:
        return "absent"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_value(inner) for inner in value) + "]"
    return str(value)
