"""Every report says the same four things of its result, under the same four names."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path
from types import SimpleNamespace

import pytest

from checker.command import console, report
from checker.command.report import proof as proof_report
from checker.exit_codes import INCONCLUSIVE, VIOLATED

FOUR = ("exit_code", "data", "lines", "show")
FILES = [path.stem for path in sorted(Path(report.__file__).parent.glob("*.py")) if path.stem != "__init__"]


@pytest.mark.parametrize("name", FILES)
def test_a_report_has_the_four_functions_of_one_result(name: str) -> None:
    module = importlib.import_module(f"checker.command.report.{name}")
    for function in FOUR:
        assert inspect.isfunction(getattr(module, function, None)), f"{name} has no {function}"
        first, *others = inspect.signature(getattr(module, function)).parameters.values()
        assert first.name == next(iter(inspect.signature(module.exit_code).parameters)), f"{name}: one result, one name"
        assert all(other.default is not other.empty for other in others), f"{name}.{function} takes a result alone"


@pytest.mark.parametrize("as_json", [False, True])
def test_a_result_goes_to_a_person_or_a_machine(as_json: bool, capsys: pytest.CaptureFixture[str]) -> None:
    said = SimpleNamespace(exit_code=len, data=list, lines=list, show=print)
    assert console.deliver(said, "x", as_json) == VIOLATED
    assert capsys.readouterr().out == ('[\n  "x"\n]\n' if as_json else "x\n")


def test_no_proof_at_all_is_no_pass() -> None:
    assert proof_report.exit_code([]) == INCONCLUSIVE
