"""Random walks of the spec, written down as traces: what the spec did, the judge must find, and nothing else."""

from __future__ import annotations

from collections import Counter

import pytest

from checker.command.report.conformance import conformance_lines
from checker.model.known_designs import DESIGNS
from checker.traces.conformance.conformance import Conformance
from checker.traces.format1 import Admit1 as Admit
from checker.traces.format1 import Evict1 as Evict
from checker.traces.format1 import Free1 as Free
from checker.traces.format1 import Prefill1 as Prefill
from checker.traces.format1 import Prepare1 as Prepare
from checker.traces.format1 import Process1 as Process
from checker.traces.format1 import Publish1 as Publish
from checker.traces.judge import Judge
from spec.design import Design
from spec.properties import exact_label, no_inflight_target, one_owner
from spec.scope import EAGER, LAZY, Scope
from tests.support.small_trace import upgrade
from tests.support.spec_trace import Step, header_of, walk
from tests.support.walk_scopes import scope_of

WALKS, STEPS = 300, 50
EVERYWHERE = [(name, mode) for name in DESIGNS for mode in (EAGER, LAZY)]


def broken(steps: list[Step], design: Design) -> list[tuple[int, str]]:
    """The states, by number, in which the cache isn't what it says or a slot has two owners, with the property."""
    stated = (one_owner, exact_label, no_inflight_target)
    return [(at, found.name) for at, step in enumerate(steps) for found in stated if not found(step.after, design)]


def judged(steps: list[Step], scope: Scope) -> str:
    header, lines = upgrade(header_of(scope), (event for step in steps for event in step.events))
    judge = Judge(header, close_look=len(steps) % 2 == 0)
    for line, event in lines:
        judge.feed(line, event)
    return judge.result().outcome


def conformed(steps: list[Step], scope: Scope, design: type[Design]) -> Conformance:
    header, lines = upgrade(header_of(scope), (event for step in steps for event in step.events))
    conformance = Conformance(header, design, scope.without_spare)
    for line, event in lines:
        conformance.feed(line, event)
    return conformance


def assert_conforms(steps: list[Step], scope: Scope, design: type[Design]) -> None:
    result = conformed(steps, scope, design).result()
    assert result.conforms, "\n".join([str(scope), *conformance_lines(result, "walk")])


@pytest.mark.parametrize(("name", "mode"), EVERYWHERE)
def test_walks_conform_to_their_own_design(name: str, mode: str) -> None:
    for seed in range(WALKS, WALKS + 60):
        scope = scope_of(mode, seed)
        assert_conforms(list(walk(scope, DESIGNS[name], seed, STEPS)), scope, DESIGNS[name])


@pytest.mark.parametrize(("name", "mode"), EVERYWHERE)
def test_the_verdict_on_a_walk_is_what_the_properties_say(name: str, mode: str) -> None:
    """A trace doesn't show the device. With an idle one the spec sees all that may be overwritten, as a judge must."""
    outcomes: Counter[str] = Counter()
    for seed in range(WALKS):
        scope = scope_of(mode, seed)
        steps = list(walk(scope, DESIGNS[name], seed, STEPS, idle_device=True))
        found = broken(steps, DESIGNS[name](scope))
        outcome = judged(steps, scope)
        outcomes[outcome] += 1
        assert_conforms(steps, scope, DESIGNS[name])
        assert (outcome == "bad") == bool(found), f"seed {seed}, {scope}: {outcome}, {found[:3]}"
    assert set(outcomes) <= {"good", "bad"}
    # What our own design does is never bad, and neither is upstream's lazy mode since it clears its labels.
    expect_bad = name != "slotproof" and not (name in ("merged-29792", "merged-0.5.22") and mode == LAZY)
    assert (outcomes["bad"] > 0) == expect_bad


@pytest.mark.parametrize("mode", [EAGER, LAZY])
def test_a_verdict_follows_every_progress_of_the_device(mode: str) -> None:
    """Whatever the device happened to have done when the spec was violated, the judge calls the trace bad."""
    for seed in range(WALKS, WALKS + 100):
        scope = scope_of(mode, seed)
        steps = list(walk(scope, DESIGNS["before-29792"], seed, STEPS))
        found = broken(steps, DESIGNS["before-29792"](scope))
        if found:
            assert judged(steps, scope) == "bad", f"seed {seed}, {scope}"


def test_walks_meet_what_traces_can_show() -> None:
    met: Counter[str] = Counter()
    for name, mode in EVERYWHERE:
        for seed in range(40):
            for step in walk(scope_of(mode, seed), DESIGNS[name], seed, STEPS):
                for event in step.events:
                    met["an admission"] += isinstance(event, Admit)
                    met["an eviction"] += isinstance(event, Evict)
                    met["an empty batch"] += isinstance(event, Prepare) and not event.rows
                    met["two rows"] += isinstance(event, Prepare) and len(event.rows) == 2
                    met["stored"] += isinstance(event, Publish) and event.stored
                    met["not stored"] += isinstance(event, Publish) and not event.stored
                    met["a hit"] += isinstance(event, Prefill) and event.rows[0].copy_from is not None
                    if isinstance(event, Process):
                        met["skipped"] += any(row.skipped for row in event.rows)
                        met["done"] += any(row.done for row in event.rows)
                        met["lookahead 0"] += any(row.lookahead == 0 for row in event.rows)
                        met["lookahead 2"] += any(row.lookahead == 2 for row in event.rows)
                met["an abort"] += step.action.name == "abort" and isinstance(step.events[0], Free)
                for told in step.after.step.events:
                    met["a spare"] += told.spare_taken
                    met["no spare"] += told.no_spare
                    met["no replacement"] += told.no_replacement
                    met["refused"] += told.refused
                met["reused under a write"] += step.after.step.reused
    assert not [what for what, times in met.items() if times < 5], met


@pytest.mark.parametrize("mode", [EAGER, LAZY])
def test_walks_of_one_design_diverge_from_another(mode: str) -> None:
    """Not every walk meets a difference, but most of upstream's do, and nearly every difference can be explained."""
    diverged, explained = 0, 0
    for seed in range(60):
        scope = scope_of(mode, seed)
        steps = list(walk(scope, DESIGNS["before-29792"], seed, STEPS))
        result = conformed(steps, scope, Design).result()
        if result.divergence is not None:
            diverged += 1
            explained += bool(result.divergence.answers)
    assert diverged > 40
    assert explained > 0.8 * diverged


def test_a_walk_is_reproduced_by_its_seed() -> None:
    scope = scope_of(LAZY, 3)
    first, second = ([s.events for s in walk(scope, Design, 3, STEPS)] for _ in range(2))
    assert first == second
