"""What a command loads: `--help` and `judge` start at once, and no command needs an extra that it has no use for.

Here the extras are installed; finders that do not find them stand in for an environment without them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from checker.command.examples import EXAMPLES
from checker.command.extras import EXTRAS
from tests.support.paths import ROOT, TRACES

GOOD = str(TRACES / "sglang-0.5.23-lazy-p9-n15-b7-good.ndjson")
LOADED = """
import json, sys
from checker.command.cli import run
code = run(json.loads(sys.argv[1]))
print()
print(json.dumps([code, sorted(name for name in sys.modules if not name.startswith("_"))]))
"""
BLOCKED = """
import json, sys
from checker.command.cli import run
absent = json.loads(sys.argv[2])
class Hiding:
    def __init__(self, finder):
        self.finder = finder
    def find_spec(self, name, path=None, target=None):
        return None if name.partition(".")[0] in absent else self.finder.find_spec(name, path, target)
    def __getattr__(self, name):
        return getattr(self.finder, name)
if __name__ == "__main__":
    sys.meta_path[:] = map(Hiding, sys.meta_path)
    sys.exit(run(json.loads(sys.argv[1])))
"""
SLOW_TO_LOAD = {"numpy", "torch", "z3", "hypothesis", "numba", "multiprocessing", "concurrent", "checker.search"}
WITHOUT = {
    "explore": ["explore", "--scope", "requests=1 slots=4", "--max-seconds", "60"],
    "judge": ["judge", GOOD, "--design", "merged-29792"],
    "trace": ["trace", "--check", GOOD],
    "play": ["play", str(ROOT / "tests/scenarios/the-whole-story.txt")],
}
"""Commands that need no extra, each ending with exit code 0."""
NEEDING = {
    "prove": ["prove"],
    "bmc": ["bmc", "--scope", "requests=1 slots=4", "--depth", "2"],
    "repair": ["repair", "merged-29792"],
    "fuzz": ["fuzz", "--time", "1s"],
    "replay": ["replay", str(ROOT / "tests/scenarios/abort-and-evict.txt")],
    "fields": ["fields"],
    "mutants": ["mutants", "--sample", "1"],
    "verify": ["verify", "--quick"],
}
"""Commands that need one or several."""
ABSENT = (*EXTRAS, "numba", "llvmlite", "hypothesis")
"""All that the base of the distribution does not bring: a search is slower without its compiler, and the same."""


def run(code: str, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def without_extras(words: list[str], folder: Path, absent: tuple[str, ...] = ABSENT):
    return run(BLOCKED, folder, json.dumps(words), json.dumps(absent))


@pytest.mark.parametrize(
    ("words", "unneeded"),
    [
        (["--help"], SLOW_TO_LOAD | {"checker.traces", "checker.explain"}),
        (["judge", "--help"], SLOW_TO_LOAD | {"checker.traces"}),
        (["judge", GOOD], SLOW_TO_LOAD | {"rich", "checker.traces.conformance.conformance", "checker.model.model"}),
        (["judge", GOOD, "--json"], SLOW_TO_LOAD | {"rich"}),
        (["judge", GOOD, "--design", "merged-29792"], SLOW_TO_LOAD | {"rich"}),
        (["trace", "--schema"], SLOW_TO_LOAD | {"rich"}),
    ],
    # Sets have no order of their own, and tests that run in parallel must go by the same names everywhere.
    ids=lambda given: " ".join(sorted(given)) if isinstance(given, set) else " ".join(given),
)
def test_what_starts_at_once_loads_nothing_that_is_slow(words: list[str], unneeded: set[str], tmp_path: Path) -> None:
    done = run(LOADED, tmp_path, json.dumps(words))
    code, loaded = json.loads(done.stdout.splitlines()[-1])
    assert code == 0, done.stdout + done.stderr
    assert "checker.command.cli" in loaded, "nothing was looked at"
    assert sorted(unneeded & set(loaded)) == []


def test_every_command_is_tried_without_the_extras() -> None:
    assert WITHOUT.keys() | NEEDING.keys() | {"designs", "explain", "attach"} == EXAMPLES.keys()


@pytest.mark.parametrize("name", WITHOUT)
def test_a_command_that_needs_no_extra_does_without(name: str, tmp_path: Path) -> None:
    done = without_extras(WITHOUT[name], tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_story_is_told_again_without_the_extras(tmp_path: Path) -> None:
    scope = "requests=1 slots=5 nodes=2 max_len=6"
    found = without_extras(["explore", "--design", "merged-29792", "--scope", scope], tmp_path)
    assert (found.returncode, found.stderr) == (1, "")
    (identity,) = [path.stem for path in (tmp_path / ".slotproof").glob("*.json")]
    told = without_extras(["explain", identity], tmp_path)
    assert (told.returncode, told.stderr) == (1, "")


@pytest.mark.slow
def test_the_designs_are_searched_without_the_extras(tmp_path: Path) -> None:
    done = without_extras(["designs"], tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "pip install" not in done.stderr


@pytest.mark.parametrize("name", NEEDING)
def test_a_missing_extra_is_one_sentence_with_the_remedy(name: str, tmp_path: Path) -> None:
    done = without_extras(NEEDING[name], tmp_path)
    assert done.returncode == 2, done.stdout + done.stderr
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert any(f"pip install 'slotproof[{extra}]'" in done.stderr for extra in EXTRAS.values())


@pytest.mark.parametrize("words", [["prove", "--max-seconds", "1"], NEEDING["bmc"]], ids=lambda words: words[0])
def test_who_proves_needs_no_torch(words: list[str], tmp_path: Path) -> None:
    done = without_extras(words, tmp_path, ("torch",))
    assert done.returncode in (0, 3), done.stdout + done.stderr
    assert "needs torch" not in done.stderr


@pytest.mark.parametrize(("absent", "extra"), EXTRAS.items())
def test_the_remedy_names_the_extra_that_brings_what_is_missing(absent: str, extra: str, tmp_path: Path) -> None:
    done = without_extras(NEEDING["verify"], tmp_path, (absent,))
    assert done.returncode == 2, done.stdout + done.stderr
    assert f"needs {absent}, " in done.stderr
    assert f"pip install 'slotproof[{extra}]'" in done.stderr


def test_a_module_of_a_users_own_that_is_missing_is_no_extra(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("import nothing_of_that_name\n")
    done = without_extras(["explore", "--design", "mine.py"], tmp_path)
    assert done.returncode == 2
    assert "mine.py:1" in done.stderr
    assert "pip install" not in done.stderr
