"""What fuzzing has found and covered."""

from __future__ import annotations

from dataclasses import dataclass, field

from checker.lockstep.coverage import Coverage


@dataclass(frozen=True, slots=True)
class FailingRun:
    """A failure, shrunk."""

    kind: str
    name: str
    detail: str
    program: str
    """The script."""
    story: str
    """The same as a timeline."""
    steps: int
    seconds: float
    """Seconds of the campaign until it was first seen."""
    tried: int
    """Steps of the campaign up to there."""
    threaded: bool


@dataclass(slots=True)
class Campaign:
    """What one worker, or all of them, have done."""

    coverage: Coverage = field(default_factory=Coverage)
    found: list[FailingRun] = field(default_factory=list)
    seconds: float = 0.0
    """How long it took, as a person waits for it."""
    busy: float = 0.0
    """Seconds that workers have hunted, all together: without the time that processes take to start."""
    workers: int = 1

    def add(self, other: Campaign) -> None:
        """Add what another process has done meanwhile."""
        self.coverage.add(other.coverage)
        self.found += other.found
        self.busy += other.busy
        self.seconds = max(self.seconds, other.seconds)

    @property
    def right(self) -> bool:
        """Whether nothing was found, something was done, and no action was left out."""
        return not self.found and self.coverage.steps > 0 and not self.coverage.missing

    @property
    def settled(self) -> bool:
        """Whether it passed; the same seeds draw the same runs, though one on a thread is never timed the same."""
        return self.right
