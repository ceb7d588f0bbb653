"""What is proved about the shipped boundary logic, for a person and for a machine."""

from __future__ import annotations

from collections.abc import Iterator

from checker.command.console import say_all
from checker.command.tables import table_text
from checker.exit_codes import INCONCLUSIVE, SHOWN, VIOLATED
from checker.explain.render import render
from checker.explain.story import story_of
from checker.proof.boundary_columns import NAME
from checker.proof.boundary_proof import Shipped
from checker.proof.boundary_witness import Witness, model_of, tell
from runtime import boundary

FILE = "runtime/boundary.py"


def exit_code(result: Shipped) -> int:
    """Return the exit code: inputs that tell code and spec apart weigh more than an open question."""
    if result.wrong:
        return VIOLATED
    return SHOWN if result.holds else INCONCLUSIVE


def summary(result: Shipped) -> Iterator[str]:
    """Return a table of one row."""
    verdict = "proved" if result.holds else f"{len(result.failed)} fail, {len(result.unknown)} unknown"
    counts = (str(len(result.names)), str(result.scopes), str(len(result.obligations)), f"{result.seconds:.1f}")
    columns = ("code", "functions", "scopes", "obligations", "s", "")
    rows = [("shipped boundary logic", *counts, verdict)]
    yield table_text("The code that ships decides as the spec does", columns, rows)


def failures(result: Shipped) -> Iterator[str]:
    """Return inputs that tell code and spec apart, with the run that leads there where there is one."""
    for name in result.unreached:
        yield (
            f"GAP: no property in checker/proof/boundary_contract.py calls {FILE} {name}; write one that says what the "
            "spec does"
        )
    if result.columns:
        yield f"{FILE}: {NAME} fails: {result.columns}"
    for obligation in result.unknown:
        yield f"unknown: {FILE}: {obligation.name}: the solver gave up, which is no proof"
    for difference in result.differences:
        found = tell(boundary, difference)
        yield f"\n{FILE}: {found.property} fails: {found.inputs}"
        yield f"in {found.step}\n"
        yield _story(found)


def _story(found: Witness) -> str:
    if not found.run:
        return f"(a state of the solver's, which no run in small scopes reaches; scope {found.scope})"
    return render(story_of(model_of(found), found.run, found.property, "slotproof verify --quick"))


def data(result: Shipped) -> dict[str, object]:
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


def lines(result: Shipped) -> Iterator[str]:
    """Return the result for a person."""
    yield from summary(result)
    yield from failures(result)


def show(result: Shipped) -> None:
    """Print the result."""
    say_all(lines(result))
