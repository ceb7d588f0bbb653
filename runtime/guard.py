"""Who may call an engine, and when: one thread, and no step inside another one.

A step looks first and changes then. Whatever is wrong raises while it looks, and nothing has changed. If something ends
it while it changes (Ctrl-C between two assignments), nobody knows how far it got: the engine is halted, and says so on
every further step instead of going on with half a one.
"""

from __future__ import annotations

from threading import get_ident


class WrongThread(RuntimeError):
    """Another thread than the engine's has called; nothing has changed."""


class Halted(RuntimeError):
    """A step was ended in the middle of its changes, or is called from within one; nothing has changed since."""


class Guard:
    """One for an engine, its pool and its scheduler."""

    __slots__ = ("_changing", "_thread")

    def __init__(self) -> None:
        self._thread = get_ident()
        self._changing = ""

    def check_thread(self) -> None:
        """Let a call in that may be a part of a step; raises WrongThread."""
        if get_ident() != self._thread:
            raise WrongThread(
                f"thread {get_ident()} calls an engine of thread {self._thread}: call it from one thread, or hand it "
                "over by calling `adopt` in the other one"
            )

    def enter(self) -> None:
        """Let a step in; raises WrongThread or Halted."""
        self.check_thread()
        if self._changing:
            raise Halted(
                f"the engine is in the middle of `{self._changing}`: that was interrupted, or this is a call from "
                "within it; what it knows is half changed, so make another engine"
            )

    @property
    def changing(self) -> bool:
        """Whether a step is in the middle of its changes."""
        return bool(self._changing)

    def begin(self, step: str) -> None:
        """Changes begin: from here to `end` nothing may fail."""
        self._changing = step

    def end(self) -> None:
        """The changes are complete, or none has been made."""
        self._changing = ""

    def adopt(self) -> None:
        """Let the calling thread be the one; raises Halted in the middle of a step."""
        if self._changing:
            raise Halted(f"the engine is in the middle of `{self._changing}`: it can be handed over between two steps")
        self._thread = get_ident()
