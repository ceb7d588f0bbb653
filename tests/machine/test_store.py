"""Compiled code on disk: compiled once, never stale, never damaged, and done without where there is none."""

import json
import shutil
import subprocess
import sys

import pytest

import checker.search.bfs
from checker.command.report import search as report
from checker.machine import store
from checker.machine.store import Unavailable
from checker.search.check import Check
from checker.search.perform import run
from tests.support.paths import ROOT, YARDSTICK_FILE

WHOLE = store.sealed(b"code", {"unreached": []})
YARDSTICK = Check("R=2 N=4", model=str(YARDSTICK_FILE))


@pytest.fixture
def fresh(monkeypatch, tmp_path):
    """A process that has loaded nothing, and may keep code in one empty folder."""
    monkeypatch.setattr(store, "_LOADED", {})
    monkeypatch.setattr(store, "folders", lambda: iter([tmp_path]))
    monkeypatch.setattr(store, "Kernels", lambda code, entries: code)
    return tmp_path


def compiler(monkeypatch, text):
    """Another compiler: a line of Python that is given a width and the path of the file."""
    monkeypatch.setattr(store, "BUILDING", "timeit")
    command = [sys.executable, "-c", text]
    honest = subprocess.run
    monkeypatch.setattr(store.subprocess, "run", lambda given, **rest: honest([*command, *given[-2:]], **rest))


WRITES = f"import sys, pathlib; pathlib.Path(sys.argv[2]).write_bytes({WHOLE!r}); print(1)"


def test_code_is_compiled_once(fresh, monkeypatch):
    compiler(monkeypatch, WRITES)
    assert not store.is_built("int8")
    assert store.kernels("int8") == b"code"
    assert store.is_built("int8")
    compiler(monkeypatch, "raise SystemExit('again')")
    monkeypatch.setattr(store, "_LOADED", {})
    assert store.kernels("int8") == b"code"


@pytest.mark.parametrize("damage", [b"", WHOLE[:-1], WHOLE + b" ", WHOLE[:70] + b"x" + WHOLE[71:], b"\0" * 5000])
def test_damaged_code_is_compiled_again(fresh, monkeypatch, damage):
    store._file(fresh, "int8").write_bytes(damage)
    assert store.opened(damage) is None
    compiler(monkeypatch, WRITES)
    assert store.kernels("int8") == b"code"


def test_a_compiler_that_fails_is_named_and_leaves_nothing(fresh, monkeypatch):
    compiler(monkeypatch, "raise SystemExit('no such instruction')")
    with pytest.raises(Unavailable, match="compiling the search failed: no such instruction"):
        store.kernels("int8")
    assert not store.is_built("int8")


def test_compiling_ends_with_the_time(fresh, monkeypatch):
    compiler(monkeypatch, "import time; time.sleep(60)")
    with pytest.raises(Unavailable, match="time was over"):
        store.kernels("int8", 0.2)


def test_a_folder_that_cannot_be_written_to_is_passed_over(fresh, monkeypatch):
    blocked = fresh / "a file"
    blocked.touch()
    monkeypatch.setattr(store, "folders", lambda: iter([blocked / "code", fresh / "cache"]))
    compiler(monkeypatch, WRITES)
    assert store.kernels("int8") == b"code"
    assert store._file(fresh / "cache", "int8").is_file()
    monkeypatch.setattr(store, "folders", lambda: iter([blocked / "code"]))
    monkeypatch.setattr(store, "_LOADED", {})
    with pytest.raises(Unavailable, match="no folder"):
        store.kernels("int8")


def test_code_lies_beside_the_text_or_in_the_users_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert list(store.folders()) == [store.HERE / "__pycache__", tmp_path / "slotproof"]


def test_a_changed_text_is_compiled_again_whatever_its_times_say(monkeypatch, tmp_path):
    copy = tmp_path / "machine"
    shutil.copytree(store.HERE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    names = set()
    for file in [None, *sorted(copy.glob("*.py"))]:
        if file:
            changed = file.read_text().replace("a", "b", 1)
            before = file.stat()
            file.write_text(changed)
            shutil.os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
            assert file.stat().st_size == before.st_size
        monkeypatch.setattr(store, "HERE", copy)
        store._key.cache_clear()
        names.add(store._file(tmp_path, "int8"))
    store._key.cache_clear()
    assert len(names) == 1 + len(list(copy.glob("*.py")))


@pytest.mark.parametrize(("given", "why"), [("1", "NUMBA_DISABLE_JIT is set"), ("0", "numba is not installed here")])
def test_without_a_compiler_a_search_stays_with_the_columns_and_says_so(monkeypatch, given, why):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", given)
    if given == "0":
        found = store.importlib.util.find_spec
        monkeypatch.setattr(store.importlib.util, "find_spec", lambda name: None if name == "numba" else found(name))
    for limit in ("FEW", "MANY"):
        monkeypatch.setattr(checker.search.bfs, limit, 0)
    outcome = run(YARDSTICK)
    assert outcome.as_expected
    assert outcome.exploration.by == "columns"
    assert any(why in line for line in report.lines(outcome))
    with pytest.raises(Exception, match=f"128 bits take compiled code, and {why}"):
        run(Check(YARDSTICK.scope, model=YARDSTICK.model, bits=128))


def in_a_process(few):
    """What a search in a process of its own has imported."""
    code = (
        "import json, sys, checker.search.bfs as bfs\n"
        f"bfs.FEW = {few}\n"
        "from checker.search.check import Check\n"
        "from checker.search.perform import run\n"
        f"outcome = run(Check('R=2 N=4', model={str(YARDSTICK_FILE)!r}))\n"
        "print(json.dumps([outcome.exploration.by, *(name in sys.modules for name in ('llvmlite', 'numba'))]))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_a_small_search_loads_no_compiled_code_and_a_large_one_no_compiler():
    assert in_a_process(checker.search.bfs.FEW) == ["columns", False, False]
    assert in_a_process(0) == ["compiled", True, False]
