"""Verdicts of earlier runs: found again where nothing has changed, and by no means where anything has."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import pickle
import shutil
import subprocess
import sys
import time
import tomllib
from functools import partial
from pathlib import Path

import pytest

import checker
from checker.command import cache_key, verify
from checker.command.cache import KEPT, Cache
from checker.command.cache_key import LIBRARIES, digest, spelled, stamps, surroundings
from checker.lockstep.coverage import Coverage
from checker.lockstep.findings import Campaign, FailingRun
from checker.lockstep.hunt import hunt
from checker.lockstep.mix import ACTIONS
from checker.mutation.operators import Mutant
from checker.mutation.result import Kind, MutantResult
from checker.mutation.score import SPEC, drawn
from checker.proof.boundary_proof import Shipped
from checker.proof.boundary_proof import prove as prove_shipped
from checker.proof.induction import FAILS, PROVED, UNKNOWN, Obligation
from checker.proof.matrix import Proof, Proven, matrix, prove
from checker.search import suite
from checker.search.audit import TRIES, Audit
from checker.search.check import Check, Outcome
from checker.search.exploration import Counterexample, Exploration, Limits
from checker.search.perform import run
from tests.support.paths import ROOT

SMALL = Check("requests=1 slots=4")
FOUND = Check("requests=1 slots=5 nodes=2 max_len=6", design="merged-29792", expect=("exact-label",))


@pytest.fixture(autouse=True)
def long_ago(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this process have begun just now, so that no text is newer than it."""
    monkeypatch.setattr(checker, "STARTED", time.time_ns() + 10**9)


