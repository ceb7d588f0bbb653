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
from checker.traces.conformance.translate import NotCovered, Translator, header_covered
from checker.traces.conformance.why import explain
from checker.traces.format import Event, Evict, Free, Header, Publish
from checker.traces.format1 import Admit1, Event1, Evict1, Free1, Prefill1, Prepare1, Process1, Publish1
from spec.design import Design

BETWEEN_COPIES = 64
"""Steps after which the follower is copied. To explain a difference the steps since then are taken again."""


def take_step(follower: Follower, group: Group) -> None:
    """Take one step of the trace; raises Diverged."""
    line, event = group[0]
    if isinstance(event, Prepare1):
        follow_prepare(follower, line, event)
    elif isinstance(event, Prefill1):
        follow_prefill(follower, line, event)
    elif isinstance(event, Admit1):
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
        self._found: list[tuple[Divergence, Follower, list[Group]]] = []
        """The differences, one of a kind: each with a state before it, and the steps from there to it."""
        self._stopped = False
        self._design = design
        self._translator = Translator()
        self._not_covered = header_covered(header)
        self._last = self._first_not_covered = 1
        if self._not_covered:
            return
        self._follower = Follower(header, design, without_spare)
        self._before = self._follower.copy()
        self._since: list[Group] = []
        self._open: Group = []
        self._early: Group = []
        self._processed = -1
        self._events = 0
        self._explained = False

    @property
    def divergence(self) -> Divergence | None:
        """The first difference, as soon as it has been seen; not explained before `result`."""
        return self._found[0][0] if self._found else None

    def feed(self, line: int, event: Event) -> None:
        """Judge the event at `line`; a `process` is judged once its effects have been read. Never raises."""
        if self._stopped or self._not_covered:
            return
        try:
            translated = self._translator.event(event)
        except NotCovered as reason:
            self._not_covered, self._first_not_covered = str(reason), line
            return
        if translated is None:
            return
        self._events += line != self._last
        self._last = line
        if (
            isinstance(event, Publish | Free | Evict)
            and isinstance(event.during, int)
            and event.during > self._processed
        ):
            # It stands before the line of the result that it belongs to.
            self._early.append((line, translated))
            return
        if isinstance(translated, Publish1 | Free1 | Evict1):
            self._open.append((line, translated))
            return
        self._step(line, translated)

    def _step(self, line: int, event: Event1) -> None:
        if self._open:
            self._judge(self._open)
            self._open = []
        if isinstance(event, Process1):
            self._processed = event.b
            self._open = [(line, event), *self._early]
            self._early = []
        else:
            self._judge([(line, event)])

    def result(self, cut: bool = False, explained: bool = True) -> Conformity:
        """Judge what is left and say how the trace and the design differ.

        `cut`: the trace ends in the middle; then, and where results are outstanding, missing effects of its last event
        are no difference. `explained` False leaves out which decisions differ, which takes a while to find.
        """
        if self._not_covered and not self._events:
            return Conformity(self._design.name, 0, None, self._not_covered, self._first_not_covered)
        if self._open and not self._not_covered:
            self._judge(self._open, may_be_cut=True, cut=cut)
            self._open = []
        if explained and not self._explained:
            self._explained = True
            for found in self._found:
                _explain(*found)
        line = self._first_not_covered if self._not_covered else 0
        more = [divergence for divergence, _, _ in self._found[1:]]
        return Conformity(self._design.name, self._events, self.divergence, self._not_covered, line, more)

    def _judge(self, group: Group, may_be_cut: bool = False, cut: bool = False) -> None:
        if self._stopped or self._not_covered:
            return
        if len(self._since) == BETWEEN_COPIES:
            self._before = self._follower.copy()
            self._since = []
        self._since.append(group)
        try:
            take_step(self._follower, group)
        except NotCovered as reason:
            self._not_covered, self._first_not_covered = str(reason), group[0][0]
        except Diverged as diverged:
            told = diverged.divergence
            if not (may_be_cut and told.missing and (cut or self._follower.unfinished)):
                self._stopped = True
        for passed_over in self._follower.passed_over:
            self._find(passed_over)
        if self._stopped:
            self._find(told)

    def _find(self, divergence: Divergence) -> None:
        """Keep a difference, unless it is one more of a kind after which the comparison went on."""
        for known, _, _ in self._found:
            if not self._stopped and (known.event, known.field) == (divergence.event, divergence.field):
                known.times += 1
                return
        self._found.append((divergence, self._before, list(self._since)))


def _explain(divergence: Divergence, known: Follower, steps: list[Group]) -> None:
    before = known.copy()
    for group in steps[:-1]:
        take_step(before, group)
    explain(before, steps[-1], divergence, take_step)
