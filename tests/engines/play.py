"""Have runs played on an engine, in its own interpreter, and recorded there by `slotproof_attach`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.engines.install import FOLDER, PYTHON
from tests.engines.sglang_on_cpu.workload import Workload
from tests.support.paths import ROOT, TESTS

PATIENCE = 3600


@dataclass(frozen=True)
class Truth:
    """What is known of a run without any judge (sglang_on_cpu/truth.py)."""

    name: str
    wrong: tuple[str, ...]
    misfiled: tuple[tuple[int, int], ...] = ()
    """Slots of the cache that do not hold what they are filed under, and under how many tokens."""
    leaked: tuple[int, ...] = ()
    raised: str = ""
    """What the engine raised: the run ends there."""


class NotPlayed(Exception):
    """The engine's process ended before all runs were played; the message has its last words."""


def played(folder: Path, mode: str, workloads: list[Workload], what: str = "") -> tuple[list[Truth], list[Path]]:
    """Play the workloads in a process of their own; the truth and the trace of each, in their order."""
    place = FOLDER / "runs" / f"{what}{folder.name}-{mode}"
    shutil.rmtree(place, ignore_errors=True)
    (place / "recorded").mkdir(parents=True)
    asked, found = place / "workloads.ndjson", place / "truth.ndjson"
    asked.write_text("".join(workload.to_json() + "\n" for workload in workloads), encoding="utf-8")
    arguments = ["-m", "sglang_on_cpu", folder, mode, asked, found]
    record(folder, list(map(str, arguments)), place / "recorded")
    truths = [truth_of(json.loads(line)) for line in found.read_text(encoding="utf-8").splitlines()]
    return truths, named_traces(place, truths)


def record(folder: Path, arguments: list[str], traces: Path) -> None:
    """Run Python with the engine on its path, and have every pool of slots that it makes recorded."""
    path = [ROOT / "attach", TESTS / "engines", folder]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, path)), "PYTHONWARNINGS": "ignore"}
    command = [PYTHON, "-m", "slotproof_attach", "sglang", "--out", traces, "--", PYTHON, *arguments]
    done = subprocess.run(
        list(map(str, command)), env=environment, capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    if done.returncode:
        raise NotPlayed(f"{folder.name} ended with {done.returncode}: {(done.stderr.splitlines() or [''])[-1]}")


def truth_of(fields: dict[str, Any]) -> Truth:
    """One line of the truth."""
    misfiled = tuple((slot, length) for slot, length in fields["misfiled"])
    return Truth(fields["name"], tuple(fields["wrong"]), misfiled, tuple(fields["leaked"]), fields["raised"])


def named_traces(place: Path, truths: list[Truth]) -> list[Path]:
    """Every run makes one pool, so the n-th trace is the n-th run's; it gets the run's name."""
    traces = {int(path.stem.partition("-")[2]): path for path in (place / "recorded").iterdir()}
    return [
        traces[number].rename(place / f"{truth.name}.ndjson") if number in traces else place / f"{truth.name}.ndjson"
        for number, truth in enumerate(truths)
    ]
