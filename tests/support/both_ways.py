"""The same search by columns and by compiled code: what each of them shows, to be compared."""

from unittest.mock import patch

import checker.search.bfs
from checker.search.bfs import Search
from checker.search.compiled_levels import CompiledLevels
from checker.search.exploration import Limits

NEVER = 1 << 60
UNLIMITED = Limits()


def searched(model, compiled, symmetry=True, until=None, limits=UNLIMITED):
    """Search in one of the two ways from the first state on."""
    with patch.object(checker.search.bfs, "FEW", 0 if compiled else NEVER), patch.object(checker.search.bfs, "MANY", 0):
        search = Search(model, symmetry, until)
        search.run(limits)
    assert isinstance(search.found, CompiledLevels) == compiled, search.why_columns
    return search


def shown(search):
    """All that a search says, without the steps of its stories: of the shortest ones either may be told."""
    result = search.result
    return {
        "states": result.states,
        "transitions": result.transitions,
        "depth": result.depth,
        "complete": result.complete,
        "violated": {name: len(found.steps) for name, found in sorted(result.counterexamples.items())},
        "seen": dict(sorted(result.seen.items())),
        "taken": result.taken,
        "asked": dict(sorted(search.asked.items())),
    }


def both(model, symmetry=True, until=None, limits=UNLIMITED):
    """What the two ways show, columns first."""
    return [shown(searched(model, compiled, symmetry, until, limits)) for compiled in (False, True)]
