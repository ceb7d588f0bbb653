"""Both distributions, built from what git has and installed into empty environments, as a user gets them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.support.paths import ATTACHED, ROOT, TRACES
from tests.support.recording import FAKE, PRELUDE

pytestmark = pytest.mark.slow

GOOD, BAD = (str(TRACES / f"sglang-0.5.23-eager-{name}.ndjson") for name in ("p12-n20-b5-good", "p9-n15-b7-bad"))
ENGINE = str(Path(sys.base_prefix) / "bin" / "python3")
"""An interpreter that has nothing of ours, as an engine's has not."""
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
LOADED = """
import json, sys
sys.path[:] = [path for path in sys.path if "site-packages" not in path]
before = set(sys.modules)
sys.path.insert(0, sys.argv[1])
import slotproof_attach
print(json.dumps([slotproof_attach.__file__, sorted(set(sys.modules) - before)]))
"""


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        list(map(str, command)), cwd=cwd, env=CLEAN, capture_output=True, text=True, timeout=600, check=False
    )


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The wheels, by the name of the distribution, built in a copy: building writes beside the sources."""
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheels")
    listed = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=ROOT).stdout
    for name in listed.rstrip("\0").split("\0"):
        if not name.startswith("tests/") and (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, source / name)
    done = run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", out, ".", "./attach", cwd=source)
    assert done.returncode == 0, done.stdout + done.stderr
    return {path.name.partition("-")[0]: path for path in out.glob("*.whl")}


def environment(folder: Path, *wanted: str | Path) -> Path:
    """Return the folder of commands of a new environment in which something has been installed."""
    made = run(sys.executable, "-m", "venv", folder, cwd=folder.parent)
    assert made.returncode == 0, made.stdout + made.stderr
    done = run(folder / "bin" / "pip", "install", "-q", "-c", ROOT / "constraints.txt", *wanted, cwd=folder.parent)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "bin"


@pytest.fixture(scope="module")
def tool(wheels: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The commands of an environment in which somebody has installed slotproof, without an extra."""
    return environment(tmp_path_factory.mktemp("tool") / "env", wheels["slotproof"])


def installed(commands: Path) -> set[str]:
    listed = run(commands / "pip", "list", "--format", "json", cwd=commands)
    return {one["name"] for one in json.loads(listed.stdout)} - {"pip", "setuptools"}


def test_who_only_judges_downloads_neither_torch_nor_a_solver(tool: Path, tmp_path: Path) -> None:
    there = installed(tool)
    assert {"slotproof", "numpy", "msgspec", "rich", "typer"} <= there
    assert not {"torch", "z3-solver", "hypothesis", "numba"} & there
    good = run(tool / "slotproof", "judge", GOOD, "--design", "merged-29792", cwd=tmp_path)
    assert (good.returncode, good.stderr) == (0, "")
    assert good.stdout.startswith("good: ")
    bad = run(tool / "slotproof", "judge", GOOD, BAD, cwd=tmp_path)
    assert (bad.returncode, bad.stderr) == (1, "")
    assert "the story of slot" in bad.stdout


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--help",), 0, "judge"),
        (("explore", "--scope", "requests=1 slots=4"), 0, "holds: "),
        (("play", str(ROOT / "tests/scenarios/the-whole-story.txt")), 0, ""),
        (("prove",), 2, "pip install 'slotproof[prove]'"),
        (("replay", str(ROOT / "tests/scenarios/abort-and-evict.txt")), 2, "pip install 'slotproof[runtime]'"),
    ],
    ids=lambda words: words[0] if isinstance(words, tuple) else "",
)
def test_what_the_base_can_do(tool: Path, tmp_path: Path, words: tuple[str, ...], code: int, said: str) -> None:
    done = run(tool / "slotproof", *words, cwd=tmp_path)
    assert done.returncode == code, done.stdout + done.stderr
    assert said in done.stdout + done.stderr
    assert done.stderr.count("\n") == (code == 2)


def test_the_tool_brings_along_what_an_engine_gets_and_nothing_else_is_importable_there(tool: Path) -> None:
    code = "from checker.command.attachable import folder; print(folder())"
    found = Path(run(tool / "python", "-c", code, cwd=tool).stdout.strip())
    assert found.is_relative_to(tool.parent)
    assert [path.name for path in found.iterdir()] == ["slotproof_attach"]
    texts = {path.relative_to(found / "slotproof_attach") for path in found.rglob("*.py")}
    assert texts == {path.relative_to(ATTACHED) for path in ATTACHED.rglob("*.py")}
    # An engine's interpreter sees that folder alone, without anything that is installed beside it.
    there, loaded = json.loads(run(sys.executable, "-I", "-c", LOADED, found, cwd=tool).stdout)
    assert Path(there).is_relative_to(found)
    assert {name.partition(".")[0] for name in loaded} <= sys.stdlib_module_names | {"slotproof_attach"}


def test_an_engine_of_another_environment_is_recorded_and_judged_by_the_tool(tool: Path, tmp_path: Path) -> None:
    (tmp_path / "run.py").write_text(
        f"{PRELUDE}\nScheduler().run(Req('A', range(10), 10), Req('B', range(50, 60), 22))\n"
    )
    engine = ["env", f"PYTHONPATH={FAKE}"]
    words = ["attach", "sglang", "--out", "traces", "--judge", "--", ENGINE, "run.py"]
    done = run(*engine, tool / "slotproof", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("good: ")


def test_an_engine_gets_one_package_that_needs_nothing(wheels: dict[str, Path], tmp_path: Path) -> None:
    commands = environment(tmp_path / "env", "--no-index", wheels["slotproof_attach"])
    assert installed(commands) == {"slotproof-attach"}
    (package,) = (tmp_path / "env" / "lib").glob("python*/site-packages/slotproof_attach")
    there, loaded = json.loads(run(commands / "python", "-I", "-c", LOADED, package.parent, cwd=tmp_path).stdout)
    assert Path(there).parent == package
    assert {name.partition(".")[0] for name in loaded} <= sys.stdlib_module_names | {"slotproof_attach"}
    code = "from importlib.metadata import entry_points; print([e.value for e in entry_points(group='pytest11')])"
    assert run(commands / "python", "-c", code, cwd=tmp_path).stdout == "['slotproof_attach.pytest_plugin']\n"
    assert (package / "pytest_plugin.py").is_file()


def test_both_have_the_same_version() -> None:
    numbers = [
        tomllib.loads((ROOT / file).read_text(encoding="utf-8"))["project"]["version"]
        for file in ("pyproject.toml", "attach/pyproject.toml")
    ]
    assert numbers[0] == numbers[1]
