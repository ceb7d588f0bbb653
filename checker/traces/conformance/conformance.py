"""Conformance: is a trace one that a design produces, and if not, where do the two part and which decision differs?

    conformance = Conformance(reader.header, design_class("merged-29792"))
    for line, event in reader:
        conformance.feed(line, event)
    outcome = conformance.result()

The spec's own functions run beside the trace (shadow.py): there is no second description of the protocol. The
first difference is found at once; why it is one is found in `result`, by running its step again with other decisions.
"""

from __future__ import annotations

from checker.traces.conformance.divergence import Conformity, Diverged, Divergence, Group
from checker.traces.conformance.launches import follow_admit, follow_prefill, follow_prepare
from checker.traces.conformance.results import follow_effects
from checker.traces.conformance.shadow import Follower
from checker.traces.conformance.why import explain
from checker.traces.format import Admit, Event, Evict, Free, Header, Prefill, Prepare, Process, Publish
from spec.design import Design

BETWEEN_COPIES = 64
"""Steps after which the follower is copied. To explain a difference the steps since then are taken again."""


def take_step(follower: Follower, group: Group) -> None:
    """Take one step of the trace; raises Diverged."""
    line, event = group[0]
    if isinstance(event, Prepare):
        follow_prepare(follower, line, event)
    elif isinstance(event, Prefill):
        follow_prefill(follower, line, event)
    elif isinstance(event, Admit):
        follow_admit(follower, line, event)
    else:
        follow_effects(follower, group)


class Conformance:
    """Feed it the events of one trace in order, then ask for the `result`.

    `without_spare` is what the engine does when a lazy boundary row gets no spare ("overwrite" or "skip"), where that
    is not what the header says. Raises `spec.scope.BadScope` for sizes in the header that the spec refuses. Memory: the
    requests that run at once, and the slots that are cached.
    """

    def __init__(self, header: Header, design: type[Design], without_spare: str = "") -> None:
        self.divergence: Divergence | None = None
        """The first difference, as soon as it has been seen; not explained before `result`."""
        self._design = design
        self._follower = Follower(header, design, without_spare or header.without_spare)
        self._before = self._follower.copy()
        self._since: list[Group] = []
        self._open: Group = []
        self._events = 0
        self._explained = False

    def feed(self, line: int, event: Event) -> None:
        """Judge the event at `line`; a `process` is judged once its effects have been read. Never raises."""
        if self.divergence is not None:
            return
        self._events += 1
        if isinstance(event, Publish | Free | Evict):
            self._open.append((line, event))
            return
        if self._open:
            self._judge(self._open)
            self._open = []
        if isinstance(event, Process):
            self._open.append((line, event))
        elif self.divergence is None:
            self._judge([(line, event)])

    def result(self, cut: bool = False, explained: bool = True) -> Conformity:
        """Judge what is left and say how the trace and the design differ.

        `cut`: the trace ends in the middle; then, and where results are outstanding, missing effects of its last event
        are no difference. `explained` False leaves out which decisions differ, which takes a while to find.
        """
        if self._open:
            self._judge(self._open, may_be_cut=True, cut=cut)
            self._open = []
        if explained and self.divergence is not None and not self._explained:
            self._explained = True
            self._explain(self.divergence)
        return Conformity(self._design.name, self._events, self.divergence)

    def _judge(self, group: Group, may_be_cut: bool = False, cut: bool = False) -> None:
        if self.divergence is not None:
            return
        if len(self._since) == BETWEEN_COPIES:
            self._before = self._follower.copy()
            self._since = []
        self._since.append(group)
        try:
            take_step(self._follower, group)
        except Diverged as diverged:
            told = diverged.divergence
            if not (may_be_cut and told.missing and (cut or self._follower.unfinished)):
                self.divergence = told

    def _explain(self, divergence: Divergence) -> None:
        before = self._before.copy()
        for group in self._since[:-1]:
            take_step(before, group)
        explain(before, self._since[-1], divergence, take_step)
