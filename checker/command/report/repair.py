"""What a repair is, for a person and for a machine."""

from __future__ import annotations

import itertools
from typing import Any

from checker.command.console import say
from checker.proof.repair import Repair, count, spelled


def data(result: Repair) -> dict[str, Any]:
    """Return a result for a machine."""
    standing = result.standing
    return {
        "design": result.design,
        "mode": result.mode,
        "changes": None if result.found is None else spelled(result.found),
        "others": [spelled(each) for each in result.others],
        "text": result.text,
        "searched in": result.scopes,
        "never seen": result.unseen,
        "nearly": [{"changes": spelled(changes), "violates": broken} for changes, broken in result.nearly.items()],
        "proved": None if standing is None else standing.proved,
        "unproved": [] if standing is None else standing.unproved,
        "lemmas dropped": [] if standing is None else standing.dropped,
        "tried": result.tried,
        "refuted by known runs": result.refuted,
        "limit": result.limit,
        "seconds": result.seconds,
    }


def show(result: Repair) -> None:
    """Print the repair: what to change, the file, and what is known about it."""
    effort = f"{result.tried} candidates searched, {result.refuted} refuted by known runs; {result.seconds:.1f} s"
    if result.found is None:
        say(f"{result.design} {result.mode}: no repair found: {result.limit} ({effort})")
        return
    if result.found:
        say(f"{result.design} {result.mode}: {count(result.found)} to change ({effort})")
        say("".join(f"  {line}\n" for line in spelled(result.found)))
        say(result.text)
        say("No smaller set of decisions that some known design takes makes it hold.")
        for nearly, broken in result.nearly.items():
            say(f"holds in the story's scope only: {'; '.join(spelled(nearly)) or 'as it is'}: {broken}")
        for other in itertools.islice(result.others, 5):
            say(f"as small, searched in the story's scope only: {'; '.join(spelled(other))}")
    else:
        say(f"{result.design} {result.mode}: it holds as it is; there is nothing to repair")
    say(f"searched completely, nothing wrong found, in {len(result.scopes)} scopes:")
    say("".join(f"  {scope}\n" for scope in result.scopes).rstrip())
    for name in result.unseen:
        say(f"never seen in any of them: {name}")
    if result.limit:
        say(f"left out: {result.limit}")
    if result.standing is not None:
        say("\n".join(result.standing.lines()))
