"""Small models that a user may write, each judged by the command and by a plain native search.

A model is refused in a sentence, or the two verdicts are the same: never a wrong pass, never an error of our own,
never a hang. Those that are legal must be read.
"""

from __future__ import annotations

import pytest

from tests.attacks import kind_a, kind_b, kind_d, kind_f, kind_h, kind_i
from tests.attacks.judged import judge
from tests.attacks.models import model

KINDS = {"A": kind_a, "B": kind_b, "D": kind_d, "F": kind_f, "H": kind_h, "I": kind_i}
ATTACKS = [(f"{kind}: {name}", text) for kind, module in KINDS.items() for name, text in module.ATTACKS.items()]
LEGAL = [(f"{kind}: {name}", text) for kind, module in KINDS.items() for name, text in module.LEGAL.items()]


def each(models):
    """Every model with its name, and whether a solver looks at it too: at one in three."""
    return pytest.mark.parametrize(
        ("text", "bounded"), [pytest.param(text, not number % 3, id=name) for number, (name, text) in enumerate(models)]
    )


@pytest.fixture
def file(tmp_path, monkeypatch):
    # The command keeps counterexamples in the folder that it runs in.
    monkeypatch.chdir(tmp_path)
    return tmp_path / "model.py"


@pytest.mark.timeout(20)
@each(ATTACKS)
def test_an_attack_is_refused_or_read_as_python_does(text, bounded, file):
    file.write_text(model(text))
    judge(file, bounded=bounded, lineless=text.startswith("# lineless"))


@pytest.mark.timeout(20)
@each(LEGAL)
def test_a_legal_model_is_read(text, bounded, file):
    file.write_text(model(text))
    judge(file, legal=True, bounded=bounded)
