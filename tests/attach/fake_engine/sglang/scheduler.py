"""The loop around it: batch N + 1 is launched before the result of batch N is processed."""

from collections import deque

from sglang.srt.managers.schedule_batch import ReqKvInfo, ScheduleBatch
from sglang.srt.managers.scheduler_components.batch_result_processor import SchedulerBatchResultProcessor
from sglang.srt.mem_cache.memory_pool import HybridReqToTokenPool
from sglang.srt.mem_cache.unified_radix_cache import UnifiedRadixCache


class Scheduler:
    def __init__(self, slots=16, mixes=False, **pool):
        self.pool = HybridReqToTokenPool(slots, **pool)
        self.tree = UnifiedRadixCache(self.pool)
        self.processor = SchedulerBatchResultProcessor(self.pool, self.tree)
        self.mixes = mixes
        self.waiting, self.retracted, self.running, self.pending = [], [], None, deque()

    def run(self, *reqs):
        self.waiting += reqs
        while self.step():
            pass

    def step(self):
        """Plan and launch a batch, then process the result of the one before; false: there was nothing to do."""
        batch = self.plan()
        if batch is not None:
            self.pool.get_mamba_indices(batch.reqs)
            self.pending.append(batch.copy())
        if self.pending and (batch is None or len(self.pending) > 1):
            result = self.pending.popleft()
            processor = self.processor
            (processor.process_batch_result_prefill if result.extends else processor.process_batch_result_decode)(
                result
            )
        # What is still on its way of a request that was retracted comes back before it is admitted again.
        self.waiting, self.retracted = self.waiting + self.retracted, []
        return batch is not None or bool(self.pending or self.waiting)

    def plan(self):
        if self.running is not None:
            self.running.keep([req for req in self.running.reqs if req.finished_reason is None])
            if not self.running.reqs:
                self.running = None
        admitted = self.admit()
        if not admitted:
            if self.running is not None:
                self.running.prepare_for_decode()
            return self.running
        batch = ScheduleBatch(admitted, self.pool, self.tree)
        batch.prepare_for_extend()
        if self.running is not None and self.mixes:
            self.running.prepare_for_decode()
            batch.mix_with_running(self.running)
            self.running = batch
        elif self.running is None:
            self.running = batch
        else:
            self.running.merge(batch)
        return batch

    def admit(self):
        admitted = []
        while self.tree.entries and len(self.pool.mamba_allocator.free_slots) < 3 * len(self.waiting):
            self.tree.evict()
        self.pool.mamba_allocator.alloc_group_begin(min(len(self.waiting), len(self.pool.mamba_allocator.free_slots)))
        while self.waiting:
            req = self.waiting.pop(0)
            key = self.tree.match(req.tokens)
            req.prefix_len = len(key)
            if key:
                req.kv.mamba_cow_src_index = self.tree.entries[key]
                req.kv.mamba_pool_idx = self.tree.alloc(1)
            admitted.append(req)
        self.pool.mamba_allocator.alloc_group_end()
        return admitted

    def retract(self, req):
        self.processor.release(req, checkpoint=False)
        req.is_retracted, req.decode_batch_idx, req.kv = True, 0, ReqKvInfo()
        self.running.keep([each for each in self.running.reqs if each is not req])
        self.retracted.append(req)
