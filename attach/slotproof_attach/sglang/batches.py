"""What is noted of batches: planned, launched, processed. In sglang's scheduler thread; nothing is read from a device.

A batch is launched when its forward looks up where the states are, or, should one not, when the batch is copied for its
result, or has it. Until then planning may still mix it with another one.
"""

from __future__ import annotations

import functools
from operator import sub
from typing import Any

from slotproof_attach.ids import ids_of
from slotproof_attach.life import UNKNOWN, Life
from slotproof_attach.recorder import Recorder
from slotproof_attach.sglang import header
from slotproof_attach.sglang.fields import Fields, Method, prefix_of, recorder_of, state_of


class Launched:
    """What is kept of a launched batch until its result is processed."""

    __slots__ = ("counts", "lives", "number", "prefills", "states")

    def __init__(
        self, number: int, lives: list[Life], states: list[Any], counts: list[Any], prefills: bool = False
    ) -> None:
        self.number, self.lives, self.states, self.prefills = number, lives, states, prefills
        self.counts = counts
        """The decode count of each row; None: a prefill row."""


def prepare_one(original: Method) -> Method:
    """Whether a row of a prefill batch writes a checkpoint, of how many tokens, and at which position."""

    @functools.wraps(original)
    def prepare(self: Any, req: Any, *args: Any, **kwargs: Any) -> Any:
        position = state_of(req).mamba_next_track_idx
        entry = original(self, req, *args, **kwargs)
        mark = None
        if entry.track_mask:
            # As the kernels make it out from the length that they are handed.
            prefix, chunk = prefix_of(req), getattr(self.model_config.hf_text_config, "mamba_chunk_size", 64)
            mark = prefix + (int(entry.track_seqlen) - prefix) // chunk * chunk
        self.__dict__.setdefault("_slotproof_marks", []).append((mark, position))
        return entry

    return prepare


def prepare_for_extend(original: Method) -> Method:
    """A prefill batch is planned."""

    @functools.wraps(original)
    def prepare(self: Any, *args: Any, **kwargs: Any) -> Any:
        self._slotproof_marks = []
        result = original(self, *args, **kwargs)
        _plan(self)
        return result

    return prepare


def prepare_for_decode(original: Method) -> Method:
    """A decode batch is planned."""

    @functools.wraps(original)
    def prepare(self: Any, *args: Any, **kwargs: Any) -> Any:
        result = original(self, *args, **kwargs)
        self._slotproof_marks = None
        _plan(self)
        return result

    return prepare


def mix(original: Method) -> Method:
    """The rows of a planned decode batch are launched with a prefill batch."""

    @functools.wraps(original)
    def mix_with_running(self: Any, running: Any, *args: Any, **kwargs: Any) -> Any:
        running._slotproof_planned = False
        result = original(self, running, *args, **kwargs)
        _plan(self)
        return result

    return mix_with_running


def copied(original: Method) -> Method:
    """The batch has been launched; the copy is what its result will be processed with."""

    @functools.wraps(original)
    def copy(self: Any, *args: Any, **kwargs: Any) -> Any:
        recorder = recorder_of(self.req_to_token_pool)
        if recorder is None:
            return original(self, *args, **kwargs)
        launch(recorder, self)
        other = original(self, *args, **kwargs)
        other._slotproof_launched = self.__dict__.get("_slotproof_launched")
        return other

    return copy


def forwarded(original: Method) -> Method:
    """A forward looks up the working slots of its batch."""

    @functools.wraps(original)
    def get_mamba_indices(self: Any, *args: Any, **kwargs: Any) -> Any:
        recorder = recorder_of(self)
        if recorder is not None and recorder.planned is not None:
            batch, recorder.planned = recorder.planned, None
            launch(recorder, batch)
        return original(self, *args, **kwargs)

    return get_mamba_indices


def _plan(batch: Any) -> None:
    batch._slotproof_planned = True
    recorder = recorder_of(batch.req_to_token_pool)
    if recorder is not None:
        recorder.planned = batch


def launch(recorder: Recorder, batch: Any) -> None:
    """Note that a batch is launched, if it was planned and has not been."""
    if not batch.__dict__.get("_slotproof_planned"):
        return
    batch._slotproof_planned, batch._slotproof_launched = False, None
    if not recorder.has_header:
        recorder.header(header.of_batch(batch))
    if not batch.spec_algorithm.is_none():
        recorder.stop("speculative decoding: its rows verify several tokens")
        return
    try:
        make = _launch_decode if batch._slotproof_marks is None else _launch_prefill
        batch._slotproof_launched = make(recorder, batch)
    except AttributeError as error:
        if "_slotproof_life" not in str(error):
            raise
        recorder.stop("a row of a request whose admission was not seen")


