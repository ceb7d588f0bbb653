"""docs/add-a-field.md, performed on a copy of the tree: each command fails until its step is done."""

from __future__ import annotations

import difflib
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "add-a-field.md").read_text(encoding="utf-8")
STEP = re.compile(r"```diff\n(.*?)```", re.DOTALL)
SAYS = re.compile(r"`(slotproof[^`]*|make verify)` says: `([^`]*)`")
MOST_LINES = 30
SMALL = "requests=1 slots=4 nodes=1 max_len=4 mode=eager"

COMMANDS = """
import os, sys
import msgspec, numpy, rich, torch, typer, z3
for line in sys.stdin:
    child = os.fork()
    if not child:
        said = os.open("said", os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
        os.dup2(said, 1)
        os.dup2(said, 2)
        sys.argv = ["slotproof", *line.rstrip().split("\\t")]
        import checker.__main__
        checker.__main__.main()
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
"""Performs the command that each line of its input spells, as the files are by then; libraries are loaded once."""

VERIFY = """
import sys
from checker.command import cli, verify
from checker.search import suite

suite.ours = suite.designs = lambda *quick: []
suite.wrong_edits = list
verify.matrix = lambda **how: []
verify.gaps = lambda outcomes: []
if __name__ == "__main__":
    sys.exit(cli.run(["verify", "--quick"]))
"""
"""The main job without what takes minutes: no proofs, and one search."""


class Tree:
    """A copy of what the command needs."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name in ("spec", "runtime", "checker", "tests/scenarios"):
            shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))

    def __enter__(self) -> Tree:
        self.process = subprocess.Popen(
            [sys.executable, "-c", COMMANDS],
            cwd=self.root,
            env={"PYTHONPATH": str(self.root), "COLUMNS": "200"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        return self

    def __exit__(self, *error: object) -> None:
        self.process.communicate()

    def run(self, *words: str) -> tuple[int, str]:
        assert self.process.stdin
        assert self.process.stdout
        print("\t".join(words), file=self.process.stdin, flush=True)
        code = int(self.process.stdout.readline())
        said = (self.root / "said").read_text(encoding="utf-8")
        assert code != 70, said
        return code, said

    def verify(self) -> tuple[int, list[str]]:
        """Perform the main job, as far as it is quick, and return its exit code and what it says."""
        (self.root / "main_job.py").write_text(VERIFY, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "main_job.py"],
            cwd=self.root,
            env={"PYTHONPATH": str(self.root), "COLUMNS": "2000"},
            capture_output=True,
            text=True,
            timeout=200,
            check=False,
        )
        (self.root / "main_job.py").unlink()
        assert done.returncode != 70, done.stderr
        return done.returncode, done.stdout.splitlines()

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
    with Tree(tmp_path) as tree:
        follow(tree)


@pytest.mark.timeout(400)
def test_the_main_job_fails_for_a_forgotten_field_and_says_the_line_to_add(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    (tmp_path / "tests" / "traces").mkdir()
    for outcome in ("good", "bad"):
        trace = min((ROOT / "tests" / "traces").glob(f"sglang-*-{outcome}.ndjson"))
        shutil.copy(trace, tmp_path / "tests" / "traces")
    # Without a proof it has shown too little to pass, and nothing is wrong.
    code, said = tree.verify()
    assert code == 3, said
    tree.change(*steps()[0])
    code, said = tree.verify()
    assert code == 1, said
    for sentence in (
        rf"{tmp_path}/spec/state.py:\d+: no action changes Request.saved; .*: me.saved = ",
        rf"{tmp_path}/spec/state.py:\d+: nothing reads Request.saved: ",
        rf"{tmp_path}/spec/state.py:\d+: nothing says what Request.saved is .*add to {tmp_path}/checker/\S+:\d+ "
        r'the line "Request.saved": Tie\("table.saved", "PrefillRow.saved"\),',
    ):
        assert any(re.search(sentence, line) for line in said), (sentence, said)


def follow(tree: Tree) -> None:
    """Do what the page says, a step at a time."""
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
