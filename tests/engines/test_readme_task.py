"""README's task of judging an engine, run as it is written in a fresh clone, downloads included."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import time

import pytest

from tests.support.paths import ROOT

PROGRAMS = {"python": [sys.executable], "slotproof": [sys.executable, "-m", "checker"]}
WITHIN = 300


@pytest.mark.slow
@pytest.mark.timeout(2 * WITHIN)
def test_it_gives_a_verdict_on_the_real_engine_within_five_minutes(tmp_path):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```console\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    (block,) = [found for found in blocks if "$ slotproof attach" in found]
    commands = [shlex.split(line[2:]) for line in block.splitlines() if line.startswith("$ ")]
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", str(ROOT), str(clone)], check=True)
    begun = time.monotonic()
    for program, *words in commands:
        done = subprocess.run(
            [*PROGRAMS[program], *words], cwd=clone, capture_output=True, text=True, timeout=WITHIN, check=False
        )
        assert done.returncode == (1 if program == "slotproof" else 0), done.stderr
    assert time.monotonic() - begun < WITHIN
    assert re.search(r"^bad: traces/\S+ \(sglang 0\.5\.23;", done.stdout, re.MULTILINE)
    assert "A publishes slot 3 as A's state after 8 tokens" in done.stdout
