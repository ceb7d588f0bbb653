"""The order of events: an overlap scheduler launches a batch before it has processed the result of the one before.

What the engine's scheduler does between its parts is done here in the same order: finished requests leave, the prompts
of the last batch join those that decode, prompts are admitted as long as there is room, else those that run decode.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from sglang.srt.managers.schedule_batch import Req, ScheduleBatch
from sglang.srt.managers.schedule_policy import AddReqResult

from .fake_model import Text
from .forward import Device
from .truth import Truth
from .world import World, record

PATIENCE = 600
"""Steps after which a round that does not end is given up; the longest one takes a third of that."""


class Stuck(Exception):
    """A round does not end: somebody waits for room that nobody will ever give back."""


class Loop:
    """The scheduler of one engine."""

    def __init__(self, world: World, truth: Truth) -> None:
        self.world, self.asked, self.truth = world, world.asked, truth
        self.device = Device(world, truth)
        self.texts: dict[str, Text] = {}
        self.foresight = self.asked.foresight
        self.waiting: list[Req] = []
        self.running = ScheduleBatch(reqs=[])
        self.last: ScheduleBatch | None = None
        self.chunked: Req | None = None
        self.queue: deque[tuple[ScheduleBatch, Any]] = deque()
        self.step = 0

    def play(self) -> None:
        """All rounds of the workload."""
        for asked in self.asked.rounds:
            arrivals: dict[int, list[Req]] = {}
            for prompt in asked:
                before = self.texts[prompt.continues].whole if prompt.continues else []
                text = Text([*before, *prompt.tokens], prompt.outputs, self.asked.finish == "stop")
                self.texts[prompt.name] = text
                arrivals.setdefault(prompt.arrives, []).append(self.world.request(prompt.name, text))
            self.play_round(arrivals)

    def play_round(self, arrivals: dict[int, list[Req]]) -> None:
        """Step until all that have arrived are over."""
        for self.step in range(PATIENCE):
            self.waiting += arrivals.pop(self.step, [])
            batch = self.next_batch()
            if batch is not None:
                result = self.device.launch(batch, self.texts)
                self.queue.append((batch.copy(), result))
            if self.last is not None:
                self.world.process(*self.queue.popleft())
            self.last = batch
            if batch is None and not (self.waiting or arrivals or self.queue or self.chunked):
                return
        raise Stuck(f"a round of {self.asked.name} has not ended after {PATIENCE} steps")

    def next_batch(self) -> ScheduleBatch | None:
        """Prompts, if any can be admitted, else a step of those that decode."""
        staying = [self.chunked] if self.chunked is not None else []
        if self.chunked is not None:
            self.world.checkpoint(self.chunked)
        if self.last is not None and self.last.forward_mode.is_extend():
            staying += [self.last.chunked_req] if self.last.chunked_req is not None else []
            self.last.filter_batch(staying)
            self.join(self.last)
        self.leave([])
        return self.prompts() or self.decode()

    def join(self, batch: ScheduleBatch) -> None:
        """Requests whose prompts have been launched decode from now on."""
        if batch.is_empty():
            return
        if self.running.is_empty():
            self.running = batch
        else:
            self.running.merge_batch(batch)

    def leave(self, excluded: list[Req]) -> None:
        """Finished requests leave, and the door is open again."""
        before = len(self.running.reqs)
        self.running.filter_batch(excluded)
        if len(self.running.reqs) < before or self.running.is_empty():
            self.running.batch_is_full = False

    def prompts(self) -> ScheduleBatch | None:
        """Admit what there is room for; decode rows may ride along."""
        admitted = self.admit()
        if not admitted:
            return None
        batch = self.world.batch(admitted, self.chunked)
        batch.prepare_for_extend()
        batch.decoding_reqs = None
        if self.asked.mixed and not self.running.is_empty():
            self.leave(self.finishing())
            if not self.running.is_empty() and self.running.check_decode_mem():
                self.running.prepare_for_decode()
                batch.mix_with_running(self.running)
                self.truth.seen["mixed"] += 1
                batch.decoding_reqs = self.running.reqs
                self.running = ScheduleBatch(reqs=[], batch_is_full=self.running.batch_is_full)
        return batch

    def admit(self) -> list[Req]:
        """In the order of arrival, up to the first that must wait."""
        if (self.running.batch_is_full or not self.waiting) and self.chunked is None:
            return []
        if len(self.running.reqs) >= self.asked.running and self.chunked is None:
            self.running.batch_is_full = True
            return []
        adder = self.world.adder(self.running, self.foresight)
        if self.chunked is not None:
            self.chunked.init_next_round_input()
            self.chunked = adder.add_chunked_req(self.chunked)
        states = self.world.pool.mamba_allocator
        states.alloc_group_begin(len(self.waiting))
        for request in self.waiting:
            if adder.budget_state() == AddReqResult.OTHER or not self.has_room_beside(adder.can_run_list):
                break
            request.init_next_round_input(self.world.cache)
            answer = adder.add_one_req(request, has_chunked_req=self.chunked is not None, truncation_align_size=None)
            if answer != AddReqResult.CONTINUE:
                self.reject(request, answer, adder.can_run_list)
                break
        states.alloc_group_end()
        self.waiting = [request for request in self.waiting if request not in adder.can_run_list]
        if adder.new_chunked_req is not None:
            self.chunked = adder.new_chunked_req
        if self.chunked is not None and adder.can_run_list:
            self.chunked.inflight_middle_chunks += 1
            self.truth.seen["chunks"] += 1
        return adder.can_run_list

    def has_room_beside(self, admitted: list[Req]) -> bool:
        """Whether one more request may run."""
        if len(admitted) + len(self.running.reqs) >= self.asked.running:
            self.running.batch_is_full = True
        return not self.running.batch_is_full

    def reject(self, request: Req, answer: Any, admitted: list[Req]) -> None:
        """Undo what matching has done for a request that must wait."""
        if answer == AddReqResult.NO_TOKEN:
            self.running.batch_is_full = bool(admitted) or not self.running.is_empty()
        if admitted and request is admitted[-1]:
            return
        self.truth.seen["rejected"] += 1
        kept = record(request)
        kept.mamba_cow_src_index, kept.mamba_needs_clear = None, False
        if kept.mamba_pool_idx is not None:
            self.world.pool.mamba_allocator.free(kept.mamba_pool_idx.unsqueeze(-1))
            kept.mamba_pool_idx = None

    def finishing(self) -> list[Req]:
        """Requests that the result on its way will end by length; from 0.5.22 on they sit out."""
        if not self.queue:
            return []
        launched = self.queue[0][0].reqs
        return [
            request
            for request in self.running.reqs
            if hasattr(request, "next_output_finishes_by_length")
            and request in launched
            and request.next_output_finishes_by_length()
        ]

    def decode(self) -> ScheduleBatch | None:
        """One step of those that run; where there is no room for it, some are retracted."""
        finishing = self.finishing()
        self.leave(finishing)
        if self.running.is_empty():
            return None
        full = not self.running.check_decode_mem()
        if full and finishing:
            self.running.batch_is_full = False
            return None
        forced = self.step in self.asked.retract_at and len(self.running.reqs) > 1
        if full or forced:
            retracted, self.foresight = self.world.retract(self.running)
            self.truth.seen["retracted"] += len(retracted)
            self.waiting += retracted
            self.running.batch_is_full = False
        if self.running.is_empty():
            return None
        self.running.prepare_for_decode()
        return self.running
