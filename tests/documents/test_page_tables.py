"""The tables of docs/ name what there is: commands and expectations of scripts, kinds of properties, the subset."""

from __future__ import annotations

import ast
import re

import pytest

from checker.scenarios.commands import COMMANDS
from checker.scenarios.expectations import EXPECTATIONS
from checker.symbolic import subset
from spec import language
from tests.support.paths import ROOT

DOCS = ROOT / "docs"
SCRIPTS = (DOCS / "scripts.md").read_text(encoding="utf-8")
MODELS = (DOCS / "models.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("form", [*COMMANDS.values(), *EXPECTATIONS.values()])
def test_every_line_of_a_script_is_in_a_table(form: str) -> None:
    assert f"| `{form.replace('|', chr(92) + '|')}` |" in SCRIPTS


@pytest.mark.parametrize("kind", ["always", "step", "sometimes", "lemma"])
def test_each_kind_of_property_is_in_the_table_as_it_is_called(kind: str) -> None:
    (line,) = [line for line in MODELS.splitlines() if line.startswith(f"| `@{kind}()` |")]
    declared = getattr(language, kind)()(lambda s, scope: True)
    assert ("`(before, after, scope)`" in line) == declared.of_steps


def test_the_page_on_models_has_commands_for_each_exit_code_that_a_model_can_have() -> None:
    assert set(re.findall(r"^# exit code (\d+)", MODELS, re.MULTILINE)) == {"0", "1", "2", "3"}


def written(row: str) -> list[ast.stmt]:
    """What a row of the table of the subset shows, each sample read as a statement."""
    (line,) = [line for line in MODELS.splitlines() if line.startswith(f"| {row} |")]
    return [ast.parse(sample.replace("\\|", "|")).body[0] for sample in re.findall(r"`([^`]*)`", line.split(" | ")[1])]


def expressions(row: str) -> list[ast.expr]:
    """The samples of a row that are expressions, with all that they are made of."""
    return [node for sample in written(row) for node in ast.walk(sample) if isinstance(node, ast.expr)]


def called(row: str) -> set[str]:
    """The names of the builtins that a row shows."""
    return {
        sample.value.id for sample in written(row) if isinstance(sample, ast.Expr) if isinstance(sample.value, ast.Name)
    }


def test_the_table_names_the_statements_of_the_subset_and_no_other() -> None:
    assert {type(sample) for sample in written("statements")} == set(subset.STATEMENTS)


def test_the_table_names_the_expressions_of_the_subset_and_no_other() -> None:
    assert {type(node) for node in expressions("expressions")} == set(subset.EXPRESSIONS)


def test_the_table_names_the_operators_of_the_subset_and_no_other() -> None:
    nodes = expressions("expressions")
    assert {type(node.op) for node in nodes if isinstance(node, ast.BinOp)} == set(subset.ARITHMETIC)
    assert {type(op) for node in nodes if isinstance(node, ast.Compare) for op in node.ops} == set(subset.COMPARISONS)
    assert {type(node.op) for node in nodes if isinstance(node, ast.UnaryOp)} == {ast.Not, ast.USub}
    assert {type(node.op) for node in nodes if isinstance(node, ast.BoolOp)} == {ast.And, ast.Or}


@pytest.mark.parametrize(
    ("row", "allowed"),
    [
        ("folds", subset.FOLDS),
        ("what is looped over", subset.ITERATORS),
        ("builtins of numbers of the state", subset.NUMERIC),
        ("builtins of what is no part of the state", subset.NATIVE),
    ],
)
def test_the_table_names_the_builtins_of_the_subset_and_no_other(row: str, allowed: tuple[object, ...]) -> None:
    assert called(row) == {builtin.__name__ for builtin in allowed}
