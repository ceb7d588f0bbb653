"""Attaching to an engine: from Python, or in every Python process that a command starts."""

from __future__ import annotations

import atexit
import os
import sys
import weakref
from collections.abc import MutableMapping
from pathlib import Path
from types import ModuleType

from slotproof_attach.errors import Refused
from slotproof_attach.recorder import Recorder
from slotproof_attach.sglang import adapter
from slotproof_attach.trace_file import Writer

ENGINES = {"sglang": adapter}
ENGINE, TRACES = "SLOTPROOF_ATTACH", "SLOTPROOF_TRACES"
"""What tells a child process which engine to record, and where to: a folder, or a file whose name others extend."""
SITE = str(Path(__file__).parent / "site")


class Process:
    """What is recorded in this process."""

    path = ""
    exact = False
    """Whether the next pool's trace has exactly that name, as only the first one's of the process that asked can."""
    writer: Writer | None = None
    recorders: weakref.WeakSet[Recorder] = weakref.WeakSet()  # noqa: RUF012 (there is one process)
    made = 0
    hooked: set[str] = set()  # noqa: RUF012


def attach(engine: str, path: str | os.PathLike[str]) -> None:
    """Record an engine in this process, and in those that it starts.

    `path`: a file for the first pool of this process (others get the process and a number into their name), or a
    folder. Modules of the engine that are not imported yet are hooked when they are. Calling it again ends what is
    recorded so far, and records the pools that are made from then on into another file. Raises Refused where the engine
    can be found, and is none that can be recorded.
    """
    adapter_of = adapter_named(engine)
    root = adapter_of.package_root()
    if root is not None:
        adapter_of.check(root)
    close()
    Process.path = os.path.abspath(path)
    Process.exact = not os.path.isdir(Process.path)
    for_children(engine, Process.path, os.environ)
    _hook(engine)


def attach_from_environment() -> None:
    """Record what the process that started this one has asked for."""
    Process.path = os.environ[TRACES]
    _hook(os.environ[ENGINE])


def for_children(engine: str, path: str, environment: MutableMapping[str, str]) -> None:
    """Say in an environment what the processes that get it are to record."""
    environment[ENGINE], environment[TRACES] = engine, path
    found = environment.get("PYTHONPATH", "")
    if SITE not in found.split(os.pathsep):
        environment["PYTHONPATH"] = SITE + (os.pathsep + found if found else "")


def close() -> None:
    """Write what has been noted, and end the traces of this process. Pools that are made later get new ones."""
    for recorder in list(Process.recorders):
        recorder.end()
    if Process.writer is not None:
        Process.writer.round()


def adapter_named(engine: str) -> ModuleType:
    """Return the adapter of an engine; raises Refused where there is none."""
    if engine not in ENGINES:
        raise Refused(f"no engine is called {engine!r} here: write {' or '.join(ENGINES)}")
    return ENGINES[engine]


def _hook(engine: str) -> None:
    if engine not in Process.hooked:
        Process.hooked.add(engine)
        adapter_named(engine).hook(_new_recorder, _refuse)
        atexit.register(close)
        os.register_at_fork(after_in_child=_leave)


def _new_recorder(pool: object) -> Recorder:
    recorder = Recorder(_next_path())
    # A pool may be collected anywhere, also while lines are being written, so this only notes its end.
    weakref.finalize(pool, recorder.end)
    writer = Process.writer
    if writer is None:
        writer = Process.writer = Writer()
        writer.start()
    writer.add(recorder.file)
    Process.recorders.add(recorder)
    return recorder


def _next_path() -> str:
    number, Process.made = Process.made, Process.made + 1
    if Process.exact:
        Process.exact = False
        return Process.path
    if os.path.isdir(Process.path):
        return os.path.join(Process.path, f"{os.getpid()}-{number}.ndjson")
    stem, ending = os.path.splitext(Process.path)
    return f"{stem}.{os.getpid()}-{number}{ending}"


def _leave() -> None:
    """After a fork: the traces, and the thread that writes them, are the parent's."""
    for recorder in Process.recorders:
        recorder.live = False
    Process.writer = None


def _refuse(error: Refused) -> None:
    """End a process in which an engine was about to start: half a trace would be judged wrongly."""
    sys.stderr.write(f"slotproof: {error}\n")
    sys.stderr.flush()
    # An exception could be caught by whoever imports the engine, and the engine would run without being recorded.
    os._exit(2)
