"""Runs of a small control plane with sglang's seams, recorded from processes of their own as an engine's are."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from checker.traces.judge_file import judge_file
from checker.traces.verdict import Verdict
from tests.support.paths import ATTACHED, TESTS

FAKE = TESTS / "attach" / "fake_engine"
PRELUDE = """
from sglang.scheduler import Scheduler
from sglang.srt.managers.schedule_batch import *
"""


def environment(*path: Path) -> dict[str, str]:
    """An environment in which only these folders are on the path."""
    given = {name: value for name, value in os.environ.items() if not name.startswith("SLOTPROOF")}
    return given | {"PYTHONPATH": os.pathsep.join(map(str, path))}


def record(
    folder: Path, script: str, engine: Path = FAKE, *path: Path, prelude: str = PRELUDE
) -> subprocess.CompletedProcess[str]:
    """Record a script that has the engine on its path; the traces are in `folder / "traces"`."""
    file = folder / "script.py"
    file.write_text(prelude + script)
    words = [sys.executable, "-m", "slotproof_attach", "sglang", "--out", str(folder / "traces")]
    return subprocess.run(
        [*words, "--", sys.executable, str(file)],
        env=environment(ATTACHED.parent, engine, *path),
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def traces(folder: Path) -> list[Path]:
    """The traces of a recorded script."""
    return sorted((folder / "traces").glob("*.ndjson"))


def lines(file: Path) -> list[dict[str, Any]]:
    """The lines of a trace."""
    return [json.loads(line) for line in file.read_text().splitlines()]


def recorded(folder: Path, script: str) -> tuple[Verdict, list[dict[str, Any]]]:
    """Record a script that makes one pool: the verdict on its trace, and the lines."""
    done = record(folder, script)
    assert done.returncode == 0, done.stderr
    (file,) = traces(folder)
    return judge_file(file).verdict, lines(file)
