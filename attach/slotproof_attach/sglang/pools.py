"""What is noted of pool, allocator and cache: in sglang's scheduler thread; nothing is read from a device."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from slotproof_attach.ids import ids_of
from slotproof_attach.recorder import Recorder
from slotproof_attach.sglang import header
from slotproof_attach.sglang.fields import Method, prefix_of, recorder_of, state_of


def pool_init(original: Method, new_recorder: Callable[[Any], Recorder]) -> Method:
    """A pool has been made: it gets a recorder, unless its configuration is one that the format has no words for."""

    @functools.wraps(original)
    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        if recorder_of(self) is None:
            recorder = new_recorder(self)
            self._slotproof = self.mamba_allocator._slotproof = recorder
            reason = header.not_covered(self)
            if reason:
                recorder.stop(reason, header.of_pool(self))

    return init


def pool_alloc(original: Method) -> Method:
    """Requests that get a ring here may be launched."""

    @functools.wraps(original)
    def alloc(self: Any, reqs: list[Any], *args: Any, **kwargs: Any) -> Any:
        recorder = recorder_of(self)
        if recorder is None:
            return original(self, reqs, *args, **kwargs)
        fresh = [req for req in reqs if state_of(req).mamba_ping_pong_track_buffer is None]
        result = original(self, reqs, *args, **kwargs)
        for req in fresh if result is not None else ():
            if getattr(req.session, "streaming", False):
                recorder.stop("a streaming session: its slots outlive its requests", header.of_pool(self))
                break
            state = state_of(req)
            source = state.mamba_cow_src_index
            req._slotproof_life = recorder.admit(
                req.rid,
                ids_of(state.mamba_pool_idx, state.mamba_ping_pong_track_buffer),
                state.mamba_next_track_idx,
                getattr(state, "mamba_last_track_idx", None),
                None if source is None else (ids_of(source), prefix_of(req)),
            )
        return result

    return alloc


def pool_free(original: Method) -> Method:
    """A request has given everything back."""

    @functools.wraps(original)
    def free(self: Any, req: Any, *args: Any, **kwargs: Any) -> Any:
        result = original(self, req, *args, **kwargs)
        recorder = recorder_of(self)
        life = getattr(req, "_slotproof_life", None)
        if recorder is not None and life is not None:
            reason = req.finished_reason or getattr(req, "to_finish", None)
            why = "retract" if reason is None else "abort" if "ABORT" in type(reason).__name__ else "finish"
            recorder.note(("end", life, why))
        return result

    return free


def set_slot(original: Method) -> Method:
    """A ring position has another slot, or none."""

    @functools.wraps(original)
    def set_mamba_ping_pong_slot(self: Any, req: Any, *args: Any, **kwargs: Any) -> Any:
        result = original(self, req, *args, **kwargs)
        recorder = recorder_of(self)
        if recorder is not None:
            recorder.note(("ring", req._slotproof_life, ids_of(state_of(req).mamba_ping_pong_track_buffer)))
        return result

    return set_mamba_ping_pong_slot


def donate(original: Method) -> Method:
    """A new slot takes the ring position of one that goes to the cache."""

    @functools.wraps(original)
    def donate_mamba_ping_pong_slot(self: Any, req: Any, new_slot: Any, *args: Any, **kwargs: Any) -> Any:
        recorder = recorder_of(self)
        if recorder is not None:
            recorder.replacement = ids_of(new_slot)
        return original(self, req, new_slot, *args, **kwargs)

    return donate_mamba_ping_pong_slot


def slots_taken(original: Method) -> Method:
    """Slots leave the pool; for whom, the next lines show."""

    @functools.wraps(original)
    def _do_alloc(self: Any, *args: Any, **kwargs: Any) -> Any:
        slots = original(self, *args, **kwargs)
        recorder = recorder_of(self)
        if recorder is not None and slots is not None:
            recorder.note(("take", ids_of(slots)))
        return slots

    return _do_alloc


def slots_freed(original: Method) -> Method:
    """Slots go back to the pool."""

    @functools.wraps(original)
    def free(self: Any, index: Any, *args: Any, **kwargs: Any) -> Any:
        recorder = recorder_of(self)
        if recorder is not None and index.numel():
            recorder.note(("free", ids_of(index), recorder.cache_frees))
        return original(self, index, *args, **kwargs)

    return free


def slots_cleared(original: Method) -> Method:
    """All slots are free again."""

    @functools.wraps(original)
    def clear(self: Any, *args: Any, **kwargs: Any) -> Any:
        recorder = recorder_of(self)
        if recorder is not None:
            recorder.note(("clear",))
        return original(self, *args, **kwargs)

    return clear


def cache_frees(original: Method) -> Method:
    """The cache gives a slot up, which it had or was offered."""

    @functools.wraps(original)
    def _free_mamba_value(self: Any, *args: Any, **kwargs: Any) -> Any:
        recorder = recorder_of(getattr(self, "cache", self).req_to_token_pool)
        if recorder is None:
            return original(self, *args, **kwargs)
        recorder.cache_frees = True
        try:
            return original(self, *args, **kwargs)
        finally:
            recorder.cache_frees = False

    return _free_mamba_value


def insert(original: Method) -> Method:
    """The cache is handed a slot."""

    @functools.wraps(original)
    def insert_(self: Any, params: Any, *args: Any, **kwargs: Any) -> Any:
        recorder = recorder_of(self.req_to_token_pool)
        value, length = params.mamba_value, len(params.key)
        if recorder is None or value is None or not length:
            return original(self, params, *args, **kwargs)
        slot = ids_of(value)
        result = original(self, params, *args, **kwargs)
        recorder.publish(slot, length, not result.mamba_exist)
        return result

    return insert_


def publishing(original: Method) -> Method:
    """What the cache is handed meanwhile is this request's."""

    @functools.wraps(original)
    def publish_for(self: Any, req: Any, *args: Any, **kwargs: Any) -> Any:
        recorder = recorder_of(self.req_to_token_pool)
        if recorder is None:
            return original(self, req, *args, **kwargs)
        recorder.publisher = getattr(req, "_slotproof_life", None)
        try:
            return original(self, req, *args, **kwargs)
        finally:
            recorder.publisher = recorder.replacement = None

    return publish_for
