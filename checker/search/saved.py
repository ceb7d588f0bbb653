"""A counterexample as data: saved under an id that a failing run prints, and found again by it.

`.slotproof/<id>.json` holds what was checked and the steps, each an action's name and its arguments.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from checker.exit_codes import BadInput
from checker.explain.reproduce import reproduce_line
from checker.model.model import Argument, Model, TakenStep

FOLDER = Path(".slotproof")
"""Where counterexamples lie, relative to the folder that the command runs in."""


class UnknownId(BadInput, ValueError):
    """No usable counterexample has this id; the message says which there are and how to make one."""


class OtherModel(BadInput, ValueError):
    """The steps of a counterexample do not fit the model they are read for; the message says which does not."""


class StoredStep(msgspec.Struct, frozen=True):
    """One step: the action's name and its arguments after (state, context); tuples are lists here."""

    action: str
    arguments: list[Any]


class Stored(msgspec.Struct, frozen=True, kw_only=True):
    """A counterexample and what it was found in; every text as it is spelled on a command line."""

    design: str
    """Name or file of the design; empty for a model without designs."""
    scope: str
    broken: str = msgspec.field(name="property")
    """Name of the property that it violates."""
    steps: list[StoredStep]
    model: str = ""
    """File of the model; empty: the protocol's own."""
    settings: list[str] = []
    """For a model from a file, its `--set` values, such as R=3."""

    @property
    def command(self) -> str:
        """The one line that finds this counterexample again."""
        return reproduce_line(self.design, self.scope, self.broken, self.model, self.settings)


def save(
    folder: Path,
    design: str,
    scope: object,
    property_name: str,
    steps: Iterable[TakenStep],
    model: str = "",
    settings: Sequence[str] = (),
) -> str:
    """Write a counterexample and return its id: 8 hex digits of a hash of all of it, so equal ones share a file."""
    stored = Stored(
        design=design,
        scope=str(scope),
        broken=property_name,
        steps=[StoredStep(step.action.name, [_plain(value) for value in step.arguments]) for step in steps],
        model=model,
        settings=list(settings),
    )
    content = msgspec.json.format(msgspec.json.encode(stored), indent=1)
    identity = hashlib.sha256(content).hexdigest()[:8]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{identity}.json").write_bytes(content + b"\n")
    return identity


def load(folder: Path, identity: str) -> Stored:
    """Read a counterexample; raises UnknownId where there is none, or where its file cannot be read."""
    known = sorted(path.stem for path in folder.glob("*.json"))
    if identity not in known:
        there = f"there {'is' if len(known) == 1 else 'are'} {', '.join(known)}" if known else "there is none yet"
        raise UnknownId(
            f"no counterexample {identity!r} in {folder}: {there}. A failing run writes one and prints its id; to make "
            "it again, run the line that the failing run ended with"
        )
    path = folder / f"{identity}.json"
    try:
        return msgspec.json.decode(path.read_bytes(), type=Stored)
    except (OSError, msgspec.DecodeError) as error:
        raise UnknownId(
            f"{path} cannot be read as a counterexample ({error}); delete it and run the line that the failing run "
            "ended with"
        ) from error


def steps_of(model: Model, stored: Stored) -> list[TakenStep]:
    """Return the steps of a counterexample for a model; raises OtherModel where the model has no such action."""
    actions = {action.name: action for action in model.actions}
    steps = []
    for number, step in enumerate(stored.steps, 1):
        action = actions.get(step.action)
        if action is None or len(action.choices) != len(step.arguments):
            raise OtherModel(
                f"step {number} of the counterexample, {step.action} with {len(step.arguments)} arguments, is no "
                f"action of this model, which has {', '.join(actions)}; another version saved it: "
                f"run {stored.command}"
            )
        steps.append(TakenStep(action, tuple(_frozen(value) for value in step.arguments)))
    return steps


def _plain(value: Argument) -> object:
    """Return an argument as JSON knows it; numpy's numbers become Python's."""
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    return bool(value) if isinstance(value, bool) else int(value)


def _frozen(value: object) -> object:
    return tuple(_frozen(part) for part in value) if isinstance(value, list) else value
