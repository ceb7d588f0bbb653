"""The house in figures: what stands in which room, how long it is, and what runs in circles or up the stairs.

Usage: python -m tests.house     (tests/test_house_rules.py holds the same figures to their limits)

A room is a package: spec, runtime and each package of checker/, with the files that lie in checker/ itself as one more.
An import counts wherever it stands, at the top of a file, inside a function, or for types only.
"""

from __future__ import annotations

import ast
import re
import statistics
import tomllib
from collections import defaultdict
from functools import cache
from pathlib import Path

from tests.support.paths import ROOT

ROOMS = ("spec", "runtime", "checker")
FOLDERS = (*ROOMS, "attach")
"""The last is a distribution of its own, with the package slotproof_attach."""
MAX_FILE, MAX_MEDIAN = 400, 150
MODEL_NAMES = ("Scope", "State", "Context")
"""The classes by which the checker knows a model."""
ANY_BEFORE = 368
"""The word Any in checker/ when it was still one flat folder: `grep -row Any checker | wc -l`."""


def python_files(*rooms: str) -> list[Path]:
    """Every file of the rooms, sorted."""
    return sorted(path for room in rooms for path in (ROOT / room).rglob("*.py"))


@cache
def tree_of(path: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def length_of(path: Path) -> int:
    """How many lines a file has."""
    return len(path.read_text(encoding="utf-8").splitlines())


def where(path: Path, line: int | None = None) -> str:
    """A place in a file, as a person or an editor finds it."""
    return f"{path.relative_to(ROOT)}" + (f":{line}" if line else "")


def module_of(path: Path) -> str:
    """The name by which a file is imported."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    parts = parts[1:] if parts[0] == "attach" else parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def package_of(path: Path) -> str:
    """The room of a file; what lies deeper belongs to the package of checker/ that holds it."""
    parts = path.relative_to(ROOT).parts
    return ".".join(parts[:2]) if parts[0] == "checker" and len(parts) > 2 else parts[0]


def packages() -> dict[str, list[Path]]:
    """The files of each package."""
    found: dict[str, list[Path]] = defaultdict(list)
    for path in python_files(*FOLDERS):
        found[package_of(path)].append(path)
    return dict(found)


def imports_of(path: Path, modules: dict[str, Path]) -> dict[str, int]:
    """The modules of ours that a file imports, each with the line; a name out of a package may be a module itself."""
    found: dict[str, int] = {}
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            inside = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if name in modules else str(node.module) for name in inside]
        else:
            continue
        for name in names:
            if name in modules:
                found.setdefault(name, node.lineno)
    return found


@cache
def arrows() -> dict[str, dict[str, int]]:
    """Which module imports which, with the line of the import."""
    modules = {module_of(path): path for path in python_files(*FOLDERS)}
    return {name: imports_of(path, modules) for name, path in modules.items()}


def circles() -> list[list[str]]:
    """The groups of modules that import each other, directly or by way of others: strongly connected components."""
    graph = arrows()
    reached = {name: _reached(graph, name) for name in graph}
    grouped = {frozenset({name} | {other for other in reached[name] if name in reached[other]}) for name in graph}
    return sorted(sorted(group) for group in grouped if len(group) > 1)


def _reached(graph: dict[str, dict[str, int]], start: str) -> set[str]:
    found: set[str] = set()
    todo = [start]
    while todo:
        for name in graph[todo.pop()].keys() - found:
            found.add(name)
            todo.append(name)
    return found


def floors() -> dict[str, int]:
    """The floor of each package of checker/, the ground being the highest number, as pyproject.toml lists them."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = next(c["layers"] for c in settings["tool"]["importlinter"]["contracts"] if c["type"] == "layers")
    return {package.strip(): floor for floor, layer in enumerate(layers) for package in layer.split("|")}


def upward() -> list[str]:
    """Imports that go up or across: between rooms against their one direction, in checker/ against its floors."""
    allowed = {
        "spec": {"spec"}, "runtime": {"runtime"}, "checker": set(ROOMS), "slotproof_attach": {"slotproof_attach"}
    }  # fmt: skip
    floor = floors()
    found = []
    for name, imported in arrows().items():
        for other, line in imported.items():
            here, there = (".".join(each.split(".")[:2]) for each in (name, other))
            across = other.split(".")[0] not in allowed[name.split(".")[0]]
            if across or (here != there and {here, there} <= floor.keys() and floor[there] <= floor[here]):
                found.append(f"{name}:{line} imports {other}")
    return found


def is_a_model(path: Path) -> bool:
    """Whether a file is a model that stands alone, as a user writes one: it makes states, actions and properties."""
    named = [target for node in tree_of(path).body if isinstance(node, ast.Assign) for target in node.targets]
    made = {node.name for node in tree_of(path).body if isinstance(node, ast.FunctionDef)}
    return {"init"} <= made and {"actions", "properties"} <= {node.id for node in named if isinstance(node, ast.Name)}


def classes_defined_twice() -> dict[str, list[str]]:
    """The public classes whose name stands for several things, each with its places.

    A model calls its classes what every model must (docs/models.md), so that in such a file these are no names of ours.
    """
    found: dict[str, list[str]] = defaultdict(list)
    for path in python_files(*ROOMS):
        given = MODEL_NAMES if is_a_model(path) else ()
        for node in tree_of(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_") and node.name not in given:
                found[node.name].append(where(path, node.lineno))
    return {name: places for name, places in sorted(found.items()) if len(places) > 1}


def any_in(paths: list[Path]) -> int:
    """How often the word Any stands in files, in their comments too: nothing that takes judgement is left out."""
    return sum(len(re.findall(r"\bAny\b", path.read_text(encoding="utf-8"))) for path in paths)


def lines() -> list[str]:
    """The figures, a line for each package and one for each rule that has a number."""
    rooms = packages()
    text = [f"{'package':<20}{'files':>6}{'median':>8}{'longest':>9}{'Any':>5}   the longest file"]
    for name, paths in rooms.items():
        lengths = {path: length_of(path) for path in paths}
        longest = max(paths, key=lengths.__getitem__)
        median = statistics.median(lengths.values())
        text.append(f"{name:<20}{len(paths):>6}{median:>8g}{lengths[longest]:>9}{any_in(paths):>5}   {where(longest)}")
    files = [path for paths in rooms.values() for path in paths]
    text.append(f"{len(rooms)} packages, {len(files)} files, {sum(map(length_of, files))} lines")
    text.append(f"import circles: {len(circles())}" + "".join(f"\n  {' <-> '.join(circle)}" for circle in circles()))
    text.append(f"imports upwards: {len(upward())}" + "".join(f"\n  {arrow}" for arrow in upward()))
    twice = classes_defined_twice()
    text.append(f"class names defined twice: {len(twice)}")
    text += [f"  {name}: {', '.join(places)}" for name, places in twice.items()]
    text.append(f"Any in checker/: {any_in(python_files('checker'))}, and {ANY_BEFORE} before it had packages")
    return text


if __name__ == "__main__":
    print("\n".join(lines()))
