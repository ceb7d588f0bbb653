"""What only an accelerator can show: the same run on a real device, with pinned staging that does not block."""

import numpy as np
import pytest
import torch

from runtime.config import Config
from runtime.engine import Engine
from runtime.exact_model import ExactModel, text
from runtime.scheduler import GenerationRequest, Scheduler
from runtime.streams import Inline, Worker

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device, and torch sees none here"),
]


@pytest.mark.parametrize("mode", ["eager", "lazy"])
@pytest.mark.parametrize("stream", [Inline, Worker])
def test_texts_and_cached_states_are_exact_on_a_device(mode, stream):
    config = Config(requests=4, slots=16, max_len=64, interval=4, mode=mode, device="cuda")
    engine = Engine(config, ExactModel(), stream())
    scheduler = Scheduler(engine)
    expected = {}
    for number in range(24):
        prompt, produce = 1 + number % 9, 1 + number % 13
        tokens = np.array(text(1 + number % 3, prompt + produce)[0])
        expected[f"r{number}"] = tokens[prompt:].tolist()
        scheduler.submit(GenerationRequest(f"r{number}", tokens[:prompt], produce))
    scheduler.run_overlapped()
    engine.close()
    assert {request.name: request.output.tolist() for request in scheduler.done} == expected
