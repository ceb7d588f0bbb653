"""One request, a stop token, and a second request that goes on with its text, on an unpacked release of sglang.

Usage: python tests/engines/first_run.py FOLDER [eager|lazy]

Something for `slotproof attach` to record where there is no accelerator: with 0.5.23, eager, the first fault that
docs/findings.md tells of. It runs in the engine's interpreter, which finds what lies beside it.
"""

from __future__ import annotations

import sys
from pathlib import Path

from sglang_on_cpu.enumerated import afterwards, first
from sglang_on_cpu.stubs import import_sglang
from sglang_on_cpu.workload import Workload


def main(folder: Path, mode: str = "eager") -> None:
    """Run both requests."""
    import_sglang(folder)
    from sglang_on_cpu.loop import Loop
    from sglang_on_cpu.truth import Truth
    from sglang_on_cpu.world import World

    world = World(Workload("first", ((first(7, 9),), afterwards())), mode == "lazy")
    truth = Truth(world)
    Loop(world, truth).play()
    print(f"wrong states, known without the judge: {len(truth.wrong)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
