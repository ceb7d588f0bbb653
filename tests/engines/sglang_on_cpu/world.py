"""The engine's own parts, put together as its scheduler puts them together, on a CPU.

A model of one attention layer and one recurrent layer, each as small as can be. Names that differ between releases are
asked for here and nowhere else.
"""

from __future__ import annotations

import logging
import warnings
from array import array
from types import SimpleNamespace
from typing import Any

import torch
from sglang.srt.configs.mamba_utils import Mamba2CacheParams, Mamba2StateShape
from sglang.srt.disaggregation.utils import DisaggregationMode
from sglang.srt.managers.schedule_batch import Req, ScheduleBatch
from sglang.srt.managers.schedule_policy import PrefillAdder
from sglang.srt.managers.scheduler_components.batch_result_processor import SchedulerBatchResultProcessor
from sglang.srt.mem_cache import common
from sglang.srt.mem_cache.allocator import TokenToKVPoolAllocator
from sglang.srt.mem_cache.allocator.paged import PagedTokenToKVPoolAllocator
from sglang.srt.mem_cache.cache_init_params import CacheInitParams
from sglang.srt.mem_cache.memory_pool import HybridLinearKVPool, HybridReqToTokenPool
from sglang.srt.mem_cache.unified_cache.components import ComponentType
from sglang.srt.mem_cache.unified_radix_cache import UnifiedRadixCache
from sglang.srt.sampling.sampling_params import SamplingParams
from sglang.srt.server_args import ServerArgs, set_global_server_args_for_scheduler
from sglang.srt.speculative.spec_info import SpeculativeAlgorithm

from .fake_model import STOP_TOKEN, Slots, Text
from .workload import Workload

CONTEXT = 256
warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)
torch.set_num_threads(1)


class World:
    """One engine: its pools, its prefix cache, and what processes its results."""

    def __init__(self, workload: Workload, lazy: bool) -> None:
        self.asked, self.lazy = workload, lazy
        self.arguments = server_arguments(workload, lazy)
        self.pool = state_pool(workload, lazy)
        self.slots = Slots(self.pool.mamba_pool.mamba_cache.temporal[0].view(-1, 2))
        self.tokens = token_pool(workload, self.pool)
        self.cache = prefix_cache(workload, lazy, self.pool, self.tokens)
        self.model = SimpleNamespace(
            is_encoder_decoder=False,
            is_generation=True,
            vocab_size=1 << 20,
            think_end_id=None,
            think_end_ids=None,
            self_opened_think_start_ids=None,
            hf_config=SimpleNamespace(),
            hf_text_config=SimpleNamespace(mamba_chunk_size=workload.interval),
        )
        self.results = result_processor(self)

    def request(self, name: str, text: Text) -> Req:
        """A request as the tokenizer would hand it over."""
        stops = self.asked.finish == "stop"
        sampling = SamplingParams(
            max_new_tokens=text.outputs + (self.asked.slack if stops else 0),
            ignore_eos=not stops,
            temperature=0.0,
            stop_token_ids=[STOP_TOKEN] if stops else None,
        )
        sampling.normalize(None)
        return Req(name, "", array("q", text.tokens[: text.prompt]), sampling, vocab_size=self.model.vocab_size)

    def batch(self, requests: list[Req], chunked: Req | None) -> ScheduleBatch:
        """A batch of prompts that have been admitted."""
        return ScheduleBatch.init_new(
            requests,
            self.pool,
            self.tokens,
            self.cache,
            self.model,
            True,
            SpeculativeAlgorithm.NONE,
            chunked_req=chunked,
        )

    def adder(self, running: ScheduleBatch, foresight: float) -> PrefillAdder:
        """What decides on admissions."""
        riding = len(running.reqs) if self.asked.mixed else 0
        return PrefillAdder(
            self.asked.page, self.cache, self.tokens, running, foresight, 1 << 20, self.asked.chunk, riding
        )

    def checkpoint(self, request: Req) -> None:
        """What the scheduler does with a prompt between two of its chunks."""
        if hasattr(common, "checkpoint_kv_cache"):
            common.checkpoint_kv_cache(request, self.cache)
        else:
            common.maybe_cache_unfinished_req(request, self.cache, chunked=True)

    def retract(self, running: ScheduleBatch) -> tuple[list[Req], float]:
        """Take requests out of the batch until the others have room; those that can't come back are aborted."""
        try:
            retracted, foresight, _ = running.retract_decode()
        except TypeError:  # To 0.5.18 the method asks for the server's arguments.
            retracted, foresight, _ = running.retract_decode(self.arguments)
        return retracted, foresight

    def process(self, batch: ScheduleBatch, result: Any) -> None:
        """What the scheduler does with a result."""
        if batch.forward_mode.is_extend():
            self.results.process_batch_result_prefill(batch, result)
        else:
            self.results.process_batch_result_decode(batch, result)


