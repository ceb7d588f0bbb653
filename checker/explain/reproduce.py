"""The line that performs a check again: every failing run ends with one."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Sequence

from spec.scope import BadScope, Scope

_ALWAYS_SPELLED = ("requests", "slots", "nodes", "max_len")
"""Parts of a scope that a command line names even where they have their default: they bound every check."""


def reproduce_line(
    design: str, scope: object, property_name: str, model: str = "", settings: Sequence[str] = ()
) -> str:
    """Return the command that finds a violation again; of a scope, what is not default and what bounds every check."""
    words = ["slotproof", "explore"]
    if model:
        words += ["--model", shlex.quote(model)]
        for setting in settings:
            words += ["--set", shlex.quote(setting)]
    if design:
        words += ["--design", shlex.quote(design)]
    if not model:
        words += ["--scope", f'"{_short(str(scope))}"']
    return " ".join([*words, "--property", property_name])


def _short(text: str) -> str:
    try:
        scope = Scope.parse(text)
    except BadScope:
        return text
    usual = {field.name: field.default for field in dataclasses.fields(Scope)}
    words = (word.partition("=") for word in str(scope).split())
    return " ".join(
        f"{name}={value}" for name, _, value in words if name in _ALWAYS_SPELLED or getattr(scope, name) != usual[name]
    )
