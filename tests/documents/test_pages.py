"""What README and docs/ show is so: every block runs, and every command that a sentence names can be given.

A block of kind `console` holds commands. What follows one is its output, to be found there as it stands, and in the end
`# exit code N: words`, the words being part of the output too, or `# not run by the tests: why`. Files come from the
blocks that are saved: `Saved as ...`.
"""

from __future__ import annotations

import math
import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import typer

from checker.command import cli
from checker.command.examples import EXAMPLES
from tests.support.paths import ROOT

PAGES = [
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    ROOT / "attach" / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
]
NOT_RUN = {
    "slotproof attach sglang --out traces --judge -- "
    ".engines/env/bin/python tests/engines/first_run.py .engines/sglang-0.5.23",
    'slotproof bmc --scope "requests=1 slots=4" --depth 3',
    "slotproof designs",
    "slotproof fuzz --time 30s",
    "slotproof mutants",
    "slotproof mutants --sample 5",
    "slotproof prove",
    "slotproof prove --design before-29792",
    "slotproof prove --ring",
    "slotproof repair merged-29792",
}
"""Commands that are only read, since they take too long: on the page each says so itself."""
EXIT = re.compile(r"# exit code (\d+): (.+)")
SAVED = re.compile(r"^```\w+\n((?:(?!```).)*)```\n\nSaved as `([\w.]+)`", re.DOTALL | re.MULTILINE)
PLACEHOLDERS = {"COMMAND": "explore", "FILE...": "FILE"}


@dataclass
class Command:
    """A line after `$`, with what the page says of it."""

    page: Path
    text: str
    output: list[str] = field(default_factory=list)
    code: int | None = None
    said: str = ""
    why_not: str = ""

    def __str__(self) -> str:
        return f"{self.page.name}: {self.text}"


def blocks(page: Path, kind: str) -> list[str]:
    text = page.read_text(encoding="utf-8")
    assert text.count("```") % 2 == 0, f"{page.name} has a block without an end"
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def commands_of(page: Path) -> list[Command]:
    found: list[Command] = []
    for line in (line for block in blocks(page, "console") for line in block.splitlines()):
        if line.startswith("$ "):
            found.append(Command(page, line[2:].partition("   #")[0].rstrip()))
        elif said := EXIT.fullmatch(line):
            found[-1].code, found[-1].said = int(said[1]), said[2]
        elif line.startswith("# not run by the tests: "):
            found[-1].why_not = line
        else:
            found[-1].output.append(line)
    return found


COMMANDS = [command for page in PAGES for command in commands_of(page)]
OURS = [command for command in COMMANDS if command.text.startswith("slotproof ")]
OTHERS = [command for command in COMMANDS if command not in OURS]
SPANS = sorted(
    {
        span.replace("\n", " ")
        for page in PAGES
        for span in re.findall(r"`((?:slotproof|make|python) [^`]+)`", page.read_text(encoding="utf-8"))
    }
)


