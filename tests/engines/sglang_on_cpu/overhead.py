"""What recording costs: CPU time of planning and processing decode steps, recorded and not, alternating in one process.

Usage: python -m sglang_on_cpu.overhead FOLDER eager|lazy REQUESTS TRACES

Prints one line of JSON: seconds of the process's CPU for a step without and with the recorder, each the median of ten
turns. The forward is not counted, nor is the making of its tokens; the writer's thread is, to its last line.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .stubs import import_sglang
from .workload import Workload

TURNS, STEPS = 10, 40
INTERVAL = 256


def main(folder: Path, lazy: bool, requests: int, traces: Path) -> None:
    """Measure, and print."""
    import slotproof_attach

    import_sglang(folder)
    slotproof_attach.attach("sglang", traces)
    switch = Switch()
    spent: dict[bool, list[float]] = {False: [], True: []}
    engines = {}
    for recorded in (False, True):
        switch.turn(recorded)
        engines[recorded] = Steps(requests, lazy)
    for _ in range(TURNS):
        for recorded in (False, True):
            switch.turn(recorded)
            spent[recorded].append(engines[recorded].turn())
    off, on = (statistics.median(spent[recorded]) for recorded in (False, True))
    slotproof_attach.close()
    print(json.dumps({"requests": requests, "off": off, "on": on}))


class Switch:
    """Takes the hooks off sglang's classes, and puts them on again."""

    def __init__(self) -> None:
        from slotproof_attach.sglang import table

        from . import world  # noqa: F401 (its imports are what is hooked)

        self._hooks = []
        for seam in table.HOOKED:
            module = sys.modules.get(seam.module)
            owner = getattr(module, "HybridReqToTokenPool" if seam.gives == "end" else seam.owner, None)
            hook = getattr(owner, seam.name, None)
            if hasattr(hook, "_slotproof"):
                self._hooks.append((owner, seam.name, hook))

    def turn(self, on: bool) -> None:
        """Put them on, or take them off."""
        for owner, name, hook in self._hooks:
            setattr(owner, name, hook if on else hook.__wrapped__)


class Steps:
    """An engine with a batch of requests that decode."""

    def __init__(self, requests: int, lazy: bool) -> None:
        from . import world
        from .fake_model import Text

        world.CONTEXT = 4 * INTERVAL
        size = {"slots": 4 * requests + 64, "tokens": 4 * INTERVAL * requests + 4096, "running": requests}
        self._world = world.World(Workload("overhead", (), "length", INTERVAL, **size), lazy)
        self._requests = [
            self._world.request(f"r{number}", Text([1 + number, *range(2, 2 + length)], 3 * INTERVAL, False))
            for number, length in enumerate(lengths(requests))
        ]
        admitted = self._world.adder(None, 0.1)
        for request in self._requests:
            request.init_next_round_input(self._world.cache)
            admitted.add_one_req(request, has_chunked_req=False, truncation_align_size=None)
        self._batch = self._world.batch(admitted.can_run_list, None)
        self._batch.prepare_for_extend()
        self._batch.decoding_reqs = None
        self._pending: list[Any] = [(self._batch.copy(), self._tokens())]
        self._world.process(*self._pending.pop())
        self._step()

    def turn(self) -> float:
        """Decode some steps, and return the CPU time of one without its forward."""
        begun, besides = time.process_time(), 0.0
        for _ in range(STEPS):
            besides += self._step()
        drain()
        return (time.process_time() - begun - besides) / STEPS

    def _step(self) -> float:
        self._batch.filter_batch()
        self._batch.prepare_for_decode()
        begun = time.thread_time()
        result = self._tokens()
        forward = time.thread_time() - begun
        self._world.pool.get_mamba_indices(self._batch.req_pool_indices)
        self._pending.append((self._batch.copy(), result))
        if len(self._pending) > 1:
            self._world.process(*self._pending.pop(0))
        return forward

    def _tokens(self) -> Any:
        import torch
        from sglang.srt.managers.utils import GenerationBatchResult

        return GenerationBatchResult(next_token_ids=torch.full((len(self._batch.reqs),), 7), can_run_cuda_graph=False)


def lengths(count: int) -> Iterator[int]:
    """Lengths of prompts, spread over an interval so that boundaries do not come together."""
    return (8 + number * 97 % (INTERVAL - 16) for number in range(count))


def drain() -> None:
    """Have everything written that was noted."""
    from slotproof_attach.attaching import Process

    if Process.writer is not None:
        Process.writer.round()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2] == "lazy", int(sys.argv[3]), Path(sys.argv[4]))
