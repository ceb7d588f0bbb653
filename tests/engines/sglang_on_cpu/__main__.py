"""Play workloads on sglang, and write down what was true of each.

Usage: python -m sglang_on_cpu FOLDER eager|lazy WORKLOADS TRUTH

FOLDER holds an unpacked wheel. WORKLOADS and TRUTH have one line each for every run, in the same order; what the engine
raises ends its run, and stands there as well.
"""

from __future__ import annotations

import json
import sys
import traceback
from pathlib import Path

from .stubs import import_sglang
from .workload import Workload, from_json


def main(folder: Path, mode: str, workloads: Path, found: Path) -> None:
    """Play one workload after the other, each on an engine of its own."""
    import_sglang(folder)
    with found.open("w", encoding="utf-8") as out:
        for line in workloads.read_text(encoding="utf-8").splitlines():
            print(json.dumps(played(from_json(line), mode == "lazy")), file=out, flush=True)


def played(workload: Workload, lazy: bool) -> dict[str, object]:
    """What was true of one run."""
    from .loop import Loop
    from .truth import Truth
    from .world import World

    world = World(workload, lazy)
    truth = Truth(world)
    raised = ""
    try:
        Loop(world, truth).play()
        truth.at_rest()
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        raised = f"{type(error).__name__} at {Path(place.filename).name}:{place.lineno}: {error}"
    return {
        "name": workload.name,
        "wrong": truth.wrong,
        "misfiled": truth.misfiled,
        "leaked": truth.leaked,
        "raised": raised,
        "seen": truth.seen,
    }


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4]))
