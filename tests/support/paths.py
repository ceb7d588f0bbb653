"""Where things lie: the one place under tests/ that knows how deep its files are."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
SPEC = ROOT / "spec"
TESTS = ROOT / "tests"
SCENARIOS, TRACES, FUZZED = TESTS / "scenarios", TESTS / "traces", TESTS / "fuzzed"
YARDSTICK_FILE = TESTS / "support" / "yardstick.py"
ATTACHED = ROOT / "attach" / "slotproof_attach"
"""The package that is put on an engine's path."""
