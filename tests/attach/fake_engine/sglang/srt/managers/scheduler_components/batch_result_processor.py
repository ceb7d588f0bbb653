from sglang.srt.managers.schedule_batch import FINISH_LENGTH


class SchedulerBatchResultProcessor:
    def __init__(self, pool, tree):
        self.pool, self.tree = pool, tree

    def process_batch_result_prefill(self, batch):
        for place, req in enumerate(batch.reqs):
            if req.finished_reason is None and not req.is_retracted:
                self._advance(batch, place, req)
                if req.finished_reason is None and req.decode_batch_idx <= 1:
                    self.tree.checkpoint_into_tree(req, up_to=len(req.tokens))

    def process_batch_result_decode(self, batch):
        for place, req in enumerate(batch.reqs):
            if req.finished_reason is None and not req.is_retracted:
                if batch.mamba_track_mask_cpu[place]:
                    position = batch.mamba_track_buffer_indices[place]
                    req.kv.mamba_last_track_idx, req.kv.mamba_next_track_idx = position, 1 - position
                    req.kv.mamba_last_track_seqlen = batch.seq_lens_cpu[place]
                self._advance(batch, place, req)

    def _advance(self, batch, place, req):
        req.tokens += (hash((req.rid, batch.seq_lens_cpu[place])) % 1000,)
        if len(req.tokens) - req.begin >= req.max_new:
            req.finished_reason = FINISH_LENGTH()
            self.release(req, checkpoint=True)

    def release(self, req, checkpoint):
        if checkpoint:
            self.tree.checkpoint_into_tree(req, up_to=len(req.tokens) - 1)
        else:
            self.pool.free_mamba_cache(req)
        self.pool.free(req)
