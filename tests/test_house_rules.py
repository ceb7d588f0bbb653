"""The rules of the house: each is one test, and a failure names file and line. The figures: python -m tests.house."""

import ast
import re
import statistics
import subprocess
import sys

import pytest

from tests import house
from tests.house import FOLDERS, MAX_FILE, MAX_MEDIAN, ROOMS, length_of, python_files, tree_of, where
from tests.support.paths import ROOT, TESTS

MAX_FUNCTION = 70
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


BESIDE_THE_PACKAGES = {"attach", "attacks", "bench", "documents", "engines", "fuzzed", "runtime_room", "support"}
"""Folders under tests/ for what is no package of checker/; the runtime's has another name than the room, see below."""

# The patterns are put together from pieces, because this file is searched for them as well.
MACHINE_PATH = re.compile(r"(?<![\w./~:>])/(?:" + "work|root|home|tmp|Users|opt" + r")/[\w.]+")
REGISTRY_HOST = re.compile(r"\b(?:" + "|".join(("py" + r"pi\.org", "python" + r"hosted\.org", "npm" + r"js\.")) + ")")
UNFINISHED = re.compile(r"\b(?:" + "|".join(("TO" + "DO", "FIX" + "ME", "XX" + "X")) + r")\b")


def lines_of(path):
    return path.read_text(encoding="utf-8").splitlines()


def nodes_of(path):
    return list(ast.walk(tree_of(path)))