def _launch_decode(recorder: Recorder, batch: Any) -> Launched:
    reqs = batch.reqs
    lives, states = recorder.rows(reqs, state_of)
    nexts = [state.mamba_next_track_idx for state in states]
    mark = None
    if Fields.kept_on_batch:
        counts = batch.mamba_decode_batch_idx_cpu
        lasts = [state.mamba_last_track_idx for state in states]
        mask = batch.mamba_track_mask_cpu
        if True in mask:
            mark = (mask, batch.mamba_track_buffer_indices, ids_of(batch.mamba_track_indices))
    else:
        counts = [req.decode_batch_idx for req in reqs]
        lasts = None
        mark = (ids_of(batch.mamba_track_mask), nexts, ids_of(batch.mamba_track_indices))
    number = recorder.launch_number()
    recorder.note(("decode", number, lives, batch.seq_lens_cpu, counts, nexts, lasts, mark))
    return Launched(number, lives, states, counts)


def _launch_prefill(recorder: Recorder, batch: Any) -> Launched:
    marks = batch._slotproof_marks
    lives, states = recorder.rows(batch.reqs, state_of)
    counts: list[int | None] = []
    rows = []
    for place, (req, life, state, start, length) in enumerate(
        zip(batch.reqs, lives, states, batch.prefix_lens, batch.extend_lens, strict=True)
    ):
        prefill = place < len(marks)
        mark, position = marks[place] if prefill else (None, None)
        count = None if prefill else req.decode_batch_idx
        counts.append(count)
        last = getattr(state, "mamba_last_track_idx", None) if Fields.kept_on_batch else UNKNOWN
        rows.append((life, prefill, start, start + length, mark, position, state.mamba_next_track_idx, last, count))
    # A batch that was mixed may have lost where its checkpoints go: then it writes none.
    targets = None if batch.mamba_track_indices is None else ids_of(batch.mamba_track_indices)
    copies = None
    if batch.mamba_cow_src_indices is not None:
        copies = (ids_of(batch.mamba_cow_src_indices), ids_of(batch.mamba_cow_dst_indices))
    clears = [] if batch.mamba_clear_indices is None else ids_of(batch.mamba_clear_indices)
    number = recorder.launch_number()
    recorder.note(("prefill", number, rows, targets, copies, clears))
    return Launched(number, lives, states, counts, prefills=True)


def processing(original: Method) -> Method:
    """The result of a batch is processed."""

    @functools.wraps(original)
    def process(self: Any, batch: Any, *args: Any, **kwargs: Any) -> Any:
        recorder = recorder_of(batch.req_to_token_pool)
        if recorder is None:
            return original(self, batch, *args, **kwargs)
        launch(recorder, batch)
        launched = batch.__dict__.get("_slotproof_launched")
        if launched is None:
            return original(self, batch, *args, **kwargs)
        reqs = batch.reqs
        over = [req.finished_reason or req.is_retracted for req in reqs]
        skipped = list(map(bool, over)) if any(over) else None
        recorder.begin(launched.number)
        try:
            result = original(self, batch, *args, **kwargs)
        except BaseException as error:
            recorder.stop(f"the engine raised {type(error).__name__} while it processed a result")
            raise
        processed(recorder, reqs, launched, skipped)
        return result

    return process


def processed(recorder: Recorder, reqs: list[Any], launched: Launched, skipped: list[bool] | None) -> None:
    """Note what a result has left of each request."""
    states = launched.states
    over = [req.finished_reason for req in reqs]
    done = [reason is not None for reason in over] if over.count(None) < len(over) else None
    columns = (
        [state.mamba_next_track_idx for state in states],
        [state.mamba_last_track_idx for state in states] if Fields.kept_on_batch else None,
        [state.mamba_last_track_seqlen for state in states],
    )
    steps = [req.decode_batch_idx for req in reqs]
    if launched.prefills:
        aheads = [None if n is None else step - n for step, n in zip(steps, launched.counts, strict=True)]
    else:
        aheads = [*map(sub, steps, launched.counts)]
    recorder.note(("process", launched.number, launched.lives, skipped, done, columns, aheads))
