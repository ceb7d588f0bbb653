"""The mutation score: does every small change of a text break something that has a name?

The text is the spec's, or the boundary logic that ships. The mutants are made in operators.py; what may kill them is in
oracles.py and boundary.py, and those that nothing kills have their reasons in equivalent.py.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from checker.mutation import boundary, operators, oracles
from checker.mutation.equivalent import JUSTIFIED
from checker.mutation.operators import Mutant
from checker.mutation.result import MutantResult
from checker.workers import spread
from spec.scope import BadScope

SEED = 4
"""A sample is the same in every run, unless asked otherwise; with this seed the small scopes kill what is drawn."""


@dataclass(frozen=True, slots=True)
class Target:
    """A text that is changed, and what has to notice."""

    name: str
    mutants: Callable[[], list[Mutant]]
    judge: Callable[[Mutant], MutantResult]
    justified: Mapping[str, str]
    """Mutants that nothing kills, each with the reason why it may live."""
    remedy: str
    """What to do about one that survives without a reason."""
    renewed_after: int | None = None
    """After so many mutants a process ends, with every text that it has loaded; None: what it has built stays."""


SPEC = Target(
    "the spec",
    operators.mutants,
    oracles.judge,
    JUSTIFIED,
    "state a property, lemma, postcondition or *sometimes* that kills it, or a reason in "
    "checker/mutation/equivalent.py",
    renewed_after=100,
)
BOUNDARY = Target(
    "the shipped code",
    boundary.mutants,
    boundary.judge,
    {},
    "state a property in checker/proof/boundary_contract.py that kills it",
)


@dataclass(slots=True)
class Score:
    """What became of all mutants of a target, or of a sample of them."""

    target: Target
    results: list[MutantResult]
    of: int
    """How many mutants there are."""
    seconds: float = 0.0

    @property
    def killed(self) -> int:
        """How many were killed."""
        return sum(result.killed for result in self.results)

    @property
    def unjustified(self) -> list[MutantResult]:
        """Survivors without a reason, although every question about them was answered: holes."""
        return [result for result in self._unexplained if not result.open]

    @property
    def undecided(self) -> list[MutantResult]:
        """Survivors without a reason of which the solver has left questions open: nobody knows."""
        return [result for result in self._unexplained if result.open]

    @property
    def _unexplained(self) -> list[MutantResult]:
        return [result for result in self.results if not result.killed and result.key not in self.target.justified]

    @property
    def stale(self) -> list[str]:
        """Reasons without a survivor, where all mutants were judged."""
        survivors = {result.key for result in self.results if not result.killed}
        whole = len(self.results) == self.of
        return [key for key in self.target.justified if key not in survivors] if whole else []

    @property
    def right(self) -> bool:
        """Whether every survivor is justified, and nothing else is."""
        return not self._unexplained and not self.stale


def score(
    target: Target = SPEC,
    sample: int | None = None,
    workers: int | None = None,
    seed: int = SEED,
    note: Callable[[str], None] = lambda text: None,
) -> Score:
    """Judge all mutants of a target, or a sample, in parallel processes; raises BadScope.

    A sample is drawn from those that must be killed: that the justified ones survive takes every oracle for each, and
    is shown by the full run only.
    """
    for name, value in (("sample", sample), ("workers", workers)):
        if value is not None and value < 1:
            raise BadScope(f"--{name} {value}: write a number from 1 on, or leave it out for all")
    started = time.perf_counter()
    chosen = target.mutants() if sample is None else drawn(target, sample, seed)
    results = {result.key: result for result in judge_all(target, chosen, workers, note)}
    ordered = [results[mutant.key] for mutant in chosen]
    return Score(target, ordered, len(target.mutants()), time.perf_counter() - started)


def drawn(target: Target, sample: int, seed: int = SEED) -> list[Mutant]:
    """Return a sample of the mutants that must be killed; one mutant more or less changes one of the sample at most."""
    mortal = [mutant for mutant in target.mutants() if mutant.key not in target.justified]
    return sorted(mortal, key=lambda mutant: hashlib.sha256(f"{seed} {mutant.key}".encode()).digest())[:sample]


def judge_all(
    target: Target,
    chosen: Sequence[Mutant],
    workers: int | None = None,
    note: Callable[[str], None] = lambda text: None,
) -> Iterator[MutantResult]:
    """Judge mutants in parallel processes, and yield what became of them as it comes."""
    # Survivors take longest, so they begin.
    ordered = sorted(chosen, key=lambda mutant: mutant.key not in target.justified)
    judged = killed = 0
    for result in spread(target.judge, ordered, workers, target.renewed_after):
        judged, killed = judged + 1, killed + result.killed
        note(f"{judged} of {len(chosen)} mutants of {target.name} judged, {killed} killed")
        yield result
