from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import NamedTuple

from sglang.ids import Ids
from sglang.srt.runtime_context import INTERVAL


class FINISH_LENGTH:  # noqa: N801 (as the engine calls it)
    pass


class FINISH_ABORT:  # noqa: N801 (as above)
    pass


@dataclass
class ReqKvInfo:
    mamba_pool_idx: object = None
    mamba_ping_pong_track_buffer: object = None
    mamba_next_track_idx: object = None
    mamba_last_track_idx: object = None
    mamba_last_track_seqlen: object = None
    mamba_cow_src_index: object = None
    needs_clear: bool = False


class Req:
    def __init__(self, rid, tokens, max_new):
        self.rid, self.tokens, self.max_new = rid, tuple(tokens), max_new
        self.prompt = self.prefix_len = 0
        self.finished_reason = None
        self.is_retracted = False
        self.decode_batch_idx = 0
        self.session = None
        self.kv = ReqKvInfo()
        self.begin = len(self.tokens)


class _MambaRadixCacheV2TrackEntry(NamedTuple):
    track_mask: bool
    track_position: int
    track_seqlen: int


class Algorithm:
    def __init__(self, speculates=False):
        self.speculates = speculates

    def is_none(self):
        return not self.speculates


@dataclass
class ScheduleBatch:
    reqs: list
    req_to_token_pool: object
    tree_cache: object
    spec_algorithm: Algorithm = field(default_factory=Algorithm)
    enable_overlap: bool = True
    model_config: object = field(
        default_factory=lambda: SimpleNamespace(hf_text_config=SimpleNamespace(mamba_chunk_size=INTERVAL))
    )
    prefix_lens: list = field(default_factory=list)
    extend_lens: list = field(default_factory=list)
    seq_lens_cpu: Ids = field(default_factory=Ids)
    extends: bool = False
    mamba_track_indices: object = None
    mamba_track_mask: object = None
    mamba_track_mask_cpu: object = None
    mamba_track_buffer_indices: object = None
    mamba_decode_batch_idx_cpu: object = None
    mamba_cow_src_indices: object = None
    mamba_cow_dst_indices: object = None
    mamba_clear_indices: object = None

    def prepare_for_extend(self):
        self.extends = True
        self.req_to_token_pool.alloc(self.reqs)
        self.prefix_lens = [req.prefix_len for req in self.reqs]
        self.extend_lens = [len(req.tokens) - req.prefix_len for req in self.reqs]
        self.seq_lens_cpu = Ids(len(req.tokens) for req in self.reqs)
        entries = [self._mamba_radix_cache_v2_req_prepare_for_extend(req) for req in self.reqs]
        self.mamba_track_indices = Ids(
            req.kv.mamba_ping_pong_track_buffer[entry.track_position]
            for req, entry in zip(self.reqs, entries, strict=True)
        )
        sources = [req for req in self.reqs if req.kv.mamba_cow_src_index is not None]
        if sources:
            self.mamba_cow_src_indices = Ids(req.kv.mamba_cow_src_index[0] for req in sources)
            self.mamba_cow_dst_indices = Ids(req.kv.mamba_pool_idx[0] for req in sources)
        cleared = Ids(req.kv.mamba_pool_idx[0] for req in self.reqs if req.kv.needs_clear and req not in sources)
        self.mamba_clear_indices = cleared or None
        for req in self.reqs:
            req.kv.mamba_cow_src_index, req.kv.needs_clear, req.is_retracted = None, False, False

    def _mamba_radix_cache_v2_req_prepare_for_extend(self, req):
        position, length = req.kv.mamba_next_track_idx, len(req.tokens) - req.prefix_len
        if length < INTERVAL:
            return _MambaRadixCacheV2TrackEntry(False, position, -1)
        req.kv.mamba_last_track_idx, req.kv.mamba_next_track_idx = position, 1 - position
        req.kv.mamba_last_track_seqlen = req.prefix_len + length // INTERVAL * INTERVAL
        return _MambaRadixCacheV2TrackEntry(True, position, len(req.tokens))

    def prepare_for_decode(self):
        self.extends = False
        for req in self.reqs:
            req.decode_batch_idx += 1
        self.seq_lens_cpu = Ids(length + 1 for length in self.seq_lens_cpu)
        self.mamba_track_mask_cpu = [length % INTERVAL == 0 for length in self.seq_lens_cpu]
        self.mamba_track_buffer_indices = [req.kv.mamba_next_track_idx for req in self.reqs]
        self.mamba_track_indices = Ids(
            req.kv.mamba_ping_pong_track_buffer[req.kv.mamba_next_track_idx] for req in self.reqs
        )
        self.mamba_decode_batch_idx_cpu = [req.decode_batch_idx for req in self.reqs]

    def mix_with_running(self, running):
        self.prefix_lens = self.prefix_lens + [length - 1 for length in running.seq_lens_cpu]
        self.extend_lens = self.extend_lens + [1] * len(running.reqs)
        self.mamba_track_indices = Ids([*self.mamba_track_indices, *[-1] * len(running.reqs)])
        self.mamba_track_mask_cpu = None
        self.merge(running)

    def merge(self, other):
        self.reqs = self.reqs + other.reqs
        self.seq_lens_cpu = Ids([*self.seq_lens_cpu, *other.seq_lens_cpu])

    def keep(self, kept):
        places = [place for place, req in enumerate(self.reqs) if req in kept]
        self.seq_lens_cpu = Ids(self.seq_lens_cpu[place] for place in places)
        self.reqs = [self.reqs[place] for place in places]

    def copy(self):
        return ScheduleBatch(
            self.reqs[:],
            self.req_to_token_pool,
            self.tree_cache,
            extends=self.extends,
            seq_lens_cpu=self.seq_lens_cpu,
            mamba_track_mask_cpu=self.mamba_track_mask_cpu,
            mamba_track_buffer_indices=self.mamba_track_buffer_indices,
        )
