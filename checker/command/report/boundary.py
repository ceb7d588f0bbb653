"""What is proved about the shipped boundary logic, for a person and for a machine."""

from __future__ import annotations

from typing import Any

from checker.command.console import say, table
from checker.exit_codes import INCONCLUSIVE, SHOWN, VIOLATED
from checker.explain.story import render
from checker.explain.story import tell as tell_run
from checker.proof.boundary_columns import NAME
from checker.proof.boundary_proof import Shipped
from checker.proof.boundary_witness import Told, model_of, tell
from runtime import boundary

FILE = "runtime/boundary.py"


def exit_code(result: Shipped) -> int:
    """Return the exit code: inputs that tell code and spec apart weigh more than an open question."""
    if result.wrong:
        return VIOLATED
    return SHOWN if result.holds else INCONCLUSIVE


def show_table(result: Shipped) -> None:
    """Print the one row."""
    verdict = "proved" if result.holds else f"{len(result.failed)} fail, {len(result.unknown)} unknown"
    counts = (str(len(result.names)), str(result.scopes), str(len(result.obligations)), f"{result.seconds:.1f}")
    columns = ("code", "functions", "scopes", "obligations", "s", "")
    table("The code that ships decides as the spec does", columns, [("shipped boundary logic", *counts, verdict)])


def show_failures(result: Shipped) -> None:
    """Print inputs that tell code and spec apart, with the run that leads there where there is one."""
    for name in result.unreached:
        say(
            f"GAP: no property in checker/proof/boundary_contract.py calls {FILE} {name}; write one that says what the "
            "spec does"
        )
    if result.columns:
        say(f"{FILE}: {NAME} fails: {result.columns}")
    for obligation in result.unknown:
        say(f"unknown: {FILE}: {obligation.name}: the solver gave up, which is no proof")
    for difference in result.differences:
        found = tell(boundary, difference)
        say(f"\n{FILE}: {found.property} fails: {found.inputs}")
        say(f"in {found.step}\n")
        say(_story(found))


def _story(found: Told) -> str:
    if not found.run:
        return f"(a state of the solver's, which no run in small scopes reaches; scope {found.scope})"
    return render(tell_run(model_of(found), found.run, found.property, "slotproof verify --quick"))


def data(result: Shipped) -> dict[str, Any]:
    """Return the result for a machine."""
    found = [tell(boundary, difference) for difference in result.differences]
    return {
        "file": FILE,
        "functions": result.names,
        "proved": result.holds,
        "scopes": result.scopes,
        "obligations": len(result.obligations),
        "failed": [obligation.name for obligation in result.failed],
        "unknown": [obligation.name for obligation in result.unknown],
        "differences": [
            {"property": told.property, "inputs": told.inputs, "step": told.step, "scope": told.scope}
            | {"reached in steps": len(told.run)}
            for told in found
        ],
        "columns": result.columns,
        "unreached": result.unreached,
        "seconds": result.seconds,
    }
