"""Fingerprints of compiled code: those of the columns, one word or two, in a table that grows."""

import numpy as np
import pytest

import checker.search.bfs
from checker.search import audit
from checker.search.audit import Disagreement
from checker.search.bfs import Search
from checker.search.exploration import Limits
from checker.search.machine_code import FEWEST, MachineCode
from tests.search.test_explore import COUNTS, model_of
from tests.support.both_ways import searched, shown

pytestmark = pytest.mark.timeout(600)
LARGE = "requests=1 slots=4 nodes=2 max_len=5 mode=lazy without_spare=skip families=2"
TEXTS = [text for text in COUNTS if text != LARGE]


@pytest.mark.parametrize("symmetry", [False, True])
@pytest.mark.parametrize("text", TEXTS)
def test_the_table_holds_the_very_fingerprints_of_the_columns(text, symmetry):
    columns, compiled = (searched(model_of(text), each, symmetry) for each in (False, True))
    table = compiled.found.job.table
    kept = np.sort(table[table[:, 0] != 0, 0])
    assert np.array_equal(kept, columns.found.seen)
    assert compiled.found.contains(compiled.sample[0]).all()


@pytest.mark.parametrize("symmetry", [False, True])
def test_two_words_tell_the_same_states_apart(symmetry, monkeypatch):
    text = TEXTS[0]
    usual = searched(model_of(text), True, symmetry)
    search = Search(model_of(text), symmetry, None, bits=128)
    search.run(Limits())
    assert shown(search) == shown(usual)
    table = search.found.job.table
    words = table[table[:, 0] != 0]
    assert len(set(words[:, 0].tolist())) == len(set(words[:, 1].tolist())) == search.result.states
    assert search.result.collision < usual.result.collision
    assert audit.of_search(search, 1).enough


@pytest.mark.parametrize("symmetry", [False, True])
def test_where_the_first_word_is_weak_the_second_decides(symmetry, monkeypatch):
    text = TEXTS[0]
    job = MachineCode.job

    def weak(self):
        made = job(self)
        made.words[0] &= 3
        return made

    monkeypatch.setattr(MachineCode, "job", weak)
    usual = searched(model_of(text), False, symmetry)
    one = searched(model_of(text), True, symmetry)
    if not symmetry:
        assert shown(one) == shown(usual), "plain fingerprints have no tables"
        return
    assert one.result.states < usual.result.states
    with pytest.raises(Disagreement, match="was never searched"):
        audit.of_search(one, 1)
    two = Search(model_of(text), symmetry, None, bits=128)
    two.run(Limits())
    # The first state was entered by its own fingerprint, and is found once more.
    assert two.result.states - usual.result.states in (0, 1)


def test_the_table_and_the_level_grow():
    search = searched(model_of(LARGE), True, symmetry=False)
    assert (search.result.states, search.result.transitions, search.result.depth) == COUNTS[LARGE][0]
    table = search.found.job.table
    assert len(table) > FEWEST
    assert 1.5 * search.result.states <= len(table)
    assert np.count_nonzero(table[:, 0]) == search.result.states
    assert len(search.found.job.found) > 1024


def test_so_many_states_are_not_told_apart_by_so_few_bits(monkeypatch):
    monkeypatch.setattr(checker.search.bfs, "MOST", 1_000)
    model = model_of(TEXTS[0])
    cut = Search(model, False)
    result = cut.run(Limits())
    assert not result.complete
    assert result.cut == "1,000 states told apart by 64 bits: search with --fingerprints 128"
    assert Search(model, False, bits=128).run(Limits()).complete


def test_a_clock_that_runs_out_leaves_a_level_in_the_middle(monkeypatch):
    model = model_of(LARGE)
    whole = searched(model, True, symmetry=False).result
    monkeypatch.setattr("checker.search.compiled_levels.SLICE", 1)
    monkeypatch.setattr(checker.search.bfs, "FEW", 0)
    looked = []

    class Ticks:
        cut, left, words = False, None, "so many looks used up"
        over = property(lambda self: looked.append(0) or len(looked) > 60)
        __enter__ = __exit__ = lambda self, *error: False

    result = Search(model, False).run(Limits(), clock=Ticks())
    assert (result.cut, result.complete) == ("so many looks used up", False)
    assert 0 < result.transitions < whole.transitions / 2
