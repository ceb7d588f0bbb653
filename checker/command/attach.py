"""Recording an engine: a command whose processes write traces, which are judged meanwhile if that is asked for.

Nothing of ours runs in the engine's processes but the package of attach/, alone on their path (attachable.py).
"""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from checker.command.attachable import folder
from checker.command.console import Progress, complain, say
from checker.command.interrupts import first_ctrl_c
from checker.command.judge import FirstStory
from checker.command.report import traces
from checker.exit_codes import INCONCLUSIVE, SHOWN, USAGE, BadInput, worst
from checker.traces.fail_on import parse
from checker.traces.follow import PAUSE, follow, until_stop
from checker.traces.judge_file import Judgement, Unjudged, judge_events
from checker.traces.reading import BadTrace


class NotRecorded(BadInput):
    """What was asked for cannot be recorded."""


def attach(engine: str, out: Path, command: Sequence[str], judging: bool, fail_on: str) -> int:
    """Run a command whose processes record an engine, and return the exit code: the worst of what was found."""
    named = parse(fail_on) if fail_on else ()
    if named and not judging:
        raise NotRecorded("--fail-on has no effect without --judge: add --judge")
    if any(out.glob("*.ndjson")):
        raise NotRecorded(f"{out} has traces of another run: name a new folder with --out")
    sys.path.insert(0, str(folder()))
    recording = import_module("slotproof_attach.command")
    try:
        environment = recording.environment(engine, str(out))
    except import_module("slotproof_attach.errors").Refused as error:
        raise NotRecorded(str(error)) from error
    ended = threading.Event()
    with first_ctrl_c(ended.set), Progress() as progress:
        try:
            out.mkdir(parents=True, exist_ok=True)
            if not recording.is_fit(command, environment):
                return USAGE
            process = subprocess.Popen(command, env=environment)
        except OSError as error:
            raise NotRecorded(f"{error.filename or command[0]}: {error.strerror}") from error
        watch = _Watch(out, ended, progress) if judging else None
        while process.poll() is None:
            if watch is not None:
                watch.look()
            # Ctrl-C has ended the command too, or it will end when it likes.
            threading.Event().wait(PAUSE)
        ended.set()
        judged = watch.result() if watch is not None else []
    return _report(out, process.returncode, judged, named)


def _report(out: Path, ended_with: int, judged: Sequence[Judgement | Unjudged], named: tuple[str, ...]) -> int:
    """Say what was recorded and found, and return the exit code."""
    files = sorted(out.glob("*.ndjson"))
    if ended_with:
        complain(f"the command ended with exit code {ended_with}")
    if not files:
        complain(f"no trace was written to {out}: no process of the command has made this engine's slots and used them")
        return USAGE if ended_with == USAGE else INCONCLUSIVE
    for one in judged:
        if isinstance(one, Unjudged):
            complain(one.reason)
        else:
            one.fail_on = named
        traces.show(one)
    if not judged:
        say(f"{len(files)} traces; judge them: slotproof judge {out}/*.ndjson")
    # A command that fails has not come to its end, and what it would have done then was not looked at.
    return worst([*map(traces.exit_code, judged), INCONCLUSIVE if ended_with else SHOWN])


class _Watch:
    """Judges each trace of a folder from its first line on, in a thread of its own."""

    def __init__(self, out: Path, ended: threading.Event, progress: Progress) -> None:
        self._out, self._ended, self._progress = out, ended, progress
        self._threads: dict[Path, threading.Thread] = {}
        self._judged: dict[Path, Judgement | Unjudged] = {}
        self._errors: list[Exception] = []
        """What a thread has run into that is not the trace's fault."""

    def look(self) -> None:
        """Begin with what is new."""
        for file in sorted(self._out.glob("*.ndjson")):
            if file not in self._threads:
                thread = self._threads[file] = threading.Thread(target=self._judge, args=(file,), daemon=True)
                thread.start()

    def result(self) -> list[Judgement | Unjudged]:
        """Return what was found; the files have stopped growing. Raises what kept one from being judged."""
        self.look()
        for thread in self._threads.values():
            thread.join()
        for error in self._errors:
            raise error
        return [self._judged[file] for file in sorted(self._judged)]

    def _judge(self, file: Path) -> None:
        try:
            reader = follow(file, self._ended)
            story = FirstStory(file, self._progress, silent=self._ended.is_set())
            self._judged[file] = judge_events(reader, until_stop(reader), watch=story)
        except BadTrace as error:
            self._judged[file] = Unjudged(file, str(error), error.line)
        except Exception as error:
            # It would end with its thread, and a trace that nobody has judged would pass.
            self._errors.append(error)
