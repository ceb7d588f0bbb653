"""What a device does with a batch: it clears, copies, computes the rows and writes the checkpoints that are asked for.

Everything runs at the moment of launch, which is the order in which a device's stream would run it.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from sglang.srt.managers.schedule_batch import ScheduleBatch
from sglang.srt.managers.utils import GenerationBatchResult

from .fake_model import Text
from .truth import Truth
from .world import World


@dataclass(frozen=True)
class Row:
    """What one request has in a batch."""

    name: str
    slot: int
    start: int
    end: int
    prompt: bool
    mark: int | None
    """The length at which a checkpoint is written, and the slot for it."""
    target: int


class Device:
    """Runs every batch; a wrong state is reported, and put right so that it is reported once."""

    def __init__(self, world: World, truth: Truth) -> None:
        self._world, self._truth = world, truth

    def launch(self, batch: ScheduleBatch, texts: dict[str, Text]) -> GenerationBatchResult:
        """One forward pass, and the tokens that it samples."""
        self._prepare_slots(batch)
        rows = rows_of(batch, self._world)
        check_the_input(batch, rows, texts)
        self._truth.writes([slot for row in rows for slot in written(row)])
        for row in rows:
            state = texts[row.name].state
            self._truth.starts(row.name, row.slot, state(row.start), reused=row.prompt and row.start > 0)
            if row.mark is not None:
                self._world.slots.write(row.target, state(row.mark))
            self._world.slots.write(row.slot, state(row.end))
        self._truth.look_at_the_cache()
        tokens = [texts[row.name].token(row.end) for row in rows]
        return GenerationBatchResult(next_token_ids=torch.tensor(tokens), can_run_cuda_graph=False)

    def _prepare_slots(self, batch: ScheduleBatch) -> None:
        states = self._world.pool.mamba_pool
        if batch.forward_mode.is_extend() and batch.mamba_clear_indices is not None:
            states.clear_slots(batch.mamba_clear_indices)
        if batch.forward_mode.is_extend() and batch.mamba_cow_src_indices is not None:
            states.copy_from(batch.mamba_cow_src_indices, batch.mamba_cow_dst_indices)


def written(row: Row) -> list[int]:
    """The slots that a row writes."""
    return [row.slot] if row.mark is None else [row.slot, row.target]


def rows_of(batch: ScheduleBatch, world: World) -> list[Row]:
    """The rows of a batch: prompts first, then those that decode."""
    riding = len(batch.decoding_reqs or ()) if batch.forward_mode.is_extend() else len(batch.reqs)
    prompts = len(batch.reqs) - riding
    slots, ends = world.pool.get_mamba_indices(batch.req_pool_indices).tolist(), batch.seq_lens.tolist()
    tracked = batch.mamba_track_mask
    masks = [False] * len(slots) if tracked is None else tracked.tolist()
    targets = [-1] * len(slots) if batch.mamba_track_indices is None else batch.mamba_track_indices.tolist()
    rows = []
    for i, request in enumerate(batch.reqs):
        start = batch.prefix_lens[i] if i < prompts else ends[i] - 1
        mark = None
        if masks[i]:
            mark = ends[i] if i >= prompts else mark_of_a_prompt(start, int(batch.mamba_track_seqlens[i]), world)
        rows.append(Row(request.rid, slots[i], start, ends[i], i < prompts, mark, targets[i]))
    return rows


def check_the_input(batch: ScheduleBatch, rows: list[Row], texts: dict[str, Text]) -> None:
    """The prompts that the engine computes are those that were asked for, so that a text says what a state must be."""
    expected = [texts[row.name].token(place) for row in rows if row.prompt for place in range(row.start, row.end)]
    given = batch.prefill_input_ids_cpu.tolist() if batch.forward_mode.is_extend() else []
    if given != expected:
        raise AssertionError(f"the engine computes {given} where the prompts go on with {expected}")


def mark_of_a_prompt(start: int, asked: int, world: World) -> int:
    """The kernel keeps states at whole chunks, counted from where the prompt goes on."""
    chunk = world.asked.interval
    return start + (asked - start) // chunk * chunk
