"""Faults of the evaluator and of the search, planted by tests only: no verdict of a checker with one of them stands."""

from __future__ import annotations

from checker.exit_codes import INTERNAL, SHOWN, VIOLATED
from checker.search.audit import Disagreement
from checker.search.bfs import Search
from checker.search.check import Check
from checker.search.perform import run
from checker.search.successors import Expander
from checker.search.suite import CANARY
from checker.symbolic.operators import Operators
from checker.symbolic.transitions import Reader
from checker.symbolic.walk import Walk
from tests.support.paths import YARDSTICK_FILE
from tests.support.planting import Fault, Plant

YARDSTICK = Check("R=1 N=4 K=2", model=str(YARDSTICK_FILE))
OURS = Check("requests=1 slots=4 nodes=1 max_len=4 mode=eager")
CHECKS = (CANARY, YARDSTICK, OURS)
"""What stands for a whole `verify`: the canary is part of it, and the other two are of the kinds that it searches."""

IS_REFERENCE = "type(value).__name__ in ('Record', 'Array', 'Mux')"
LAST_ELIF = "[type(it) for it in statement.orelse] == [ast.If] and not statement.orelse[0].orelse"

EVALUATOR_FAULTS = (
    Fault(
        "last-elif-dropped",
        "the last elif of a chain is not read",
        (
            Plant(
                Walk,
                "branch",
                "(self.graph.not_(condition), statement.orelse)",
                f"(self.graph.not_(condition), [] if {LAST_ELIF} else statement.orelse)",
            ),
        ),
    ),
    Fault(
        "chain-folded",
        "a <= b <= c is read as a <= b",
        (
            Plant(
                Operators,
                "_compare_chain",
                "zip(node.ops, node.comparators,",
                "zip(node.ops[:1], node.comparators[:1],",
            ),
        ),
    ),
    Fault(
        "branches-swapped",
        "the state after an if is merged the wrong way round",
        (Plant(Walk, "join", "merge(condition, store, other_store)", "merge(condition, other_store, store)"),),
    ),
    Fault(
        "values-swapped",
        "a local name after an if is merged the wrong way round",
        (
            Plant(
                Walk, "merge_values", "[(condition, a), (self.graph.not_(condition), b)]", "[(condition, b), (True, a)]"
            ),
        ),
    ),
    Fault(
        "stale-alias",
        "a name for a record of the state stands for what the record was when it was named",
        (
            Plant(
                Walk,
                "_assign_all",
                "self.bind_to(target, value, frame)",
                f"self.bind_to(target, self.store.duplicate(value) if {IS_REFERENCE} else value, frame)",
            ),
        ),
    ),
    Fault(
        "state-property-skipped",
        "the search leaves out the last property of every state",
        (Plant(Search, "__init__", "in self.expander.always]", "in self.expander.always[:-1]]"),),
    ),
    Fault(
        "state-property-not-asked",
        "the search never comes to the last property of every state",
        (Plant(Search, "_check_always", "in enumerate(self.always):", "in enumerate(self.always[:-1]):"),),
    ),
    Fault(
        "step-property-skipped",
        "the last property of steps is not read",
        (Plant(Reader, "__init__", 'model.of_kind("step")', 'model.of_kind("step")[:-1]'),),
    ),
    Fault(
        "step-property-not-asked",
        "the last property of steps is read, and left out of the program",
        (Plant(Expander, "__init__", "in self.reader.broken]", "in self.reader.broken[:-1]]"),),
    ),
)


def exit_code(checks: tuple[Check, ...] = CHECKS) -> int:
    """Return what `verify` would end with if it had only these checks."""
    try:
        right = all(run(check).as_expected for check in checks)
    except Disagreement:
        return INTERNAL
    return SHOWN if right else VIOLATED
