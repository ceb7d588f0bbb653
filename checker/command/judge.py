"""Judging traces: which files, what fails them, whether one is still being written, and who reads what was found."""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from checker.command import github, junit
from checker.command.console import Progress, complain, emit, printable, say_all
from checker.command.interrupts import first_ctrl_c
from checker.command.report import traces, verdict
from checker.exit_codes import worst
from checker.traces.fail_on import parse
from checker.traces.follow import follow, until_stop
from checker.traces.judge import Judge
from checker.traces.judge_file import Judgement, Unjudged, judge_events, judge_file
from checker.traces.ranks import compare_ranks, rank_files
from checker.traces.reading import BadTrace
from spec.scope import OVERWRITE, SKIP, BadScope

if TYPE_CHECKING:
    from spec.design import Design


@dataclass(frozen=True, slots=True)
class Judging:
    """What was asked for, in the words of the command line."""

    design: str = ""
    without_spare: str = ""
    fail_on: str = ""
    follow: bool = False
    as_json: bool = False
    junit: Path | None = None
    github: bool = False
    ranks: Path | None = None
    """A folder with a trace of each rank of a server, instead of files."""
    rank_count: int | None = None
    """How many ranks there must be."""

    def check(self, files: Sequence[Path]) -> None:
        """Raise BadScope for what would have no effect, or none that can be seen."""
        if self.without_spare not in ("", OVERWRITE, SKIP):
            raise BadScope(f"--without-spare {self.without_spare}: write {OVERWRITE} or {SKIP}")
        if self.without_spare and not self.design:
            raise BadScope("--without-spare has no effect without --design: add --design NAME")
        if self.ranks is None and not files:
            raise BadScope("nothing to judge: name a trace, or a folder of them with --ranks DIR")
        if self.ranks is not None and files:
            raise BadScope(f"--ranks judges the traces of its folder: leave {files[0]} out")
        if self.rank_count is not None and self.ranks is None:
            raise BadScope("--rank-count has no effect without --ranks: add --ranks DIR")
        if self.follow and len(files) != 1:
            raise BadScope("--follow reads one file: start the command once for each")
        if self.github and self.as_json:
            raise BadScope("--github and --json both print for a machine: leave one of the two out")


def judge_files(files: Sequence[Path], asked: Judging) -> int:
    """Judge each file, hand on what was found, and return the exit code; one that cannot be read stops no other."""
    asked.check(files)
    if asked.ranks is not None:
        files = rank_files(asked.ranks)
    fail_on = parse(asked.fail_on) if asked.fail_on else ()
    design = _design(asked.design) if asked.design else None
    judgements: list[traces.Judged] = []
    for file in files:
        judged = _judged(file, design, asked)
        if isinstance(judged, Unjudged):
            complain(judged.reason)
        else:
            judged.fail_on = fail_on
        if not asked.as_json:
            traces.show(judged)
        judgements.append(judged)
    if asked.ranks is not None:
        for compared in compare_ranks(asked.ranks, files, asked.rank_count):
            if not asked.as_json:
                traces.show(compared)
            judgements.append(compared)
    if asked.as_json:
        emit(list(map(traces.data, judgements)))
    if asked.github:
        say_all(line for judged in judgements for line in github.lines(judged))
    if asked.junit is not None:
        junit.write(asked.junit, judgements)
    return worst(map(traces.exit_code, judgements))


def _design(name: str) -> type[Design]:
    from checker.model.designs import design_class  # noqa: PLC0415 (a verdict alone needs no designs, and starts at once)

    return design_class(name)


def _judged(file: Path, design: type[Design] | None, asked: Judging) -> Judgement | Unjudged:
    try:
        if asked.follow:
            return _followed(file, design, asked)
        return judge_file(file, design, asked.without_spare)
    except BadTrace as error:
        return Unjudged(file, str(error), error.line)


def _followed(file: Path, design: type[Design] | None, asked: Judging) -> Judgement:
    """Judge a file while it is written; the first Ctrl-C ends it, and what was written by then is judged."""
    ended = threading.Event()
    with first_ctrl_c(ended.set), Progress() as progress:
        progress.note(f"following {file}" if file.exists() else f"waiting for {file}")
        reader = follow(file, ended)
        progress.note(f"following {file}")
        story = FirstStory(file, progress, silent=asked.as_json)
        return judge_events(reader, until_stop(reader), design, asked.without_spare, story)


class FirstStory:
    """Prints the first violation of a trace the moment that it is found; the whole verdict comes at the end."""

    def __init__(self, file: Path, progress: Progress, silent: bool) -> None:
        self._file, self._progress = file, progress
        self._done = silent

    def __call__(self, judge: Judge) -> None:
        """Look at what has been found by now."""
        if self._done:
            return
        found = judge.result().violations
        if found:
            self._done = True
            self._progress.clear()
            headline = f"bad: {self._file} (still being written)"
            say_all(map(printable, [headline, *verdict.violation_lines(found[0])]))
            sys.stdout.flush()