def record(request: Req) -> Any:
    """Where a request keeps what it has of slots: in a record of its own from 0.5.19 on."""
    kept = getattr(request, "kv", None)
    return kept if hasattr(kept, "mamba_pool_idx") else request


def server_arguments(workload: Workload, lazy: bool) -> ServerArgs:
    """What a server would have been started with."""
    arguments = ServerArgs(
        model_path="none",
        device="cpu",
        attention_backend="torch_native",
        page_size=workload.page,
        disable_radix_cache=False,
        mamba_track_interval=workload.interval,
        mamba_radix_cache_strategy="extra_buffer_lazy" if lazy else "extra_buffer",
    )
    arguments._mamba_cache_chunk_size = workload.interval  # A model's configuration would say so.
    set_global_server_args_for_scheduler(arguments)
    return arguments


def state_pool(workload: Workload, lazy: bool) -> HybridReqToTokenPool:
    """The pool of state slots, with two numbers in each."""
    shape = Mamba2StateShape.create(
        tp_world_size=1, intermediate_size=1, n_groups=1, num_heads=1, head_dim=1, state_size=2, conv_kernel=2
    )
    return HybridReqToTokenPool(
        size=workload.running,
        mamba_size=workload.slots,
        mamba_spec_state_size=0,
        max_context_len=CONTEXT,
        device="cpu",
        enable_memory_saver=False,
        cache_params=Mamba2CacheParams(shape=shape, layers=[0]),
        mamba_layer_ids=[0],
        enable_mamba_extra_buffer=True,
        enable_mamba_extra_buffer_lazy=lazy,
    )


def token_pool(workload: Workload, states: HybridReqToTokenPool) -> Any:
    """The attention cache, whose contents nobody reads here."""
    memory = HybridLinearKVPool(
        size=workload.tokens,
        dtype=torch.float32,
        page_size=workload.page,
        head_num=1,
        head_dim=1,
        full_attention_layer_ids=[1],
        device="cpu",
        enable_memory_saver=False,
        mamba_pool=states.mamba_pool,
    )
    options = {"size": workload.tokens, "dtype": torch.float32, "device": "cpu", "kvcache": memory, "need_sort": False}
    if workload.page == 1:
        return TokenToKVPoolAllocator(**options)
    return PagedTokenToKVPoolAllocator(page_size=workload.page, **options)


def prefix_cache(workload: Workload, lazy: bool, states: HybridReqToTokenPool, tokens: Any) -> UnifiedRadixCache:
    """The tree of cached prefixes."""
    params = CacheInitParams(
        disable=False,
        req_to_token_pool=states,
        token_to_kv_pool_allocator=tokens,
        page_size=workload.page,
        enable_mamba_extra_buffer=True,
        tree_components=(ComponentType.FULL, ComponentType.MAMBA),
    )
    if hasattr(params, "enable_mamba_extra_buffer_lazy"):
        params.enable_mamba_extra_buffer_lazy = lazy
    return UnifiedRadixCache(params)


def result_processor(world: World) -> SchedulerBatchResultProcessor:
    """What processes results; outputs go nowhere."""

    def ignore(*_: object, **__: object) -> None:
        return None

    reports = SimpleNamespace(
        num_generated_tokens=0, forward_ct_decode=0, report_decode_stats=ignore, report_prefill_stats=ignore
    )
    parts = {
        "is_generation": True,
        "disaggregation_mode": DisaggregationMode.NULL,
        "enable_overlap": True,
        "enable_overlap_mlx": False,
        "server_args": world.arguments,
        "model_config": world.model,
        "token_to_kv_pool_allocator": world.tokens,
        "tree_cache": world.cache,
        "req_to_token_pool": world.pool,
        "metrics_reporter": reports,
        "model_worker": SimpleNamespace(),
        "output_streamer": SimpleNamespace(stream_output=ignore),
        "abort_request": ignore,
    }
    names = SchedulerBatchResultProcessor.__dataclass_fields__
    return SchedulerBatchResultProcessor(**{name: parts.get(name) for name in names})
