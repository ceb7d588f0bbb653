"""Wrong edits of the spec, each the kind of slip that a change can bring, and the property that must catch it.

They test the checker: an edit that nothing catches fails `slotproof verify`.
"""

from __future__ import annotations

from dataclasses import dataclass

from checker.model.spec_copy import Edit
from spec.scope import EAGER, LAZY


@dataclass(frozen=True, slots=True)
class WrongEdit:
    """A slip: its name, what it does in words, the edits, the mode that shows it, and the property that must see it."""

    name: str
    sentence: str
    edits: tuple[Edit, ...]
    mode: str
    caught_by: str
    scope: str = ""
    """Words of the scope that differ from the usual one."""


WRONG_EDITS = (
    WrongEdit(
        "drop-the-gate",
        "every publication is allowed, whatever is going to be written",
        (Edit("spec.design", "return not claims(s, request, slot)", "return True"),),
        LAZY,
        "exact-label",
    ),
    WrongEdit(
        "never-publish",
        "no publication is ever allowed",
        (Edit("spec.design", "return not claims(s, request, slot)", "return False"),),
        EAGER,
        "checkpoint-not-lost",
    ),
    WrongEdit(
        "flip-twice",
        "`next` advances when the boundary is prepared and again when its result is processed",
        (
            Edit(
                "spec.design",
                "        return False\n\n    def superseded",
                "        return row.mark != ABSENT\n\n    def superseded",
            ),
        ),
        EAGER,
        "flip-once",
    ),
    WrongEdit(
        "free-absent",
        "a request gives back every ring position, the empty ones too",
        (Edit("spec.slots", "if me.ring[position] != ABSENT:", "if position <= design.scope.last_position:"),),
        LAZY,
        "one-owner",
    ),
    WrongEdit(
        "length-of-the-request",
        "the label is the request's length, which a later preparation has moved",
        (Edit("spec.design", "        return row.mark\n", "        return me.seq_len\n"),),
        EAGER,
        "batch-local",
    ),
    WrongEdit(
        "skipped-row-sets-the-label",
        "processing goes by the row's length, also where the row wrote nothing",
        (
            Edit(
                "spec.design",
                "        return row.mark != ABSENT\n\n    def completed_label",
                "        return row.seq_len % self.scope.interval == 0\n\n    def completed_label",
            ),
            Edit("spec.design", "        return row.mark\n", "        return row.seq_len\n"),
            Edit(
                "spec.design", "        return row.position\n\n    def flips", "        return me.next\n\n    def flips"
            ),
        ),
        LAZY,
        "written-before-donated",
        "without_spare=skip",
    ),
    WrongEdit(
        "free-twice",
        "a request that leaves gives its working slot back twice",
        (Edit("spec.slots", "give_back(s, me.working)\n", "give_back(s, me.working)\n    give_back(s, me.working)\n"),),
        EAGER,
        "one-owner",
    ),
    WrongEdit(
        "skip-the-copy",
        "a prefill that marks nothing does not copy the cached state that it starts from",
        (Edit("spec.actions.prefill", "source=me.source,", "source=me.source if mark != ABSENT else ABSENT,"),),
        EAGER,
        "exact-label",
    ),
    WrongEdit(
        "forgotten-ring",
        "a request that leaves keeps its record: only its phase says that it is gone",
        (Edit("spec.slots", "s.requests[request] = new(Request, design.scope)", "me.phase = 0"),),
        EAGER,
        "release-all",
    ),
    WrongEdit(
        "free-the-kept",
        "a lazy request frees the position that it has just completed",
        (Edit("spec.actions.results", "drop(s, request, superseded)", "drop(s, request, completed)"),),
        LAZY,
        "keep-index-defined",
    ),
    WrongEdit(
        "count-by-two",
        "a decode step counts twice",
        (Edit("spec.actions.decode", "me.decode_count += 1", "me.decode_count += 2"),),
        EAGER,
        "lookahead-window",
    ),
    WrongEdit(
        "track-the-working-slot",
        "a row's checkpoint goes into its own working slot",
        (Edit("spec.rows", "row.slot = me.ring[me.next]", "row.slot = me.working"),),
        EAGER,
        "distinct-targets",
    ),
    WrongEdit(
        "mark-the-prompt",
        "a prefill marks its prompt's end, on the grid or not",
        (Edit("spec.boundary", "mark = prompt - prompt % scope.interval", "mark = prompt"),),
        EAGER,
        "grid",
    ),
    WrongEdit(
        "mark-the-end-first",
        "a prefill marks its prompt's end, which never serves the same prompt again",
        (Edit("spec.design", "return not cached", "return False"),),
        EAGER,
        "same-prompt-finds-it",
    ),
    WrongEdit(
        "abort-publishes",
        "an aborted request leaves its newest checkpoint in the cache",
        (
            Edit(
                "spec.actions.abort",
                "    release(s, design, request)",
                "    me = s.requests[request]\n"
                "    if me.last_len > 0 and not key_cached(s, request, me.last_len):\n"
                "        publish(s, design, request, me.ring[me.last], me.last_len)\n"
                "        me.ring[me.last] = -1\n"
                "    release(s, design, request)",
            ),
            Edit(
                "spec.actions.abort",
                "import erase_dead_state, release",
                "import erase_dead_state, key_cached, publish, release",
            ),
        ),
        EAGER,
        "abort-publishes-nothing",
    ),
    WrongEdit(
        "donate-twice",
        "a donation does not ask whether its key is cached already",
        (
            Edit(
                "spec.actions.results",
                "    cached = key_cached(s, request, me.last_len)",
                "    cached = key_cached(s, request, 0)",
            ),
        ),
        EAGER,
        "one-entry-per-key",
    ),
    WrongEdit(
        "exchange-a-duplicate",
        "a donation whose key is cached already exchanges its slot all the same",
        (
            Edit(
                "spec.design",
                'the old slot is freed."""\n        return False',
                'the old slot is freed."""\n        return True',
            ),
        ),
        LAZY,
        "withheld-donations-stay",
    ),
    WrongEdit(
        "withhold-every-checkpoint",
        "no request that ends publishes anything, although its gate is open",
        (
            Edit(
                "spec.design",
                'moves pointers."""\n        return False',
                'moves pointers."""\n        return True',
            ),
        ),
        LAZY,
        "checkpoint-not-lost",
    ),
    WrongEdit(
        "keep-the-superseded",
        "a lazy request never frees the checkpoint that a newer one has superseded",
        (
            Edit(
                "spec.design",
                "        return me.last\n\n    def label_survives",
                "        return completed\n\n    def label_survives",
            ),
        ),
        LAZY,
        "lazy-keeps-one",
    ),
    WrongEdit(
        "mark-before-the-start",
        "a prefill marks a boundary that its cached prefix covers already, whose state it never passes",
        (Edit("spec.boundary", "return mark if mark > me.prefix else ABSENT", "return mark if mark > 0 else ABSENT"),),
        EAGER,
        "exact-label",
    ),
    WrongEdit(
        "position-off-by-one",
        "the completed position is the one after the row's",
        (
            Edit(
                "spec.design",
                "        return row.position\n\n    def flips",
                "        return row.position + 1\n\n    def flips",
            ),
        ),
        EAGER,
        "well-formed",
    ),
    WrongEdit(
        "take-from-the-cache",
        "the allocator hands out a cached slot as if it were free, without an eviction",
        (
            Edit(
                "spec.design",
                "if s.free[slot] and not in_flight(s, slot):",
                "if (s.free[slot] or s.cached[slot].length > 0) and not in_flight(s, slot):",
            ),
        ),
        EAGER,
        "takes-only-free",
    ),
    WrongEdit(
        "free-the-source",
        "a request that leaves before its prefill frees the cache entry that it was going to copy from",
        (
            Edit(
                "spec.slots",
                "    give_back(s, me.working)\n",
                "    give_back(s, me.working)\n    if me.source != ABSENT:\n        give_back(s, me.source)\n",
            ),
        ),
        EAGER,
        "gives-back-only-own",
    ),
    WrongEdit(
        "checkpoint-over-the-source",
        "the checkpoint of a prefill goes over the cache entry that the prefill starts from",
        (
            Edit(
                "spec.rows",
                "row.slot = me.ring[me.next]",
                "row.slot = me.source if me.source != ABSENT else me.ring[me.next]",
            ),
        ),
        LAZY,
        "rows-only-for-own-slots",
    ),
    WrongEdit(
        "hit-the-whole-prompt",
        "an admission takes a cached entry as long as its prompt, and its prefill computes nothing",
        (Edit("spec.actions.admission", "s.cached[slot].length < prompt:", "s.cached[slot].length <= prompt:"),),
        EAGER,
        "longest-prefix-taken",
    ),
    WrongEdit(
        "hit-every-second-boundary",
        "an admission looks for entries at every second boundary only",
        (
            Edit(
                "spec.actions.admission",
                "s.cached[slot].length < prompt:",
                "s.cached[slot].length < prompt and s.cached[slot].length % 4 == 0:",
            ),
        ),
        LAZY,
        "longest-prefix-taken",
    ),
    WrongEdit(
        "prefill-from-the-start",
        "a prefill computes the whole prompt, whatever its admission has hit",
        (
            Edit("spec.actions.prefill", "source=me.source,", "source=ABSENT,"),
            Edit("spec.actions.prefill", "start=me.prefix,", "start=0,"),
        ),
        LAZY,
        "longest-prefix-taken",
    ),
)
