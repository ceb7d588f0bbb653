"""Playing a script against the spec, as `slotproof play` does."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from checker.model.designs import design_class
from checker.scenarios.play import Played
from checker.scenarios.read import play, read


@dataclass(slots=True)
class PlayedScript:
    """A script, the design it was played under instead of its own, and what came of it."""

    file: Path
    design: str
    """Empty: its own."""
    played: Played


def play_file(file: Path, design: str) -> PlayedScript:
    """Play a script; raises BadScenario, and BadModel for an unknown design."""
    scenario = read(file)
    return PlayedScript(file, design, play(scenario, design_class(design or scenario.design)))