def prepared(page: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a folder of the files that a page has saved, with the tests beside them, and go there."""
    for text, name in SAVED.findall(page.read_text(encoding="utf-8")):
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "tests").symlink_to(ROOT / "tests")
    monkeypatch.chdir(folder)
    monkeypatch.setattr("checker.deadline.LAST_RESORT", math.inf)


def parse(text: str) -> None:
    """Read a command without running it; whatever is wrong with it raises."""
    group = typer.main.get_command(cli.app)
    name, *words = [PLACEHOLDERS.get(word, word) for word in shlex.split(text)[1:]]
    if name.startswith("-"):
        assert name in {option for parameter in group.params for option in parameter.opts} | {"--help"}, text
        return
    command = group.commands[name]
    if words and words != ["--help"]:
        command.make_context(name, words)


def test_every_block_is_of_a_kind_that_is_looked_at() -> None:
    kinds = {kind for page in PAGES for kind in re.findall(r"^```(\S*)$", page.read_text("utf-8"), re.MULTILINE)}
    assert kinds == {"", "console", "python", "text", "ndjson", "diff"}
    for page in PAGES:
        saved = [text for text, _ in SAVED.findall(page.read_text(encoding="utf-8"))]
        assert all(text in saved for kind in ("text", "ndjson") for text in blocks(page, kind)), page.name


def test_only_what_takes_long_is_not_run_and_says_so() -> None:
    assert {command.text for command in OURS if command.why_not} == NOT_RUN
    for command in OURS:
        assert (command.code is None) == bool(command.why_not), f"{command}: say `# exit code N: words` below it"


@pytest.mark.parametrize("command", [command for command in OURS if not command.why_not], ids=str)
def test_a_command_does_what_its_page_says(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    prepared(command.page, tmp_path, monkeypatch)
    if "run.ndjson" in command.text:
        (recording,) = [text for text in blocks(command.page, "python") if "run.ndjson" in text]
        exec(compile(recording, command.page.name, "exec"), {})
    assert cli.run(shlex.split(command.text)[1:]) == command.code
    out, err = capfd.readouterr()
    assert command.said in out + err
    assert "\n".join(command.output) in out


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_python_of_a_page_runs_and_prints_what_is_beside_it(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    prepared(page, tmp_path, monkeypatch)
    saved = dict(SAVED.findall(page.read_text(encoding="utf-8")))
    for text in blocks(page, "python"):
        if text not in saved:
            exec(compile(text, page.name, "exec"), {})
            assert capsys.readouterr().out.splitlines() == re.findall(r"^print\(.*  # (.*)$", text, re.MULTILINE)


@pytest.mark.parametrize("text", [span for span in SPANS if span.startswith("slotproof ")])
def test_a_command_that_a_sentence_names_can_be_given(text: str) -> None:
    parse(text)


@pytest.mark.parametrize("text", [command.text for command in OURS if command.why_not])
def test_a_command_that_is_not_run_can_be_given(text: str) -> None:
    parse(text)


@pytest.mark.parametrize("text", EXAMPLES.values(), ids=EXAMPLES)
def test_the_example_of_a_help_text_can_be_given_and_names_files_that_are_there(text: str) -> None:
    parse(text)
    assert all(list(ROOT.glob(word)) for word in text.split() if "/" in word)


def test_a_command_that_cannot_be_given_is_seen() -> None:
    for text in ("slotproof guess", "slotproof explore --scoop x", "slotproof --quick", "slotproof bmc --depth 0"):
        with pytest.raises((KeyError, AssertionError, typer.BadParameter.__base__)):
            parse(text)


@pytest.mark.parametrize("text", sorted({command.text for command in OTHERS} | {s for s in SPANS if s[:4] != "slot"}))
def test_what_is_no_command_of_ours_is_there(text: str) -> None:
    program, *words = shlex.split(text)
    if program == "make":
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        target, *settings = words
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), text
        assert all(f"$({setting.partition('=')[0]})" in makefile or setting[:5] == "QUICK" for setting in settings)
        return
    assert program == "python"
    module = words[:2] if words[0] == "-m" else words[:1]
    file = ROOT / (module[1].replace(".", "/") + ".py" if words[0] == "-m" else module[0])
    source = file.read_text(encoding="utf-8")
    assert all(f'"{word}"' in source for word in words[len(module) :] if word.startswith("--")), text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_and_every_file_that_a_page_names_is_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target, anchor in re.findall(r"\]\(([^)#]*)#?([^)]*)\)", text):
        linked = page.parent / target if target else page
        assert linked.is_file(), f"{page.name} links to {target}"
        heads = re.findall(r"^#+ (.*)$", linked.read_text(encoding="utf-8"), re.MULTILINE)
        anchors = {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}
        assert not anchor or anchor in anchors, f"{page.name} links to {target}#{anchor}"
    for name in re.findall(r"`((?:spec|runtime|checker|tests|docs)/[\w./-]*)`", text):
        assert (ROOT / name).exists(), f"{page.name} names {name}"


def test_the_readme_is_short_and_leads_to_every_page() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 200
    for page in PAGES[1:]:
        assert f"({page.relative_to(ROOT)})" in text, page.name


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.name)
def test_each_page_says_what_it_does_not_cover(page: Path) -> None:
    assert re.search(r"^## Not covered$", page.read_text(encoding="utf-8"), re.MULTILINE)


def test_the_readme_has_a_line_for_each_room_and_each_command() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    rooms = [f"{path.parent.name}/" for path in (ROOT / "checker").glob("*/__init__.py")]
    assert re.findall(r"^\| `(\w+/)` \|", text, re.MULTILINE)
    assert set(re.findall(r"^\| `(\w+/)` \|", text, re.MULTILINE)) == set(rooms)
    assert set(re.findall(r"^\| `slotproof (\w+)", text, re.MULTILINE)) == set(EXAMPLES)


def test_the_workflow_runs_what_has_to_hold_before_a_change_lands() -> None:
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    wanted = re.findall(r"^make .*$", (ROOT / ".ci" / "run").read_text(encoding="utf-8"), re.MULTILINE)
    assert re.findall(r"run: (make .*)$", workflow, re.MULTILINE) == wanted
