"""A pytest plugin: `--slotproof ENGINE` records each test of an engine's own suite, and has its trace judged.

A test that passes and whose trace is bad fails, with the story of the slot. The judge is the command `slotproof` of
another environment, found on the path or named by the environment variable SLOTPROOF. What was cut or not covered
fails no test and has not passed either: the summary names it, and a run in which nothing was judged fails.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tempfile
import zlib
from collections import Counter
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol

import slotproof_attach

NAME = "slotproof"
"""What a verdict is called in a test's report, and in a JUnit file."""
GOOD, BAD, NOT_COVERED, CUT = "good", "bad", "not covered", "cut"
NO_TRACE, NOT_JUDGED, NAMED_HAZARD = "no trace", "not judged", "named hazard"
FAILING = (BAD, NOT_JUDGED, NAMED_HAZARD)
"""What a line may begin with that says what came of a test, and which of these let it fail."""
_HEADLINE = re.compile(r"^(?:good|bad|not covered|cut): .*$", re.MULTILINE)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options."""
    group = parser.getgroup(NAME, "recording an engine's state slots, and judging them")
    group.addoption("--slotproof", metavar="ENGINE", help="record each test, which fails where its trace is bad")
    group.addoption("--slotproof-out", metavar="DIR", help="keep every trace there, in a folder for each test")
    group.addoption("--slotproof-fail-on", metavar="NAME,...", help="hazards that fail a test, as of `slotproof judge`")


def pytest_configure(config: pytest.Config) -> None:
    """Begin, where it is asked for."""
    if config.getoption("slotproof"):
        config.pluginmanager.register(Recording(config), "slotproof-recording")


def _command() -> list[str]:
    """Return the words that run the judge's command."""
    words = shlex.split(os.environ.get("SLOTPROOF") or "slotproof")
    found = shutil.which(words[0])
    if found is None:
        raise pytest.UsageError(
            f"--slotproof: there is no command {words[0]}; install slotproof in an environment of its own, "
            "and name its command in the environment variable SLOTPROOF"
        )
    # A test may leave the folder that a relative path begins in.
    return [str(Path(found).absolute()), *words[1:], "judge"]


class Recording:
    """Records one test after the other, and remembers for the summary what came of each."""

    def __init__(self, config: pytest.Config) -> None:
        self._engine: str = config.getoption("slotproof")
        fail_on, out = config.getoption("slotproof_fail_on"), config.getoption("slotproof_out")
        self._judge = [*_command(), *(["--fail-on", fail_on] if fail_on else [])]
        self._keep = out is not None
        self._out = Path(out).absolute() if out else Path(tempfile.mkdtemp(prefix="slotproof-"))
        self._came_of: dict[str, str] = {}
        """By test: the line that says what came of it; reports bring it, from workers in other processes too."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        """Run a test from setup to teardown, judge what was recorded, and report it only then."""
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        folder = self._folder(item.nodeid)
        self._begin(folder)
        try:
            reports = runtestprotocol(item, log=False, nextitem=nextitem)
        finally:
            slotproof_attach.close()
        line, story = self._judged(sorted(folder.rglob("*.ndjson")))
        _tell(reports, line, story)
        if line.startswith(f"{GOOD}:") and not self._keep:
            shutil.rmtree(folder)
        for report in reports:
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember what came of a test."""
        for name, line in report.user_properties:
            if name == NAME:
                self._came_of[report.nodeid] = str(line)

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Let a run fail in which nothing was judged; workers leave that to the process that collects their reports."""
        if self._out.is_dir() and not self._keep and not any(self._out.iterdir()):
            self._out.rmdir()
        nothing = all(line == NO_TRACE for line in self._came_of.values())
        if nothing and exitstatus == pytest.ExitCode.OK and not hasattr(session.config, "workerinput"):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say how many tests came to what, and name each that was not good."""
        counts = Counter(line.partition(":")[0] for line in self._came_of.values())
        terminalreporter.section(f"{NAME} {self._engine}")
        for nodeid, line in self._came_of.items():
            if not line.startswith((f"{GOOD}:", NO_TRACE)):
                terminalreporter.write_line(f"{nodeid}: {line}")
        said = ", ".join(f"{count} {kind}" for kind, count in counts.most_common())
        terminalreporter.write_line(f"{len(self._came_of)} tests recorded: {said or 'none'}")
        if not counts.keys() - {NO_TRACE}:
            terminalreporter.write_line("nothing was judged, so nothing is shown: no test has made this engine's slots")

    def _folder(self, nodeid: str) -> Path:
        """Return the folder of a test, empty; a name alone may stand for several once it is fit for a file."""
        name = re.sub(r"[^\w.-]+", "-", nodeid)[-120:].strip("-")
        folder = self._out / f"{name}-{zlib.crc32(nodeid.encode()):08x}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder

    def _begin(self, folder: Path) -> None:
        try:
            # Into a folder, where processes that the test starts write theirs too.
            slotproof_attach.attach(self._engine, folder)
        except slotproof_attach.Refused as error:
            pytest.exit(f"--slotproof {self._engine}: {error}", returncode=int(pytest.ExitCode.USAGE_ERROR))

    def _judged(self, traces: list[Path]) -> tuple[str, str]:
        """Return the line that says what came of a test's traces, and the whole story."""
        if not traces:
            return NO_TRACE, ""
        # The engine's path is not for the judge, whose own modules have names that an engine may have too.
        own = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
        done = subprocess.run([*self._judge, *map(str, traces)], env=own, capture_output=True, text=True, check=False)
        story = done.stdout + done.stderr
        headlines = _HEADLINE.findall(done.stdout)
        of_kind = {line.partition(":")[0]: line for line in reversed(headlines)}
        if BAD in of_kind:
            return of_kind[BAD], story
        if done.returncode == 1:
            return f"{NAMED_HAZARD}: {next(line for line in headlines if 'fails on' in line)}", story
        # A judge that has not said something of every trace has not judged them, whatever it ended with.
        unsure = of_kind.get(NOT_COVERED) or of_kind.get(CUT)
        if len(headlines) != len(traces) or done.returncode != (3 if unsure else 0):
            return f"{NOT_JUDGED}: {' '.join(done.stderr.split()) or f'exit code {done.returncode}'}", story
        return unsure or of_kind[GOOD], story


def _tell(reports: list[pytest.TestReport], line: str, story: str) -> None:
    """Write into the reports of a test what came of it; a test that had passed fails where that must not be."""
    for report in reports:
        report.user_properties.append((NAME, line))
    call = next((report for report in reports if report.when == "call"), reports[0])
    if line.startswith(FAILING) and call.passed:
        call.outcome, call.longrepr = "failed", story
    elif not line.startswith((GOOD, NO_TRACE)):
        call.sections.append((NAME, story))
