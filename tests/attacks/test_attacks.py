"""Small models that a user may write, each judged by the command and by a plain native search.

A model is refused in a sentence, or the two verdicts are the same: never a wrong pass, never an error of our own,
never a hang. Those that are legal must be read.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

import spec.model
from checker.model.user_files import BadModel
from checker.search import audit, perform
from checker.search.audit import TRIES, Audit
from checker.search.bfs import Search
from checker.search.check import Check
from checker.search.perform import run
from checker.symbolic.graph import Graph
from spec.scope import EAGER, LAZY, Scope
from tests.attacks import kind_a, kind_b, kind_c, kind_d, kind_f, kind_g, kind_h, kind_i, kind_j, kind_k, native
from tests.attacks.judged import Wrong, judge
from tests.attacks.models import model
from tests.support.paths import ROOT

KINDS = {
    "A": kind_a,
    "B": kind_b,
    "C": kind_c,
    "D and E": kind_d,
    "F": kind_f,
    "G": kind_g,
    "H": kind_h,
    "I": kind_i,
    "J": kind_j,
    "K": kind_k,
}
ATTACKS = [(f"{kind}: {name}", text) for kind, module in KINDS.items() for name, text in module.ATTACKS.items()]
LEGAL = [(f"{kind}: {name}", text) for kind, module in KINDS.items() for name, text in module.LEGAL.items()]


def each(models):
    """Every model, and how it is looked at apart from a whole search: for its first violation, or by a solver too."""
    hows = ({"bounded": True, "first": False}, {"bounded": False, "first": True}, {"bounded": False, "first": False})
    return pytest.mark.parametrize(
        ("text", "how"), [pytest.param(text, hows[place % 3], id=name) for place, (name, text) in enumerate(models)]
    )


@pytest.fixture
def file(tmp_path, monkeypatch):
    # The command keeps counterexamples in the folder that it runs in.
    monkeypatch.chdir(tmp_path)
    return tmp_path / "model.py"


@pytest.mark.timeout(20)
@each(ATTACKS)
def test_an_attack_is_refused_or_read_as_python_does(text, how, file):
    file.write_text(model(text))
    judge(file, lineless=text.startswith("# lineless"), **how)


@pytest.mark.timeout(20)
@each(LEGAL)
def test_a_legal_model_is_read(text, how, file):
    file.write_text(model(text))
    judge(file, legal=True, **how)


@pytest.mark.parametrize("mode", [EAGER, LAZY])
def test_the_spec_itself_is_read(mode):
    text = f"requests=1 slots=3 nodes=1 max_len=2 ring=1 lookahead=0 mode={mode}"
    found = native.Search(spec.model, Scope.parse(text)).run()
    outcome = run(Check(text, symmetry=False, all=True))
    shown = outcome.exploration
    assert (shown.states, shown.transitions, outcome.status) == (found.states, found.transitions, found.status)
    assert sorted(shown.unseen) == sorted(found.unseen)
    assert found.states > 50


@pytest.mark.parametrize("phases", ["()", "7", "(2, 7)"])
def test_what_would_be_asked_of_no_request_is_refused(phases, file):
    file.write_text(model(kind_j.each("return request.n < 4", phases)))
    with pytest.raises(BadModel, match=r"model.py:\d+: p is stated of each request in phase .*, which none is ever in"):
        run(Check("", model=str(file)))


def test_the_attacks_are_many():
    assert len(ATTACKS) >= 130
    assert len(LEGAL) >= 40
    assert all(module.ATTACKS and module.LEGAL for module in KINDS.values())


@pytest.mark.parametrize(("name", "code"), [("a violated claim", 1), ("an early return", 0), ("a name never set", 2)])
def test_the_command_itself_ends_the_same(name, code, file):
    file.write_text(model({**kind_a.ATTACKS, **kind_a.LEGAL}[name]))
    command = [sys.executable, "-m", "checker", "explore", "--model", str(file)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=100, check=False)
    assert done.returncode == code, done.stderr


# What a judgement must notice, each planted in a checker that is right otherwise.


def wrongly(file, **how):
    file.write_text(model(kind_a.LEGAL["a violated claim"]))
    with pytest.raises(Wrong) as wrong:
        judge(file, **how)
    return str(wrong.value).split(":")[0]


def unaudited(monkeypatch):
    """Let a verdict stand without native tries, which would notice most of what is wrong before a judge does."""
    monkeypatch.setattr(audit, "of_search", lambda search, seed: Audit(TRIES, seed))


def test_a_wrong_pass_is_noticed(file, monkeypatch):
    monkeypatch.setattr(Search, "_check_always", lambda self: None)
    assert wrongly(file) == "crash"
    unaudited(monkeypatch)
    assert wrongly(file) == "wrong pass"


def test_a_wrong_reading_is_noticed(file, monkeypatch):
    monkeypatch.setattr(Graph, "lt", Graph.le)
    assert wrongly(file) == "crash"
    unaudited(monkeypatch)
    assert wrongly(file) == "other properties violated"


def raising(error):
    def run(*arguments):
        raise error

    return run


def test_an_error_of_our_own_is_noticed(file, monkeypatch):
    monkeypatch.setattr(perform, "run", raising(RuntimeError("ours")))
    assert wrongly(file) == "crash"


def test_a_refusal_of_what_is_legal_is_noticed(file, monkeypatch):
    monkeypatch.setattr(perform, "run", raising(BadModel(f"{file}:1: no; yes")))
    assert wrongly(file, legal=True) == "refused, though legal"
    judge(file)


@pytest.mark.parametrize("words", ["no; yes", "{file}: no; yes", "{file}:1: no"])
def test_a_refusal_without_a_place_or_a_remedy_is_noticed(words, file, monkeypatch):
    monkeypatch.setattr(perform, "run", raising(BadModel(words.format(file=file))))
    assert wrongly(file) == "refused without place or remedy"
