"""Device work on real tensors: what is named changes, every other row of every layer stays as it is."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from runtime import device_ops
from runtime.states import Layer, StatePool

LAYERS = {
    "mamba-2": Layer((6, 3), (2, 4, 8)),
    "gated delta net": Layer((4, 3), (2, 3, 5), torch.float16, torch.float64),
    "short convolution": Layer((5, 2), (0,), torch.float32),
    "exact": Layer((1,), (1,), torch.int64, torch.int64),
}
SLOTS = 5


def pool_of(*names):
    """A pool whose slots all hold something else; the padding row holds zeros."""
    made = StatePool([LAYERS[name] for name in names], SLOTS)
    for place, tensor in enumerate(made.tensors()):
        for slot in range(SLOTS):
            tensor[slot] = 10 * (place + 1) + slot
    return made


def rows(made):
    return [tensor.clone() for tensor in made.tensors()]


def slots(*numbers):
    return torch.tensor(numbers, dtype=torch.int64)


MIXES = [(name,) for name in LAYERS] + [tuple(LAYERS)]


@pytest.mark.parametrize("names", MIXES, ids="+".join)
def test_a_layer_has_one_row_for_each_slot_and_one_for_padding(names):
    made = StatePool([LAYERS[name] for name in names], SLOTS)
    assert made.padding == SLOTS
    for name, conv, ssm in zip(names, made.conv, made.ssm, strict=True):
        layer = LAYERS[name]
        assert (conv.shape, conv.dtype) == ((SLOTS + 1, *layer.conv), layer.conv_dtype)
        assert (ssm.shape, ssm.dtype) == ((SLOTS + 1, *layer.ssm), layer.ssm_dtype)
    assert len(list(made.tensors())) == 2 * len(names)
    assert not any(tensor.any() for tensor in made.tensors())


@pytest.mark.parametrize("names", MIXES, ids="+".join)
@given(data=st.data())
def test_copies_are_what_one_by_one_assignment_does(names, data):
    pairs = data.draw(
        st.lists(
            st.tuples(st.integers(-2, SLOTS - 1), st.integers(-2, SLOTS - 1)),
            max_size=6,
            unique_by=lambda pair: pair[1] if pair[1] >= 0 else object(),
        )
    )
    made = pool_of(*names)
    expected, before = rows(made), rows(made)
    for source, target in pairs:
        if source >= 0 and target >= 0:
            for new, old in zip(expected, before, strict=True):
                new[target] = old[source]
    device_ops.copy_states(made, slots(*[source for source, _ in pairs]), slots(*[target for _, target in pairs]))
    for found, wanted in zip(made.tensors(), expected, strict=True):
        assert torch.equal(found, wanted)
        assert not found[made.padding].any()


@pytest.mark.parametrize("names", MIXES, ids="+".join)
@given(named=st.lists(st.integers(-2, SLOTS - 1), max_size=6))
def test_clearing_zeroes_what_is_named(names, named):
    made = pool_of(*names)
    expected = rows(made)
    for slot in named:
        if slot >= 0:
            for tensor in expected:
                tensor[slot] = 0
    device_ops.clear(made, slots(*named))
    for found, wanted in zip(made.tensors(), expected, strict=True):
        assert torch.equal(found, wanted)


@pytest.mark.parametrize(("source", "target"), [(-1, 2), (2, -1), (-1, -1), (-7, 3)])
def test_a_negative_end_is_a_no_op_for_every_row(source, target):
    made = pool_of(*LAYERS)
    before = rows(made)
    device_ops.copy_states(made, slots(source), slots(target))
    assert all(torch.equal(found, wanted) for found, wanted in zip(made.tensors(), before, strict=True))


def test_a_source_is_read_before_another_pair_writes_it():
    made = pool_of(*LAYERS)
    before = rows(made)
    device_ops.copy_states(made, slots(0, 1, 2), slots(1, 2, 0))
    for found, old in zip(made.tensors(), before, strict=True):
        assert [torch.equal(found[target], old[source]) for source, target in ((0, 1), (1, 2), (2, 0))] == [True] * 3


def test_a_request_begins_with_a_copy_or_with_nothing():
    made = pool_of(*LAYERS)
    before = rows(made)
    device_ops.begin(made, slots(3, -1), slots(0, 1))
    for found, old in zip(made.tensors(), before, strict=True):
        assert torch.equal(found[0], old[3])
        assert not found[1].any()
        assert torch.equal(found[2:], old[2:])


def test_values_survive_a_copy_bit_by_bit():
    made = StatePool([LAYERS["mamba-2"]], 2)
    made.conv[0][0] = torch.randn(6, 3).to(torch.bfloat16)
    made.ssm[0][0] = torch.tensor([float("nan"), float("inf"), -0.0, 1e-40]).repeat(2, 4, 2)
    device_ops.copy_states(made, slots(0), slots(1))
    assert torch.equal(made.conv[0][0].view(torch.int16), made.conv[0][1].view(torch.int16))
    assert torch.equal(made.ssm[0][0].view(torch.int32), made.ssm[0][1].view(torch.int32))
