"""The help of each command ends with an example that runs; and each package says what it is for and names its files."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from checker.command.cli import app
from checker.command.examples import EXAMPLES
from tests.support.paths import ROOT

PACKAGES = sorted(path.parent for room in ("spec", "runtime", "checker") for path in (ROOT / room).rglob("__init__.py"))


def test_every_command_has_an_example() -> None:
    assert set(typer.main.get_command(app).commands) == set(EXAMPLES)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_help_ends_with_the_example_in_one_line(name: str) -> None:
    shown = CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": "80"}).output
    assert shown.strip().splitlines()[-1].strip() == f"Example: {EXAMPLES[name]}"


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_each_package_says_in_which_order_to_read_it(package: Path) -> None:
    described = ast.get_docstring(ast.parse((package / "__init__.py").read_text(encoding="utf-8"))) or ""
    inside = [path.stem for path in package.glob("*.py") if not path.stem.startswith("__")]
    inside += [path.parent.name for path in package.glob("*/__init__.py")]
    silent = [name for name in sorted(inside) if not re.search(rf"\b{name}\b", described)]
    assert not silent, f"{package.relative_to(ROOT)}/__init__.py does not say what these are for: {', '.join(silent)}"
