from sglang.srt.mem_cache.base_prefix_cache import InsertParams, InsertResult
from sglang.srt.mem_cache.unified_cache.components.mamba import MambaComponent


class UnifiedRadixCache:
    page_size = 1

    def __init__(self, pool):
        self.req_to_token_pool = pool
        self.component = MambaComponent(self)
        self.entries = {}

    def insert(self, params):
        if params.key in self.entries:
            return InsertResult(mamba_exist=True)
        self.entries[params.key] = params.mamba_value
        return InsertResult()

    def match(self, tokens):
        keys = [key for key in self.entries if len(key) < len(tokens) and tokens[: len(key)] == key]
        return max(keys, key=len, default=())

    def evict(self):
        self.component._free_mamba_value(self.entries.pop(next(iter(self.entries))))

    def alloc(self, count):
        while (slots := self.req_to_token_pool.mamba_allocator.alloc(count)) is None:
            self.evict()
        return slots

    def checkpoint_into_tree(self, req, *, up_to):
        kv, pool = req.kv, self.req_to_token_pool
        label = kv.mamba_last_track_seqlen
        ends = req.finished_reason is not None
        if label is None or label > up_to:
            if ends:
                pool.free_mamba_cache(req)
            return
        if ends:
            value = kv.mamba_ping_pong_track_buffer[kv.mamba_last_track_idx :][:1]
            value = type(kv.mamba_ping_pong_track_buffer)(value)
        else:
            value = pool.donate_mamba_ping_pong_slot(req, self.alloc(1))
        result = self.insert(InsertParams(key=req.tokens[:label], mamba_value=value))
        if ends:
            pool.free_mamba_cache(req, None if result.mamba_exist else kv.mamba_last_track_idx)
        elif result.mamba_exist:
            self.component._free_mamba_value(value)
        kv.mamba_last_track_seqlen = None
