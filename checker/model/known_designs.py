"""Public bugs as designs: the decisions that shipped engines took, each a small override of ours.

The mechanisms are public reports about sglang's track slots under overlap scheduling (pull requests 29792 and 31369),
and what driving its released control planes showed.
"""

from __future__ import annotations

from typing import NamedTuple

from spec.boundary import boundary_behind
from spec.design import Design
from spec.language import ABSENT
from spec.scope import EAGER, LAZY
from spec.state import Length, Request, RequestId, RingPosition, RingPositionOrAbsent, Row, Slot, State


class Upstream(Design):
    """What all released versions share: a prefill names its claim at preparation; donations ask no gate."""

    def marks_before_the_end(self, cached: bool) -> bool:
        """A prefill marks its newest boundary, and be it the prompt's own end."""
        return False

    def flips_at_preparation(self, row: Row) -> bool:
        """Only a prefill flips when it is prepared."""
        return row.decode_count == 0

    def names_prefill_at_preparation(self) -> bool:
        """The prefill's claim becomes `last`, and its mark the label, before anything has been launched."""
        return True

    def label_survives(self, s: State, request: RequestId, row: Row) -> bool:
        """Nobody asks whether a later claim overwrites the checkpoint."""
        return True

    def donated_position(self, me: Request, row: Row) -> RingPosition:
        """Donation gives away what the keep index points at, not what the row recorded."""
        return self.keep_index(me)

    def may_donate(self, s: State, request: RequestId, slot: Slot) -> bool:
        """Donation has no gate."""
        return True

    def short_key_position(self, me: Request, key: Length) -> RingPositionOrAbsent:
        """The newest checkpoint all the same, under the key that is left: a state of other tokens than its key."""
        return self.keep_index(me)

    def donates_duplicates(self) -> bool:
        """The slot is exchanged before the cache is asked; one that it does not take goes back to the pool."""
        return True


class Before29792(Upstream):
    """The result side asks whether the *request's* length is on the grid, and derives the keep index from `next`."""

    name = "before-29792"
    summary = "the result side tests the request's own length, which the next batch may have advanced"

    def boundary_seen(self, me: Request, row: Row, lookahead: int) -> bool:
        """The request's own length decides: one step too early at lookahead 1."""
        return boundary_behind(self.scope, me, 0)

    def completed_label(self, me: Request, row: Row, lookahead: int) -> Length:
        """The label is the request's own length."""
        return me.seq_len

    def completed_position(self, me: Request, row: Row, lookahead: int) -> RingPosition:
        """The checkpoint is where `next` points: the producer pointer serves both sides."""
        return me.next

    def superseded_position(self, me: Request, completed: RingPosition) -> RingPosition:
        """The other position of the pair is freed."""
        return (me.next + self.scope.last_position) % self.scope.ring

    def flips_at_processing(self, me: Request, row: Row, lookahead: int) -> bool:
        """Eager: every boundary that the result side sees flips `next`."""
        return self.boundary_seen(me, row, lookahead)

    def in_place_clears_label(self) -> bool:
        """A claim in place leaves the label standing."""
        return False

    def keep_index(self, me: Request) -> RingPosition:
        """Eager: the position before `next`. Lazy: `next` itself."""
        if self.scope.mode == LAZY:
            return me.next
        return (me.next + self.scope.last_position) % self.scope.ring

    def withholds(self, s: State, request: RequestId, row: Row, lookahead: int) -> bool:
        """Lazy: where a boundary is seen and the ring holds one slot only, that one has been written in place."""
        me = s.requests[request]
        if self.scope.mode == EAGER or row.decode_count == 0 or not self.boundary_seen(me, row, lookahead):
            return False
        return me.ring[self.superseded_position(me, me.next)] == ABSENT

    def may_publish(self, s: State, request: RequestId, slot: Slot) -> bool:
        """A finish has no other gate."""
        return True


