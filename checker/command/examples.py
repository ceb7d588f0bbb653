"""An example of each command, which its `--help` ends with: a line that runs as it stands in the checkout."""

from __future__ import annotations

from typing import Final

EXAMPLES: Final = {
    "verify": "slotproof verify --quick",
    "explore": "slotproof explore --design merged-29792 --property exact-label",
    "designs": "slotproof designs --json",
    "judge": "slotproof judge tests/traces/*.ndjson",
    "attach": "slotproof attach sglang --out traces --judge -- python serve.py",
    "trace": "slotproof trace --schema",
    "play": "slotproof play tests/scenarios/the-whole-story.txt",
    "explain": "slotproof explain cafe1234",
    "fields": "slotproof fields",
    "fuzz": "slotproof fuzz --time 30s --workers 1 --seed 5",
    "replay": "slotproof replay tests/scenarios/abort-and-evict.txt",
    "prove": "slotproof prove --max-seconds 60",
    "bmc": 'slotproof bmc --scope "requests=1 slots=4" --depth 3',
    "repair": "slotproof repair merged-29792 --mode eager",
    "mutants": "slotproof mutants --sample 5 --workers 1",
}
"""By the name of the command. None is longer than a line of help, which would be broken in the middle of a word."""
