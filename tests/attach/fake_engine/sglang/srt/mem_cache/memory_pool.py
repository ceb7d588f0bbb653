from sglang.ids import Ids
from sglang.srt.mem_cache.allocator.mamba import MambaSlotAllocator


class ReqToTokenPool:
    def alloc(self, reqs):
        return list(range(len(reqs)))

    def free(self, req):
        req.row = None


class HybridReqToTokenPool(ReqToTokenPool):
    def __init__(self, mamba_size, enable_mamba_extra_buffer=True, enable_mamba_extra_buffer_lazy=False):
        self.mamba_ping_pong_track_buffer_size = 2
        self.enable_mamba_extra_buffer = enable_mamba_extra_buffer
        self.enable_mamba_extra_buffer_lazy = enable_mamba_extra_buffer_lazy
        self.mamba_allocator = MambaSlotAllocator(mamba_size)
        self.mamba_ckpt_pool = None

    def alloc(self, reqs):
        for req in reqs:
            if req.kv.mamba_pool_idx is None:
                req.kv.mamba_pool_idx = self.mamba_allocator.alloc(1)
                req.kv.needs_clear = True
            if req.kv.mamba_ping_pong_track_buffer is None:
                req.kv.mamba_ping_pong_track_buffer = self.mamba_allocator.alloc(2)
                req.kv.mamba_next_track_idx, req.kv.mamba_last_track_idx = 0, 1
        return super().alloc(reqs)

    def get_mamba_indices(self, reqs):
        return [req.kv.mamba_pool_idx[0] for req in reqs]

    def set_mamba_ping_pong_slot(self, req, place, slot):
        req.kv.mamba_ping_pong_track_buffer[place] = slot

    def donate_mamba_ping_pong_slot(self, req, new_slot):
        given = Ids([req.kv.mamba_ping_pong_track_buffer[req.kv.mamba_last_track_idx]])
        self.set_mamba_ping_pong_slot(req, req.kv.mamba_last_track_idx, new_slot[0])
        return given

    def free_mamba_cache(self, req, keep=None):
        self.mamba_allocator.free(req.kv.mamba_pool_idx)
        ring = req.kv.mamba_ping_pong_track_buffer
        self.mamba_allocator.free(Ids(slot for place, slot in enumerate(ring) if place != keep))
        req.kv.mamba_pool_idx = req.kv.mamba_ping_pong_track_buffer = None
