"""The recordings of docs/findings.md: the shortest runs that we know in which each fault shows.

Usage: python -m tests.engines.findings     plays all of them again, and writes tests/engines/findings/

`make engines` plays those of the releases that it runs, and compares them with what is written, line by line.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tests.engines.install import Unavailable, install, unpacked
from tests.engines.play import NotPlayed, played
from tests.engines.sglang_on_cpu.enumerated import first
from tests.engines.sglang_on_cpu.workload import Prompt, Workload
from tests.support.paths import TESTS

FOLDER = TESTS / "engines" / "findings"


@dataclass(frozen=True)
class Finding:
    """A run that is wrong, on the engine where it is."""

    release: str
    mode: str
    workload: Workload

    @property
    def recording(self) -> Path:
        """Where its trace lies."""
        return FOLDER / f"{self.release}-{self.mode}-{self.workload.name}.ndjson"


def run(name: str, *prompts: Prompt, **engine: object) -> Workload:
    """A workload of one round, with an end that nobody foresees."""
    return Workload(name, (prompts,), **engine)  # type: ignore[arg-type]


def other(arrives: int, tokens: int = 3, outputs: int = 3) -> Prompt:
    """Somebody else."""
    return Prompt("B", tuple(range(300, 300 + tokens)), outputs, arrives)


FINDINGS = (
    Finding("0.5.23", "eager", run("alone", first(7, 9))),
    Finding("0.5.23", "eager", run("overtaken", first(12, 12), other(4))),
    Finding("0.5.23", "eager", run("before-the-boundary", first(12, 12), other(3), mixed=True)),
    Finding("0.5.23", "eager", run("on-the-boundary", first(12, 20), other(12), mixed=True)),
    Finding("0.5.23", "eager", run("off-the-page", other(0, 3, 8), first(40, 1), page=4, chunk=16, mixed=True)),
    Finding("0.5.18", "lazy", run("no-spare", first(15, 1), slots=2, running=1)),
    Finding("0.5.18", "eager", run("never-written", first(2, 6), other(2, 8, 1), mixed=True)),
    Finding("0.5.17", "eager", run("own-length", first(9, 8), other(8))),
    Finding("0.5.17", "lazy", run("own-length", first(15, 1))),
)


def record(releases: Iterable[str]) -> dict[Finding, Path]:
    """Play the findings of these releases again; where the trace of each lies."""
    asked = [finding for finding in FINDINGS if finding.release in releases]
    found: dict[Finding, Path] = {}
    for release, mode in dict.fromkeys((finding.release, finding.mode) for finding in asked):
        ours = [finding for finding in asked if (finding.release, finding.mode) == (release, mode)]
        _, traces = played(unpacked(release), mode, [finding.workload for finding in ours], "findings-")
        found |= dict(zip(ours, traces, strict=True))
    return found


def changed(releases: Iterable[str]) -> Iterable[str]:
    """Which recordings are not what the engine does, in words."""
    for finding, trace in record(releases).items():
        name = finding.recording.relative_to(TESTS)
        if not finding.recording.exists() or finding.recording.read_bytes() != trace.read_bytes():
            yield f"{name} is not what sglang {finding.release} {finding.mode} does: see {trace.name}"


def main() -> int:
    """Write all recordings anew."""
    releases = sorted({finding.release for finding in FINDINGS})
    try:
        install(releases, [])
        FOLDER.mkdir(exist_ok=True)
        for finding, trace in record(releases).items():
            finding.recording.write_bytes(trace.read_bytes())
            print(finding.recording.relative_to(TESTS))
    except (Unavailable, NotPlayed) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
