"""A story written down as text, in lines of a given width."""

from __future__ import annotations

from checker.explain.lanes import broken, timeline
from checker.explain.story import Story

_LEGEND = (
    "How to read it: r1 is a request, s1 a state slot, A@2 the state after the first 2 tokens of text A, '-' no valid "
    "state. 's1 r1.ring[0]: A@2 -> A@4' says that s1 is position 0 of r1's checkpoint ring, holds A@2, and a launched "
    "batch is going to overwrite it with A@4. A checkpoint is written to the ring position that `next` names; `last` "
    "and the label say which finished checkpoint may be published and as how many tokens. Lookahead: how many tokens "
    "the request had already been moved on when the result came in."
)


def render(story: Story, width: int = 100) -> str:
    """Return the story as text of lines of at most `width` characters (the command at the end is never broken)."""
    lines = [f"{story.property} is violated", *([f"    {story.sentence}"] if story.sentence else [])]
    if story.design:
        lines.append(f"design {story.design}" + (f": {story.summary}" if story.summary else ""))
    lines.append(f"scope {story.scope}")
    out = [part for line in lines for part in broken(line, width, hanging=4)]
    if story.protocol:
        out += ["", *broken(_LEGEND, width, hanging=0)]
    out += ["", *timeline(story.entries, width)]
    out += ["", "The condition that broke it:"]
    for line in story.clause.lines:
        out += broken(line, width, "  ", hanging=len(line) - len(line.lstrip()) + 6)
    if story.comparison is not None:
        out += ["", "What slotproof would have done at the same schedule, where it differs:"]
        out += timeline(story.comparison.entries, width)
        out += broken(story.comparison.outcome, width, " " * 6, hanging=0)
    return "\n".join([*out, "", f"Again: {story.reproduce}", ""])
