"""What became of one mutant, of the spec or of the code that ships."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from checker.mutation.operators import Mutant


class Kind(StrEnum):
    """What may kill a mutant, the most telling first."""

    PROPERTY = "property"
    SOMETIMES = "sometimes"
    IDLE = "never enabled"
    ERROR = "error"
    LEMMA = "lemma"
    POSTCONDITION = "postcondition"
    MUST_FAIL = "must fail"
    INDUCTION = "induction"
    CHOICES = "choices"


@dataclass(slots=True)
class MutantResult:
    """What became of a mutant."""

    name: str
    key: str
    operator: str
    old: str
    new: str
    kind: Kind | None = None
    """What has killed it; None: nothing."""
    by: str = ""
    """The name of the property, *sometimes*, action, lemma, postcondition or obligation; otherwise in words."""
    scope: str = ""
    steps: int = 0
    """How long the shortest run to the violation is; 0 where there is no run."""
    inputs: str = ""
    """Inputs on which it decides otherwise, where single decisions are compared."""
    open: list[str] = field(default_factory=list)
    """Questions that the solver has left open, which kills nothing."""
    seconds: float = 0.0

    @property
    def killed(self) -> bool:
        """Whether anything has killed it."""
        return self.kind is not None

    @property
    def settled(self) -> bool:
        """Whether it was killed, and would be again: not by an error, and with nothing left open by the solver."""
        return self.killed and not self.open and self.kind is not Kind.ERROR


def not_judged(mutant: Mutant) -> MutantResult:
    """Return the result of a mutant that nothing has been asked about yet."""
    return MutantResult(mutant.name, mutant.key, mutant.operator, mutant.old, mutant.new)


def error_words(error: Exception) -> str:
    """Return an error that kills a mutant, in words: whatever goes wrong is seen by anybody who runs its text."""
    return f"{type(error).__name__}: {error}"
