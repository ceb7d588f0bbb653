"""Every place of sglang that the recorder touches, by release. One that a release should have and lacks is refused."""

from __future__ import annotations

from slotproof_attach.seams import Release, Seam

FIRST: Release = (0, 5, 17)
LAST: Release = (0, 5, 23)
KEPT_ON_BATCH: Release = (0, 5, 18)
"""From here on a batch keeps masks, positions and counters of its own, and a request its `last`."""
ON_KV: Release = (0, 5, 19)
"""From here on what a request has of the state pool is on `req.kv`."""
PREFIX_LEN: Release = (0, 5, 22)
"""From here on a request has a `prefix_len` instead of the indices of its prefix."""

POOL = "sglang.srt.mem_cache.memory_pool"
ALLOCATOR = "sglang.srt.mem_cache.allocator.mamba"
BATCH = "sglang.srt.managers.schedule_batch"
RESULTS = "sglang.srt.managers.scheduler_components.batch_result_processor"
PARAMS = "sglang.srt.mem_cache.base_prefix_cache"
TREE = "sglang.srt.mem_cache.unified_radix_cache"
OLD_TREE = "sglang.srt.mem_cache.mamba_radix_cache"
COMPONENT = "sglang.srt.mem_cache.unified_cache.components.mamba"
OLD_COMPONENT = "sglang.srt.mem_cache.unified_cache.components.mamba_component"

_TO_17, _TO_18, _TO_19, _TO_20, _TO_21 = ((0, 5, number) for number in range(17, 22))
_FROM_20, _FROM_21 = (0, 5, 20), (0, 5, 21)


def _fields(
    module: str, owner: str, names: str, gives: str, since: Release = FIRST, until: Release = LAST
) -> list[Seam]:
    return [Seam(module, owner, name, gives, since, until) for name in names.split()]


HOOKED = [
    Seam(POOL, "HybridReqToTokenPool", "__init__", "the header"),
    Seam(POOL, "HybridReqToTokenPool", "alloc", "admit"),
    Seam(POOL, "HybridReqToTokenPool", "set_mamba_ping_pong_slot", "ring"),
    Seam(POOL, "HybridReqToTokenPool", "donate_mamba_ping_pong_slot", "replaced_by"),
    Seam(POOL, "ReqToTokenPool", "free", "end"),
    Seam(ALLOCATOR, "MambaSlotAllocator", "_do_alloc", "take"),
    Seam(ALLOCATOR, "MambaSlotAllocator", "free", "free, evict"),
    Seam(ALLOCATOR, "MambaSlotAllocator", "clear", "evict"),
    Seam(BATCH, "ScheduleBatch", "_mamba_radix_cache_v2_req_prepare_for_extend", "marks"),
    Seam(BATCH, "ScheduleBatch", "prepare_for_extend", "launch"),
    Seam(BATCH, "ScheduleBatch", "prepare_for_decode", "launch"),
    Seam(BATCH, "ScheduleBatch", "mix_with_running", "launch"),
    Seam(BATCH, "ScheduleBatch", "copy", "launch"),
    Seam(POOL, "HybridReqToTokenPool", "get_mamba_indices", "launch"),
    Seam(RESULTS, "SchedulerBatchResultProcessor", "process_batch_result_prefill", "process"),
    Seam(RESULTS, "SchedulerBatchResultProcessor", "process_batch_result_decode", "process"),
    Seam(TREE, "UnifiedRadixCache", "insert", "publish"),
    Seam(TREE, "UnifiedRadixCache", "cache_finished_req", "publish", FIRST, _TO_20),
    Seam(TREE, "UnifiedRadixCache", "cache_unfinished_req", "publish", FIRST, _TO_21),
    Seam(TREE, "UnifiedRadixCache", "insert_req", "publish", _FROM_21, _TO_21),
    Seam(TREE, "UnifiedRadixCache", "checkpoint_into_tree", "publish", PREFIX_LEN),
    Seam(OLD_COMPONENT, "MambaComponent", "_free_mamba_value", "evict", FIRST, _TO_19),
    Seam(COMPONENT, "MambaComponent", "_free_mamba_value", "evict", _FROM_20),
    Seam(OLD_TREE, "MambaRadixCache", "insert", "publish", FIRST, _TO_20),
    Seam(OLD_TREE, "MambaRadixCache", "cache_finished_req", "publish", FIRST, _TO_20),
    Seam(OLD_TREE, "MambaRadixCache", "cache_unfinished_req", "publish", FIRST, _TO_20),
    Seam(OLD_TREE, "MambaRadixCache", "_free_mamba_value", "evict", FIRST, _TO_20),
]
"""Methods that are wrapped; adapter.py has a wrapper for each name."""

_STATE = "mamba_pool_idx mamba_ping_pong_track_buffer mamba_next_track_idx mamba_last_track_seqlen mamba_cow_src_index"

READ = [
    *_fields(BATCH, "Req", _STATE, "pointers and labels", until=_TO_18),
    *_fields(BATCH, "ReqKvInfo", _STATE, "pointers and labels", ON_KV),
    *_fields(BATCH, "Req", "mamba_last_track_idx", "last", KEPT_ON_BATCH, _TO_18),
    *_fields(BATCH, "ReqKvInfo", "mamba_last_track_idx", "last", ON_KV),
    *_fields(BATCH, "Req", "rid finished_reason is_retracted decode_batch_idx session", "launch, process, end"),
    *_fields(BATCH, "Req", "prefix_indices", "hit", until=_TO_21),
    *_fields(BATCH, "Req", "prefix_len", "hit", PREFIX_LEN),
    *_fields(BATCH, "ScheduleBatch", "reqs prefix_lens extend_lens seq_lens_cpu model_config", "launch"),
    *_fields(BATCH, "ScheduleBatch", "mamba_track_indices mamba_track_mask", "marks"),
    *_fields(BATCH, "ScheduleBatch", "mamba_track_mask_cpu mamba_track_buffer_indices", "marks", KEPT_ON_BATCH),
    *_fields(BATCH, "ScheduleBatch", "mamba_decode_batch_idx_cpu", "count, lookahead", KEPT_ON_BATCH),
    *_fields(
        BATCH, "ScheduleBatch", "mamba_cow_src_indices mamba_cow_dst_indices mamba_clear_indices", "copies, clears"
    ),
    *_fields(BATCH, "ScheduleBatch", "req_to_token_pool tree_cache spec_algorithm enable_overlap", "the header"),
    *_fields(BATCH, "_MambaRadixCacheV2TrackEntry", "track_mask track_seqlen", "marks"),
    *_fields(
        POOL, "HybridReqToTokenPool", "mamba_ping_pong_track_buffer_size mamba_allocator mamba_ckpt_pool", "the header"
    ),
    *_fields(POOL, "HybridReqToTokenPool", "enable_mamba_extra_buffer enable_mamba_extra_buffer_lazy", "the header"),
    *_fields(ALLOCATOR, "MambaSlotAllocator", "size", "the header"),
    *_fields(PARAMS, "InsertParams", "key mamba_value", "publish"),
    *_fields(PARAMS, "InsertResult", "mamba_exist", "publish"),
]
"""Fields that are read."""

SEAMS = [*HOOKED, *READ]
MODULES = tuple(dict.fromkeys(seam.module for seam in HOOKED))