def text_files():
    """Every text that git has or would add, but the licence, which is not ours to word."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    for path in (ROOT / name for name in sorted(set(names)) if name and name != "LICENSE"):
        if path.is_file() and b"\0" not in path.read_bytes()[:8192]:
            yield path


def found_in_texts(pattern):
    return [
        f"{where(path, number)}: {match[0]}"
        for path in text_files()
        for number, text in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1)
        if (match := pattern.search(text))
    ]


def report(broken, rule):
    assert not broken, f"{rule}\n  " + "\n  ".join(broken)


def test_no_file_is_long():
    lengths = {path: length_of(path) for path in python_files(*FOLDERS)}
    long = [f"{where(path, length)}: {length} lines" for path, length in lengths.items() if length > MAX_FILE]
    report(long, f"A file has at most {MAX_FILE} lines; split it by what a reader looks for.")


@pytest.mark.parametrize("package", house.packages())
def test_the_usual_file_of_a_package_is_short(package):
    lengths = {path: length_of(path) for path in house.packages()[package]}
    median = statistics.median(lengths.values())
    longest = [f"{where(path)}: {lengths[path]} lines" for path in sorted(lengths, key=lengths.get)[-5:]]
    report(longest if median >= MAX_MEDIAN else [], f"The median file of {package} has fewer lines, not {median:g}.")


def test_no_function_is_long():
    long = [
        f"{where(path, node.lineno)}: {node.name} has {length} lines"
        for path in python_files(*FOLDERS)
        for node in nodes_of(path)
        if isinstance(node, FUNCTIONS) and (length := node.end_lineno - node.lineno + 1) > MAX_FUNCTION
    ]
    report(long, f"A function has at most {MAX_FUNCTION} lines.")


def imported(node):
    """The top-level names that an import statement brings in; an import relative to its package is our own."""
    if isinstance(node, ast.Import):
        return [alias.name.split(".")[0] for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.level == 0:
        return [node.module.split(".")[0]]
    return []


def test_spec_imports_only_the_standard_library():
    allowed = sys.stdlib_module_names | {"spec"}
    foreign = [
        f"{where(path, node.lineno)}: {name}"
        for path in python_files("spec")
        for node in nodes_of(path)
        for name in imported(node)
        if name not in allowed
    ]
    report(foreign, "spec/ says what may happen in plain Python; it imports the standard library and itself.")


def test_what_an_engine_gets_imports_only_the_standard_library():
    """Its own modules are reached through sys.modules; pytest is there wherever the plugin is loaded."""
    allowed = sys.stdlib_module_names | {"slotproof_attach"}
    given = {"pytest_plugin.py": {"pytest", "_pytest"}}
    foreign = [
        f"{where(path, node.lineno)}: {name}"
        for path in python_files("attach")
        for node in nodes_of(path)
        for name in imported(node)
        if name not in allowed | given.get(path.name, set())
    ]
    report(foreign, "slotproof_attach runs in the engine's process; it imports the standard library and itself.")


def test_the_rooms_import_in_one_direction():
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"]
    done = subprocess.run([*command, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"lint-imports found a forbidden import:\n{done.stdout}{done.stderr}"


def test_no_modules_import_in_a_circle():
    circles = [" <-> ".join(circle) for circle in house.circles()]
    report(circles, "What two modules need from each other stands in a third one, or is handed over.")


def test_no_import_goes_up():
    report(house.upward(), "A package imports only from those that pyproject.toml lists below it.")


def test_a_class_name_stands_for_one_thing():
    twice = house.classes_defined_twice()
    found = [f"{name}: {', '.join(places)}" for name, places in twice.items()]
    report(found, "A public class name stands for one thing; give the newer one a name of its own.")


def test_only_a_model_may_call_its_classes_what_models_call_them():
    models = [where(path) for path in python_files(*ROOMS) if house.is_a_model(path)]
    assert models == ["checker/search/canary.py"]


def test_the_tests_lie_as_the_packages_do():
    rooms = {package.removeprefix("checker.") for package in house.packages()} - set(FOLDERS)
    folders = {path.name for path in TESTS.iterdir() if path.is_dir() and path.name != "__pycache__"}
    report(sorted(rooms - folders), "Each package of checker/ has the folder of its name under tests/.")
    report(sorted(folders - rooms - BESIDE_THE_PACKAGES), "A folder under tests/ is named after what it tests.")


def test_one_file_knows_where_things_lie():
    computed = [
        f"{where(path, number)}: {line.strip()}"
        for path in sorted(TESTS.rglob("*.py"))
        if path != TESTS / "support" / "paths.py"
        for number, line in enumerate(lines_of(path), 1)
        if re.search(r"Path\(" + r"__file__\)|\.root" + "path", line)
    ]
    report(computed, "Import the folder from tests/support/paths.py, which alone knows how deep a file lies.")


def test_no_test_folder_hides_a_room():
    hiding = [where(path) for room in ROOMS for path in TESTS.rglob(room) if path.is_dir()]
    report(hiding, "A folder under tests/ with the name of a room would be imported in its place.")


def test_no_text_names_a_folder_of_one_machine():
    report(found_in_texts(MACHINE_PATH), "A path of one machine is wrong on every other; write it relative.")


def test_no_text_names_a_package_registry():
    report(found_in_texts(REGISTRY_HOST), "Where packages come from is the reader's setting, so no text names a host.")


def test_every_file_that_a_text_names_is_there():
    """Paths of ours, in documents, docstrings and comments alike."""
    path_of_ours = re.compile(r"(?<![\w./-])(?:spec|runtime|checker|tests|docs)/[\w./-]*\.(?:py|md|txt|ndjson|pml)\b")
    module = re.compile(r"python3? -m (tests[.\w]*)")
    stale = []
    for path in text_files():
        for number, text in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            modules = [name.rstrip(".").replace(".", "/") + ".py" for name in module.findall(text)]
            named = path_of_ours.findall(text) + modules
            stale += [f"{where(path, number)}: {name}" for name in named if not (ROOT / name).exists()]
    report(stale, "A text names a file by the path at which it lies.")


def test_clean_removes_what_git_ignores():
    ignored = {line.strip("/") for line in lines_of(ROOT / ".gitignore")} - {"__pycache__"}
    removed = [line for line in lines_of(ROOT / "Makefile") if line.startswith("\trm -rf ")]
    report(sorted(ignored - set(removed[0].split())), "`make clean` leaves what was made here.")


def test_nothing_is_marked_unfinished():
    report(found_in_texts(UNFINISHED), "What is missing is an issue or an error that says so, not a mark in a text.")


def public_definitions(body, prefix=""):
    """Functions and classes that others may use: at the top of a module, and the methods of public classes."""
    for node in body:
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)) and not node.name.startswith("_"):
            yield prefix + node.name, node
            if isinstance(node, ast.ClassDef):
                yield from public_definitions(node.body, f"{node.name}.")


def test_every_public_name_has_a_docstring():
    silent = []
    for path in python_files(*FOLDERS):
        module = tree_of(path)
        if module.body and not ast.get_docstring(module):
            silent.append(f"{where(path, 1)}: the module")
        named = public_definitions(module.body)
        silent += [f"{where(path, node.lineno)}: {name}" for name, node in named if not ast.get_docstring(node)]
    report(silent, "A public function, class or module says in a sentence what it is for.")


def test_every_package_says_what_it_is_for_and_how_to_read_it():
    silent = [
        where(path, 1)
        for path in python_files(*FOLDERS)
        if path.name == "__init__.py" and len(re.findall(r"[.:?](?:\s|$)", ast.get_docstring(tree_of(path)) or "")) < 2
    ]
    report(silent, "The docstring of a package says in two sentences or more what it is for and what to read first.")
