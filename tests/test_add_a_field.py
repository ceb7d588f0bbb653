"""docs/add-a-field.md, performed on a copy of the tree: each command fails until its step is done."""

from __future__ import annotations

import difflib
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "add-a-field.md").read_text(encoding="utf-8")
STEP = re.compile(r"```diff\n(.*?)```", re.DOTALL)
SAYS = re.compile(r"`(slotproof[^`]*|make verify)` says: `([^`]*)`")
MOST_LINES = 30
SMALL = "requests=1 slots=3 nodes=1 max_len=4 mode=eager"


class Tree:
    """A copy of what the command needs."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name in ("spec", "runtime", "checker", "tests/scenarios"):
            shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))

    def run(self, *words: str) -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, "-m", "checker", *words],
            cwd=self.root,
            env={"PYTHONPATH": str(self.root), "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "200"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode != 70, done.stderr
        return done.returncode, done.stdout + done.stderr

    def change(self, old: str, new: str) -> None:
        """Replace a text that stands in one file of the tree, once; the page names the file."""
        files = [path for path in self.root.rglob("*.py") if path.read_text(encoding="utf-8").count(old) == 1]
        assert len(files) == 1, (old, files)
        assert str(files[0].relative_to(self.root)) in PAGE
        files[0].write_text(files[0].read_text(encoding="utf-8").replace(old, new), encoding="utf-8")

    def added(self) -> int:
        """Return how many lines have been added; none is taken away."""
        count = 0
        for path in self.root.rglob("*.py"):
            before = (ROOT / path.relative_to(self.root)).read_text(encoding="utf-8").splitlines()
            for line in difflib.ndiff(before, path.read_text(encoding="utf-8").splitlines()):
                assert not line.startswith("- "), line
                count += line.startswith("+ ")
        return count


def steps() -> list[tuple[str, str]]:
    """Return each diff of the page as the text before and after."""
    found = []
    for block in STEP.findall(PAGE):
        lines = block.splitlines()
        old = [line[1:] for line in lines if not line.startswith("+")]
        found.append(("\n".join(old) + "\n", "\n".join(line[1:] for line in lines) + "\n"))
    return found


@pytest.mark.timeout(400)
def test_the_page_is_followed(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    (declared, *rest), (first, *says, last) = steps(), SAYS.findall(PAGE)
    assert len(rest) == len(says) == 8
    assert len(re.findall(r"^## \d\.", PAGE, re.MULTILINE)) == 6
    tree.change(declared[0], declared[1].replace("saved: Count = 0", "saved: Count"))
    code, said = tree.run("fields")
    assert (code, first[1] in said) == (2, True), said
    assert "write its default beside it: saved: Count = 0" in said
    tree.change("    saved: Count\n", "    saved: Count = 0\n")
    for (old, new), (command, sentence) in zip(rest, says, strict=True):
        if command == "make verify":
            # It takes minutes; what it says comes of there being no wrong edit that violates the property.
            assert tree.run("explore", "--edit", "saved-too-much", "--scope", SMALL)[0] == 2
        else:
            code, said = tree.run(*command.split()[1:])
            assert (code, sentence in said) == (1, True), said
            assert "fields" not in command or re.search(rf"{tree.root}/\S+\.py:\d+: [^;]*{sentence}.*[;,] ", said), said
        tree.change(old, new)
    assert tree.added() <= MOST_LINES
    code, said = tree.run("fields")
    assert (code, last[1] in said) == (0, True), said
    assert tree.run("replay", "tests/scenarios/same-prompt-again.txt")[0] == 0
    code, said = tree.run("explore", "--edit", "saved-too-much", "--scope", SMALL)
    assert (code, "violated: saved-is-less-than-all" in said) == (1, True), said
    assert tree.run("explore", "--scope", SMALL)[0] == 0
