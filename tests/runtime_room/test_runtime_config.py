"""Every size and mode that cannot work is refused, with the reason and with what to write instead."""

import dataclasses
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.config import BadConfig, Config
from tests.support.runtime_engines import config

SIZES = {"requests": 1, "slots": 1, "max_len": 1, "interval": 1, "ring": 1, "lookahead": 0}


@pytest.mark.parametrize("name", SIZES)
@pytest.mark.parametrize("wrong", [-1, -5, 2.0, "2", None, True])
def test_a_size_that_is_no_such_number_is_refused(name, wrong):
    with pytest.raises(BadConfig) as refused:
        config(**{name: wrong})
    assert str(refused.value) == f"{name}={wrong!r} is no whole number of at least {SIZES[name]}; write one"


@pytest.mark.parametrize("name", [name for name, least in SIZES.items() if least])
def test_nothing_of_a_kind_is_refused(name):
    with pytest.raises(BadConfig, match=f"^{name}=0 is no whole number of at least 1"):
        config(**{name: 0})


@pytest.mark.parametrize(("name", "choices"), [("mode", "eager or lazy"), ("without_spare", "overwrite or skip")])
@pytest.mark.parametrize("wrong", ["", "Eager", "SKIP", None, 1])
def test_an_unknown_choice_is_refused_with_the_ones_there_are(name, choices, wrong):
    with pytest.raises(BadConfig) as refused:
        config(**{name: wrong})
    assert str(refused.value) == f"{name}={wrong!r} is unknown; write {choices}"


@pytest.mark.parametrize("wrong", ["gpu7", "", "cpu:x", None, 3.5])
def test_a_device_that_torch_does_not_know_is_refused(wrong):
    with pytest.raises(BadConfig, match=r"^device=.* is no device that torch knows; write cpu, cuda or cuda:0"):
        config(device=wrong)


@pytest.mark.parametrize("device", ["cpu", "meta", "cuda:0"])
def test_a_device_that_torch_can_spell_is_taken(device):
    assert config(device=device).device == device


@given(lookahead=st.integers(0, 9), interval=st.integers(1, 9), ring=st.integers(1, 12))
def test_an_eager_ring_that_is_too_short_is_refused_with_the_length_it_needs(lookahead, interval, ring):
    needed = 1 + math.ceil(lookahead / interval)
    sizes = {"lookahead": lookahead, "interval": interval, "slots": 99}
    if ring >= needed:
        assert config(ring=ring, **sizes).ring == ring
        return
    with pytest.raises(BadConfig, match=f"^ring={ring} is too short .* overwritten .*; write ring={needed} or more$"):
        config(ring=ring, **sizes)
    assert config(ring=needed, **sizes).ring_needed == needed
    assert config(ring=ring, mode="lazy", **sizes).ring_needed == 1


@given(
    requests=st.integers(1, 9),
    ring=st.integers(2, 5),
    slots=st.integers(1, 60),
    mode=st.sampled_from(["eager", "lazy"]),
)
def test_a_pool_too_small_for_the_mode_is_refused_with_the_size_it_needs(requests, ring, slots, mode):
    each = 1 + ring if mode == "eager" else 2
    sizes = {"requests": requests, "ring": ring, "mode": mode}
    if slots >= requests * each:
        assert config(slots=slots, **sizes).slots_per_request == each
        return
    with pytest.raises(BadConfig) as refused:
        config(slots=slots, **sizes)
    held = f"{ring} ring positions" if mode == "eager" else "one checkpoint"
    assert str(refused.value) == (
        f"slots={slots} is too few for requests={requests}: each {mode} request needs {each}, one to work on and "
        f"{held}; write slots={requests * each} or more, or fewer requests"
    )
    assert config(slots=requests * each, **sizes).slots == requests * each


def test_every_field_has_a_test_that_refuses_it():
    assert {field.name for field in dataclasses.fields(Config)} == {*SIZES, "mode", "without_spare", "device"}


def test_a_configuration_does_not_change():
    made = config()
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.slots = 1
    with pytest.raises(BadConfig):
        dataclasses.replace(made, slots=1)


def test_the_window_is_what_may_be_pending_at_once():
    assert [config(lookahead=lookahead, ring=4).window for lookahead in range(4)] == [1, 2, 3, 4]
