"""Random programs, read and run natively: whatever the text, the two agree, or the reading refuses.

Each program of tests/attacks/programs.py becomes a module on disk. Natively its action and properties are called on
copies of random states; read, they become columns over the same states. Compared are whether the action may happen,
what it violates, every leaf afterwards, and the truth of every property, as well as what is asked at all.

`make test` runs some seeds for a few seconds each. By hand, for as long as one likes:

    .venv/bin/python -m tests.attacks.test_random_programs --seconds 1200 --seed 7
    .venv/bin/python -m tests.attacks.test_random_programs --seconds 60 --kinds D   # only one kind of edge, always
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import os
import random
import re
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import pytest

from checker.command.cli import BAD_INPUT
from checker.model.user_files import blame
from checker.search.check import HOLDS, Check
from checker.search.perform import model_for, run
from checker.symbolic.graph import Graph
from spec.language import Disabled, Violated
from tests.attacks import native
from tests.attacks.programs import EDGES, SIMPLE, Writer
from tests.symbolic.test_evaluate_model import DISABLED, Columns, outcome, parts_of

SECONDS = float(os.environ.get("PROGRAM_SECONDS", "12"))
STATES = 24
SHORTENING = 20.0


class Differs(AssertionError):
    """A program that is read as something that it is not."""


class Natively:
    """A program run natively."""

    def __init__(self, path):
        self.search = native.Search(native.load(path))

    def states(self, dice):
        """Random states whose leaves lie in their declared ranges, small ones more often."""
        for _ in range(STATES):
            state = native.twin(self.search.first)
            for owner, name, value, inner, marks, _transient, _path in list(native.parts(state, type(state))):
                if not isinstance(value, int):
                    continue
                ends = list(native.limits(inner, marks, self.search.scope)) or [(-9, 9)]
                low, high = max(end[0] for end in ends), min(end[1] for end in ends)
                drawn = dice.randint(max(low, -3), min(high, 4))
                native.put(owner, name, bool(drawn) if inner is bool else drawn)
            yield state

    def outcome(self, state, action, arguments):
        """What a step does: as tests/symbolic/test_evaluate_model.py words it."""
        after = native.twin(state)
        try:
            action.function(after, self.search.context, *arguments)
            self.search.check_ranges(after)
        except Disabled:
            return DISABLED
        except Violated as violation:
            return violation.name
        except Exception as error:
            return f"fails with {error!r}"
        leaves = [value for *_, value, _i, _m, _t, _p in native.parts(after, type(after)) if isinstance(value, int)]
        return (
            [int(value) for value in leaves],
            [not self.held(stated, state, after) for stated in self.search.of_kind("step", "postcondition")],
            [self.held(stated, state, after) for stated in self.search.of_kind("sometimes")],
        )

    def held(self, stated, *states):
        """Whether a property is true; an error is neither."""
        try:
            return bool(stated.function(*native.twin(states), self.search.context))
        except Violated:
            return False
        except Exception as error:
            return f"fails with {error!r}"


def read(path, states):
    """The outcomes of every step, and of every property of a state, as they are read; raises what refuses."""
    model = model_for(Check("", model=str(path)))
    columns = Columns(model, states)
    stated = [columns.reader.holds(one, [columns.reader.inputs]) for one in model.of_kind("always")]
    held = next(columns.values(stated)) if stated else [[] for _ in states]
    steps = {}
    for instance in model.instances():
        transition = columns.reader.transition(instance)
        combinations = instance.combinations()
        for chosen, table in zip(combinations, columns.values(parts_of(transition), combinations), strict=True):
            key = (instance.action.name, instance.arguments(chosen))
            steps[key] = [outcome(transition, row) for row in table]
    return model, steps, [[bool(value) for value in row] for row in held]


def refuse_to_pass(text, path):
    """Raise Differs where a search in which nothing is asked passes; its action is one that soon comes to an end."""
    act = re.compile(r"^def act\(s, scope\):\n.*?(?=^@|^def |^actions)", re.DOTALL | re.MULTILINE)
    short = path.with_name(f"{path.stem}_short.py")
    short.write_text(act.sub("def act(s, scope):\n    guard(s.a < 2)\n    s.a += 1\n\n\n", text))
    with contextlib.suppress(*BAD_INPUT):
        if run(Check("", model=str(short))).status == HOLDS:
            raise Differs("no property is asked, and the search says that all hold")


def compare(text, seed, folder):
    """Run and read one program; return whether it was read. Raises Differs."""
    path = Path(folder) / f"program_{seed}_{time.perf_counter_ns()}.py"
    path.write_text(text)
    natively = Natively(path)
    states = list(natively.states(random.Random(seed)))
    try:
        model, steps, held = read(path, states)
    except BAD_INPUT:
        return False
    except Exception as error:
        if blame(error):
            return False
        raise Differs(f"reading fails with {error!r}") from error
    search = natively.search
    for kind in ("always", "step", "postcondition", "sometimes"):
        asked = [stated.name for stated in model.of_kind(kind)], [stated.name for stated in search.of_kind(kind)]
        if asked[0] != asked[1]:
            raise Differs(f"{kind} properties are {asked[0]}, natively {asked[1]}")
    if not search.verdict.asked:
        refuse_to_pass(text, path)
    for place, state in enumerate(states):
        expected = [natively.held(stated, state) for stated in search.of_kind("always")]
        if held[place] != expected:
            raise Differs(f"properties read as {held[place]}, natively {expected}, in {state}")
        for action, domains in search.actions:
            for arguments in itertools.product(*domains):
                expected = natively.outcome(state, action, arguments)
                told = steps[action.name, arguments][place]
                if told != expected:
                    raise Differs(f"{action.name}{arguments} read as {told}, natively {expected}, in {state}")
    return True


def shorter(text, seed, folder):
    """The program without the lines that the difference does not need, as far as the time allows."""
    ends = time.perf_counter() + SHORTENING
    lines = text.splitlines()
    place = len(lines) - 1
    while place > 0 and time.perf_counter() < ends:
        indent = len(lines[place]) - len(lines[place].lstrip())
        end = place + 1
        while end < len(lines) and lines[end].strip() and len(lines[end]) - len(lines[end].lstrip()) > indent:
            end += 1
        for part in ([], [" " * indent + "pass"]):
            tried = [*lines[:place], *part, *lines[end:]]
            if tried != lines and differs("\n".join(tried) + "\n", seed, folder):
                lines = tried
                break
        place -= 1
    return "\n".join(lines) + "\n"


def differs(text, seed, folder):
    """Whether a text is a program at all, and differs."""
    try:
        compare(text, seed, folder)
    except Differs as difference:
        # What fails natively as a whole is no program.
        return "fails with" not in str(difference)
    except Exception:
        return False
    return False


def hunt(seed, seconds, kinds=EDGES, risk=None):
    """Run and read programs until the time is over; return what was met. Raises Differs with the program."""
    met = Counter()
    ends = time.perf_counter() + seconds
    with tempfile.TemporaryDirectory() as folder:
        for number in itertools.count():
            if time.perf_counter() > ends:
                return met
            writer = Writer(f"{seed} {number}", kinds, risk)
            text = writer.text()
            met["programs"] += 1
            try:
                was_read = compare(text, number, folder)
            except Differs as difference:
                found = shorter(text, number, folder)
                raise Differs(f"seed {seed}, program {number}: {difference}\n\n{found}") from difference
            if was_read:
                met["read"] += 1
                met.update({construct: 1 for construct, count in writer.covered.items() if count})
    return met


@pytest.mark.parametrize("seed", range(5))
def test_random_programs_are_read_as_python_runs_them(seed):
    met = hunt(seed, SECONDS)
    assert met["read"] >= 0.3 * met["programs"], met
    # A grammar that stops writing a construct would find nothing in it.
    assert not [construct for construct in SIMPLE if not met[construct]], met


def test_branches_merged_the_wrong_way_round_are_found(monkeypatch):
    where = Graph.where
    monkeypatch.setattr(Graph, "where", lambda self, condition, yes, no: where(self, condition, no, yes))
    with pytest.raises(Differs):
        hunt(0, SECONDS, risk=0)


def main():
    """Hunt by hand."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kinds", default=EDGES)
    words = parser.parse_args()
    try:
        met = hunt(words.seed, words.seconds, words.kinds, None if words.kinds == EDGES else 1)
    except Differs as difference:
        print(difference)
        sys.exit(1)
    for name, count in met.most_common():
        print(f"{name:>12} {count:>8}")


if __name__ == "__main__":
    main()