@pytest.fixture
def rooms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the packages, which stands in for them where texts are read."""
    for room in ("spec", "runtime", "checker"):
        shutil.copytree(ROOT / room, tmp_path / room, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(cache_key, "ROOMS", tuple(tmp_path / room for room in ("spec", "runtime", "checker")))
    return tmp_path


def performed(cache: Cache, *tasks):
    """The results of tasks, one after the other in this process, and how many had to be performed."""
    before = cache.found
    results = [one for task in tasks for one in cache.perform([task])]
    return results, len(tasks) - (cache.found - before)


def test_what_has_passed_is_found_again_and_is_the_same(tmp_path: Path) -> None:
    tasks = [partial(run, SMALL), partial(run, FOUND)]
    first, asked = performed(Cache(tmp_path), *tasks)
    assert asked == 2
    again = Cache(tmp_path)
    second, asked = performed(again, *tasks)
    assert (asked, again.found) == (0, 2)
    assert [dataclasses.asdict(one) for one in second] == [dataclasses.asdict(one) for one in first]
    assert "--no-cache" in next(again.words(2))


def test_a_forbidden_cache_finds_nothing_and_keeps_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    performed(Cache.unless(forbidden=False), partial(run, SMALL))
    kept = sorted(path.stat().st_mtime_ns for path in tmp_path.rglob("*"))
    _, asked = performed(Cache.unless(forbidden=True), partial(run, SMALL))
    assert asked == 1
    assert sorted(path.stat().st_mtime_ns for path in tmp_path.rglob("*")) == kept
    _, asked = performed(Cache.unless(forbidden=False), partial(run, SMALL))
    assert asked == 0


# What a verdict depends on: each input by itself, changed, must miss.


@pytest.mark.parametrize("room", ["spec", "runtime", "checker"])
def test_a_changed_text_misses(room: str, rooms: Path, tmp_path: Path) -> None:
    before = digest(surroundings())
    files = sorted((rooms / room).rglob("*.py"))
    for path in (files[0], files[len(files) // 2], files[-1]):
        text = path.read_bytes()
        path.write_bytes(text + b"\n")
        assert digest(surroundings()) != before, path
        path.write_bytes(text)
    assert digest(surroundings()) == before


def test_a_text_that_is_added_renamed_or_gone_misses(rooms: Path) -> None:
    digests = {digest(surroundings())}
    (rooms / "spec" / "more.py").write_text("")
    digests.add(digest(surroundings()))
    (rooms / "spec" / "more.py").rename(rooms / "spec" / "other.py")
    digests.add(digest(surroundings()))
    (rooms / "spec" / "applies.py").unlink()
    digests.add(digest(surroundings()))
    assert len(digests) == 4


def test_the_texts_are_those_that_are_imported() -> None:
    names = surroundings()["texts"]
    assert {"spec/state.py", "runtime/engine.py", "checker/command/cache_key.py", "spec/actions/decode.py"} <= set(
        names
    )
    loaded = [module for name, module in sys.modules.items() if name.split(".")[0] in ("spec", "runtime", "checker")]
    files = {str(path) for path in cache_key.texts()}
    assert len(loaded) > 100
    assert {module.__file__ for module in loaded if str(module.__file__).startswith(str(ROOT))} <= files


@pytest.mark.parametrize("name", LIBRARIES)
def test_another_version_or_build_of_a_library_misses(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Other:
        def __init__(self, version: str, record: str) -> None:
            self.version, self.record = version, record

        def read_text(self, file: str) -> str:
            return self.record

    usual = importlib.metadata.distribution
    digests = {digest(surroundings())}
    for found in (Other("1", "built here"), Other("2", "built here"), Other("2", "built there")):
        monkeypatch.setattr(
            importlib.metadata, "distribution", lambda asked, found=found: found if asked == name else usual(asked)
        )
        digests.add(digest(surroundings()))
    assert len(digests) == 4


def test_every_library_that_computes_is_known() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = settings["optional-dependencies"]
    wanted = [*settings["dependencies"], *(one for name, found in extras.items() if name != "dev" for one in found)]
    names = {one.split(">")[0].split("=")[0].split("[")[0] for one in wanted}
    # These two bring results to a person, and compute none.
    assert names - {"rich", "typer", "slotproof"} <= set(LIBRARIES)


@pytest.mark.parametrize("name", ["PYTHONHASHSEED", "PYTHONOPTIMIZE", "NUMBA_DISABLE_JIT", "OPENBLAS_CORETYPE"])
def test_another_environment_misses(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(name, raising=False)
    digests = {digest(surroundings())}
    for value in ("0", "1"):
        monkeypatch.setenv(name, value)
        digests.add(digest(surroundings()))
    assert len(digests) == 3


@pytest.mark.parametrize("name", ["version", "flags", "_xoptions"])
def test_another_python_misses(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = digest(surroundings())
    monkeypatch.setattr(sys, name, {"dev": True} if name == "_xoptions" else f"{getattr(sys, name)} and other")
    assert digest(surroundings()) != before


@pytest.mark.parametrize("name", ["platform.machine", "platform.platform", "checker.command.cache_key._processor"])
def test_another_machine_misses(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = digest(surroundings())
    monkeypatch.setattr(name, lambda: "another")
    assert digest(surroundings()) != before


OTHERS = {
    str: "other",
    int: 7,
    float: 7.5,
    bool: True,
    tuple: ("other",),
    Limits: Limits(states=7),
    type(None): 7.5,
}
"""For each kind of value another one."""


@pytest.mark.parametrize(
    "task",
    [Check("requests=1"), Limits(), Proof("core", "requests=1"), Mutant("m", "f", "o", 1, 2, "old", "new", "text")],
    ids=lambda task: type(task).__name__,
)
def test_every_field_of_a_task_counts(task: object) -> None:
    spellings = {digest(spelled(task))}
    fields = dataclasses.fields(task)
    for field in fields:
        value = getattr(task, field.name)
        other = not value if isinstance(value, bool) else OTHERS[type(value)]
        spellings.add(digest(spelled(dataclasses.replace(task, **{field.name: other}))))
    assert len(spellings) == len(fields) + 1


def test_what_is_asked_and_how_counts() -> None:
    tasks = [
        partial(run, SMALL),
        partial(prove, SMALL),
        partial(run, dataclasses.replace(SMALL, limits=Limits(depth=3))),
        partial(prove_shipped, quick=True),
        partial(prove_shipped, quick=False),
        partial(prove_shipped, True),
        partial(hunt, 0, steps=10),
        partial(hunt, 0, steps=11),
        partial(hunt, 1, steps=10),
        partial(hunt, True, steps=10),
        partial(hunt, 0, seconds=10),
    ]
    assert len({digest(spelled(task)) for task in tasks}) == len(tasks)


def test_what_has_no_spelling_is_not_guessed_at() -> None:
    for what in (object(), lambda: None, partial(run, {1, 2}), [object()], surroundings.__get__(0)):
        with pytest.raises(TypeError, match="no spelling"):
            spelled(what)


def test_every_task_of_the_main_job_has_a_spelling_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    class Noted(Exception):
        pass

    class Notes(Cache):
        def perform(self, tasks):
            raise Noted([digest(spelled(task)) for task in tasks])

    with pytest.raises(Noted) as seen:
        verify.verify(quick=False, progress=None, cache=Notes(None))
    (spellings,) = seen.value.args
    assert len(spellings) > 50
    assert len(set(spellings)) == len(spellings)


# What is not kept, and what is not believed.

AUDITED = Audit(TRIES)
EXPLORED = Exploration(states=1, transitions=1, complete=True, asked=["one"])


def outcome(check: Check = SMALL, audit: Audit = AUDITED, **changed: object) -> Outcome:
    return Outcome(check, check.scope, dataclasses.replace(EXPLORED, **changed), {}, audit)


CORE = Proof("core", "requests=1")


def proven(proof: Proof = CORE, verdict: str = PROVED, **changed: object) -> Proven:
    whole = Proven(proof, proof.scope, [Obligation("step", "lemma", verdict)], audit=AUDITED, complete=True)
    return dataclasses.replace(whole, **changed)


SETTLED = [
    outcome(),
    proven(),
    Shipped(["one"], [Obligation("step", "lemma", PROVED)]),
    MutantResult("m", "k", "o", "old", "new", Kind.PROPERTY),
    Campaign(Coverage(steps=1, actions=dict.fromkeys(ACTIONS, 1))),
]
UNSETTLED = {
    "a violation": outcome(counterexamples={"one": Counterexample("one", [])}),
    "a vacuous search": outcome(transitions=0),
    "a search that was cut": outcome(cut="100 states"),
    "one that found what it must, but was cut": outcome(
        dataclasses.replace(SMALL, expect=("one",)), counterexamples={"one": Counterexample("one", [])}, cut="1 s"
    ),
    "a search with a limit of time": outcome(dataclasses.replace(SMALL, limits=Limits(seconds=1e9))),
    "a search that was not audited": outcome(audit=Audit()),
    "a design of a user's own": outcome(dataclasses.replace(SMALL, design="mine.py")),
    "a model of a user's own": outcome(dataclasses.replace(SMALL, model="mine.py")),
    "a proof that fails": proven(verdict=FAILS),
    "a proof with an open question": proven(verdict=UNKNOWN),
    "a proof that was cut": proven(complete=False),
    "a proof with a limit of time": proven(Proof("core", "requests=1", ends=1e9)),
    "a proof of a user's own design": proven(Proof("core", "requests=1", "mine.py")),
    "a proof that was not audited": proven(audit=Audit()),
    "a proof that leaves open what it needs": proven(open=1),
    "shipped code that fails": Shipped(["one"], [Obligation("step", "lemma", FAILS)]),
    "shipped code with an open question": Shipped(["one"], [Obligation("step", "lemma", UNKNOWN)]),
    "shipped code that was not looked at": Shipped(),
    "a mutant that lives": MutantResult("m", "k", "o", "old", "new"),
    "a mutant that an error has killed": MutantResult("m", "k", "o", "old", "new", Kind.ERROR),
    "a mutant with an open question": MutantResult("m", "k", "o", "old", "new", Kind.LEMMA, open=["one"]),
    "a run that fails": Campaign(SETTLED[-1].coverage, [FailingRun("k", "n", "d", "p", "s", 1, 1.0, 1, False)]),
    "fuzzing of nothing": Campaign(),
}


@pytest.mark.parametrize("result", SETTLED, ids=lambda result: type(result).__name__)
def test_what_passed_is_settled(result: object) -> None:
    assert result.settled


@pytest.mark.parametrize("result", UNSETTLED.values(), ids=UNSETTLED)
def test_what_failed_was_cut_or_is_open_is_not_kept(result: object, tmp_path: Path) -> None:
    assert not result.settled
    cache = Cache(tmp_path)
    cache._keep(cache._place("task"), result)
    assert list(tmp_path.rglob("*")) == []


def test_a_mutant_and_a_proof_are_found_again(tmp_path: Path) -> None:
    (mutant,) = drawn(SPEC, 1)
    cheap = Proof("small", "requests=1 slots=4 nodes=2 interval=2 max_len=4")
    tasks = [partial(SPEC.judge, mutant), partial(prove, cheap), partial(hunt, 0, steps=1)]
    kinds = [result.settled for result in performed(Cache(tmp_path), *tasks)[0]]
    again, asked = performed(Cache(tmp_path), *tasks)
    assert len(again) == 3
    assert asked == kinds.count(False)
    assert kinds[0]


def rewriting(path: str) -> Outcome:
    """A task during which a text is written; it is as it was before the result comes, but who knows what was read."""
    text = Path(path).read_bytes()
    Path(path).write_bytes(text + b"\n")
    Path(path).write_bytes(text)
    return outcome()


def test_a_text_that_is_written_while_a_run_goes_on_keeps_its_verdicts_out(rooms: Path) -> None:
    task = partial(rewriting, str(rooms / "spec" / "ring.py"))
    assert len(list(Cache(rooms / "kept").perform([task]))) == 1
    assert not (rooms / "kept").exists()


def test_a_text_that_is_newer_than_this_process_switches_it_off(rooms: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    performed(Cache(rooms / "kept"), outcome)
    assert performed(Cache(rooms / "kept"), outcome)[1] == 0
    newest = max(changed for changed, *_ in stamps().values())
    monkeypatch.setattr(checker, "STARTED", newest)
    assert performed(Cache(rooms / "kept"), outcome)[1] == 1


def test_a_file_that_is_damaged_moved_or_forged_is_as_if_it_were_not_there(tmp_path: Path) -> None:
    performed(Cache(tmp_path), partial(run, SMALL), partial(run, FOUND))
    one, other = [path for path in tmp_path.rglob("*") if path.is_file()]
    kept = one.read_bytes()
    forged = pickle.dumps(print)
    cache = Cache(tmp_path)
    for wrong in (b"", kept[:-1], kept[:40] + bytes([kept[40] ^ 1]) + kept[41:], other.read_bytes()):
        one.write_bytes(wrong)
        assert cache._load(one) is None
    from checker.command.cache import _seal

    for text in (forged, pickle.dumps(UNSETTLED["a violation"]), pickle.dumps("good")):
        one.write_bytes(_seal(one, text) + text)
        assert cache._load(one) is None
    one.write_bytes(kept)
    assert cache._load(one) is not None


def test_a_file_cannot_call_what_is_no_record_of_ours(tmp_path: Path) -> None:
    class Call:
        def __reduce__(self):
            return (exec, ("raise SystemExit('called')",))

    from checker.command.cache import _seal

    cache = Cache(tmp_path)
    place = cache._place("task")
    place.parent.mkdir()
    text = pickle.dumps(Call())
    place.write_bytes(_seal(place, text) + text)
    assert cache._load(place) is None


def test_a_folder_that_cannot_be_written_ends_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    results, asked = performed(Cache(tmp_path / "file"), outcome)
    assert len(results) == asked == 1


def test_only_the_newest_states_of_the_texts_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(KEPT + 3):
        monkeypatch.setenv("PYTHONHASHSEED", str(number))
        performed(Cache(tmp_path), outcome)
    assert len(list(tmp_path.iterdir())) == KEPT
    assert performed(Cache(tmp_path), outcome)[1] == 0


def test_ci_asks_everything_anew() -> None:
    for ci, wanted in (("true", True), ("", False)):
        command = ["make", "--dry-run", "verify", f"CI={ci}", "STAMP="]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert ("--no-cache" in done.stdout) == wanted, done.stdout + done.stderr
        assert "slotproof verify" in done.stdout


def test_the_matrix_and_the_suite_differ_in_what_they_ask() -> None:
    asked = [*matrix(), *suite.ours(quick=False), *suite.designs(), *suite.wrong_edits(), suite.CANARY]
    assert len({digest(spelled(one)) for one in asked}) == len(asked)
