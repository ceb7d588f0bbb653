"""Work in parallel processes, ended at once when whoever waits for it has had enough.

Ctrl-C reaches a whole group of processes. The workers take no notice of it: the process that started them ends them,
so that none of them prints a word about it (checker/command/interrupts.py).
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from typing import Any, TypeVar

from checker.model.user_files import BadFile, blame

Task = TypeVar("Task")
Result = TypeVar("Result")

STARTING = threading.Lock()
"""Held while workers are started: one that is started but not yet known to its parent could not be ended."""

ROUSED = 0.1
"""Seconds after which whoever waits for work looks up."""


def spread(
    work: Callable[[Task], Result], tasks: Sequence[Task], workers: int | None = None, renewed_after: int | None = None
) -> Iterator[Result]:
    """Do the work for each task, and yield results as they come; `workers` None: one for each core.

    Whatever ends the iteration early (Ctrl-C, an error of the work, a caller that takes no more) ends the workers.
    """
    workers = min(workers or os.cpu_count() or 1, len(tasks))
    # Work that is to be done in fresh processes from time to time is, also where only one is wanted at once.
    if workers <= 1 and (renewed_after is None or len(tasks) <= renewed_after):
        yield from map(work, tasks)
        return
    others = set(multiprocessing.active_children())
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context, max_tasks_per_child=renewed_after) as pool:
        try:
            with _deaf(), STARTING:
                pending = [pool.submit(attempt, work, task) for task in tasks]
            waiting = set(pending)
            while waiting:
                # Nothing can be raised in a thread that waits without an end, and a limit of time is (deadline.py).
                done, waiting = wait(waiting, ROUSED, FIRST_COMPLETED)
                for future in done:
                    yield future.result()
        except BaseException:
            # A pool whose workers are gone fails everything that is pending, so leaving the block waits for nothing.
            _end(others)
            raise


def attempt(work: Callable[[Task], Result], task: Task) -> Result:
    """Do the work; an error in a user's file is named here, where its trace is: a trace does not leave its process."""
    try:
        return work(task)
    except Exception as error:
        if blame(error):
            raise BadFile(blame(error)) from None
        raise


def end_workers(patience: float) -> None:
    """End all workers before this process ends.

    Those that are just being started are waited for, or they would outlive it; not for ever, though.
    """
    STARTING.acquire(timeout=patience)
    for child in multiprocessing.active_children():
        child.kill()


def _end(others: set[Any]) -> None:
    for child in multiprocessing.active_children():
        if child not in others:
            child.terminate()


@contextlib.contextmanager
def _deaf() -> Iterator[None]:
    """Hold Ctrl-C back for a moment; processes and threads that are started meanwhile never hear of it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
