"""The rules of the house: each is one test, and a failure names file and line."""

import ast
import re
import statistics
import subprocess
import sys

from tests.support.paths import ROOT, TESTS

ROOMS = ("spec", "runtime", "checker")
MAX_FILE, MAX_MEDIAN, MAX_FUNCTION = 400, 150, 70
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
# The patterns are put together from pieces, because this file is searched for them as well.
MACHINE_PATH = re.compile(r"(?<![\w./~:>])/(?:" + "work|root|home|tmp|Users|opt" + r")/[\w.]+")
REGISTRY_HOST = re.compile(r"\b(?:" + "|".join(("py" + r"pi\.org", "python" + r"hosted\.org", "npm" + r"js\.")) + ")")
UNFINISHED = re.compile(r"\b(?:" + "|".join(("TO" + "DO", "FIX" + "ME", "XX" + "X")) + r")\b")


def python_files(*rooms):
    return sorted(path for room in rooms for path in (ROOT / room).rglob("*.py"))


def lines_of(path):
    return path.read_text(encoding="utf-8").splitlines()


def where(path, line=None):
    return f"{path.relative_to(ROOT)}" + (f":{line}" if line else "")


def nodes_of(path):
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))))


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
    lengths = {path: len(lines_of(path)) for path in python_files(*ROOMS)}
    long = [f"{where(path, length)}: {length} lines" for path, length in lengths.items() if length > MAX_FILE]
    report(long, f"A file has at most {MAX_FILE} lines; split it by what a reader looks for.")


def test_the_usual_file_is_short():
    lengths = {path: len(lines_of(path)) for path in python_files(*ROOMS)}
    median = statistics.median(lengths.values())
    longest = [f"{where(path)}: {lengths[path]} lines" for path in sorted(lengths, key=lengths.get)[-5:]]
    report(longest if median >= MAX_MEDIAN else [], f"The median file is under {MAX_MEDIAN} lines, not {median}.")


def test_no_function_is_long():
    long = [
        f"{where(path, node.lineno)}: {node.name} has {length} lines"
        for path in python_files(*ROOMS)
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


def test_the_rooms_import_in_one_direction():
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"]
    done = subprocess.run([*command, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"lint-imports found a forbidden import:\n{done.stdout}{done.stderr}"


def test_no_test_folder_hides_a_room():
    hiding = [where(path) for room in ROOMS for path in TESTS.rglob(room) if path.is_dir()]
    report(hiding, "A folder under tests/ with the name of a room would be imported in its place.")


def test_no_text_names_a_folder_of_one_machine():
    report(found_in_texts(MACHINE_PATH), "A path of one machine is wrong on every other; write it relative.")


def test_no_text_names_a_package_registry():
    report(found_in_texts(REGISTRY_HOST), "Where packages come from is the reader's setting, so no text names a host.")


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
    for path in python_files(*ROOMS):
        module = ast.parse(path.read_text(encoding="utf-8"), str(path))
        if module.body and not ast.get_docstring(module):
            silent.append(f"{where(path, 1)}: the module")
        named = public_definitions(module.body)
        silent += [f"{where(path, node.lineno)}: {name}" for name, node in named if not ast.get_docstring(node)]
    report(silent, "A public function, class or module says in a sentence what it is for.")