class WaitStream(Before29792):
    """before-29792, but a result is processed only once everything launched has been written."""

    name = "wait-stream"
    summary = "before-29792, and processing waits until every launched batch has been written"

    def ready(self, s: State) -> bool:
        """Wait for the whole stream."""
        return s.written > 0 and s.written == s.pending


class Merged29792(Upstream):
    """Label and `last` come from the row; eager flips `next` when the boundary that is known is set."""

    name = "merged-29792"
    summary = "labels from the row; eager flips on the own mask at lookahead 0, on the next step's mask at lookahead 1"

    def flips_at_processing(self, me: Request, row: Row, lookahead: int) -> bool:
        """At lookahead 0 the row's own mask decides, otherwise the next step's: jitter flips never, or twice."""
        if lookahead == 0:
            return row.mark != ABSENT
        return boundary_behind(self.scope, me, lookahead - 1)

    def may_publish(self, s: State, request: RequestId, slot: Slot) -> bool:
        """The gate at a finish exists in lazy mode only, and not where a prefill's own result ends the request."""
        decodes_out = sum(batch.rows[request].present for batch in s.batches)
        if self.scope.mode == EAGER or s.requests[request].decode_count == decodes_out:
            return True
        return super().may_publish(s, request, slot)


class Merged0522(Merged29792):
    """merged-29792, but where its key is shorter than the label a finish publishes the checkpoint before."""

    name = "merged-0.5.22"
    summary = (
        "merged-29792, and a key that is shorter than the label falls back to the checkpoint at the other position"
    )

    def short_key_position(self, me: Request, key: Length) -> RingPositionOrAbsent:
        """Eager: the other position, if the label before this one is short enough. Lazy has no other one."""
        former = self.short_key_label(me, key)
        if former == ABSENT or former > key:
            return ABSENT
        return (me.last + self.scope.last_position) % self.scope.ring

    def short_key_label(self, me: Request, key: Length) -> Length:
        """The label before this one, whatever the other position holds."""
        return ABSENT if self.scope.former_labels == 0 else me.former[0]


class Lazy0518(Merged29792):
    """merged-29792, but a claim in place leaves the label standing."""

    name = "lazy-0.5.18"
    summary = "merged-29792, but a lazy claim in place leaves the label standing"

    def in_place_clears_label(self) -> bool:
        """The label stays while its slot is being overwritten."""
        return False


DESIGNS: dict[str, type[Design]] = {
    design.name: design for design in (Design, Before29792, WaitStream, Merged29792, Merged0522, Lazy0518)
}

Version = tuple[int, ...]


class Release(NamedTuple):
    """Releases of an engine, `first` to `last`, that took one design's decisions in one mode."""

    engine: str
    mode: str
    design: str
    first: Version
    """The first one; empty: all from the beginning."""
    last: Version

    @property
    def words(self) -> str:
        """The releases as a person writes them."""
        first, last = (".".join(map(str, version)) for version in (self.first, self.last))
        return f"{self.engine} {first} to {last}" if first else f"{self.engine} to {last}"


RELEASES: tuple[Release, ...] = (
    Release("sglang", EAGER, Before29792.name, (), (0, 5, 17)),
    Release("sglang", LAZY, Before29792.name, (), (0, 5, 17)),
    Release("sglang", EAGER, Merged29792.name, (0, 5, 18), (0, 5, 21)),
    Release("sglang", EAGER, Merged0522.name, (0, 5, 22), (0, 5, 23)),
    Release("sglang", LAZY, Merged0522.name, (0, 5, 22), (0, 5, 23)),
    Release("sglang", LAZY, Lazy0518.name, (0, 5, 18), (0, 5, 21)),
)
"""Which engine release took which design's decisions."""


def released(design: str) -> str:
    """Return where a design was released, in words such as `sglang 0.5.18 to 0.5.21 lazy`; empty: nowhere."""
    modes: dict[str, list[str]] = {}
    for release in RELEASES:
        if release.design == design:
            modes.setdefault(release.words, []).append(release.mode)
    return "; ".join(words if len(found) == 2 else f"{words} {found[0]}" for words, found in modes.items())
