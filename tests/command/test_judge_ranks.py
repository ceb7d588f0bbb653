"""`slotproof judge --ranks DIR`: a trace of each rank of one server, judged, and compared with each other."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from checker.command import cli
from tests.support.trace_examples import LAZY

GOOD, BAD = LAZY.lines, LAZY.edited(LAZY.edits[0])
LINES = GOOD.splitlines(keepends=True)
FREED = '{"e":"free","slots":[1]}\n'
FREE = LINES.index(FREED) + 1
"""The line at which a rank frees slots."""
OTHER_FREE = GOOD.replace(FREED, '{"e":"free","slots":[4]}\n')
ANOTHER_EVENT = GOOD.replace(FREED, '{"e":"evict","slot":1}\n')
OTHER_SIZE = GOOD.replace('"slots":', '"page":8,"slots":', 1)
TIMED = GOOD.replace('"e":', '"t":7,"x_rank":1,"e":')

Out = pytest.CaptureFixture[str]


def judged(folder: Path, ranks: dict[str, str], *words: str) -> int:
    for name, text in ranks.items():
        (folder / f"{name}.ndjson").write_text(text, encoding="utf-8")
    return cli.run(["judge", "--ranks", str(folder), *words])


def comparison(out: str) -> list[str]:
    """The lines about the ranks: what stands behind the verdict on the last trace."""
    lines = out.splitlines()
    first = max(number for number, line in enumerate(lines) if not line.startswith(" "))
    return lines[first:]


def test_ranks_that_decide_alike_are_good(tmp_path: Path, capsys: Out) -> None:
    assert judged(tmp_path, {"rank0": GOOD, "rank1": TIMED, "rank2": GOOD}, "--rank-count", "3") == 0
    out = capsys.readouterr().out
    assert [line.split(" ")[0] for line in out.splitlines() if not line.startswith(" ")] == ["good:"] * 4
    assert comparison(out) == [f"good: {tmp_path}: all ranks decide alike (3 ranks, {len(LINES) - 1} lines alike)"]


@pytest.mark.parametrize(
    ("ranks", "line", "said"),
    [
        ({"rank0": GOOD, "rank1": OTHER_FREE}, FREE, ["slots[0] is 1", "slots[0] is 4"]),
        ({"rank0": GOOD, "rank1": GOOD, "rank2": OTHER_FREE}, FREE, ["slots[0] is 1"] * 2 + ["slots[0] is 4"]),
        ({"rank0": ANOTHER_EVENT, "rank1": GOOD}, FREE, ['e is "evict"', 'e is "free"']),
        ({"rank0": OTHER_SIZE, "rank1": GOOD}, 1, ["page is 8", "page is left out"]),
    ],
    ids=["another slot", "of three", "another event", "another header"],
)
def test_the_first_difference_is_named(ranks: dict[str, str], line: int, said: list[str], tmp_path: Path, capsys: Out):
    assert judged(tmp_path, ranks) == 1
    headline, *each = comparison(capsys.readouterr().out)
    assert headline.startswith(f"bad: {tmp_path}: ranks decide differently from line {line} on ({len(ranks)} ranks, ")
    assert each == [f"  {name}.ndjson line {line}: {what}" for name, what in zip(ranks, said, strict=True)]


@pytest.mark.parametrize(
    ("ranks", "words", "headline", "said"),
    [
        ({"rank0": GOOD, "rank2": GOOD}, (), "not covered:", "there is no trace of rank 1"),
        ({"rank1": GOOD, "rank2": GOOD}, (), "not covered:", "there is no trace of rank 0"),
        ({"a": GOOD, "b": GOOD}, ("--rank-count", "3"), "not covered:", "traces of 2 ranks, and --rank-count says 3"),
        ({"rank0": GOOD}, (), "not covered:", "one rank alone"),
        ({"rank0": GOOD, "rank1": "".join(LINES[:-3]) + LINES[-1]}, (), "cut:", "rank1.ndjson ends after"),
        ({"rank0": GOOD, "rank1": "".join(LINES[:9])}, (), "cut:", "rank1.ndjson ends after 9 lines; rank0.ndjson has"),
        (
            {"rank0": GOOD, "rank1": "".join(LINES[:9]) + '{"e":"stop","why":"not covered","what":"sessions"}\n'},
            (),
            "not covered:",
            "rank1.ndjson is not covered from line 10 on: sessions",
        ),
    ],
)
def test_what_was_not_compared_is_no_pass(
    ranks: dict[str, str], words: tuple[str, ...], headline: str, said: str, tmp_path: Path, capsys: Out
) -> None:
    assert judged(tmp_path, ranks, *words) == 3
    first, *rest = comparison(capsys.readouterr().out)
    assert first.startswith(headline)
    assert any(said in line for line in rest)


def test_a_difference_before_the_end_of_a_shorter_rank_is_found(tmp_path: Path, capsys: Out) -> None:
    three = {"rank0": GOOD, "rank1": "".join(LINES[:9]), "rank2": OTHER_FREE}
    assert judged(tmp_path, three) == 1
    headline, *rest = comparison(capsys.readouterr().out)
    assert headline.startswith("bad: ")
    assert any("rank1.ndjson ends after 9 lines" in line for line in rest)


def test_a_rank_that_cannot_be_read_is_bad_input_and_the_others_are_judged(tmp_path: Path, capsys: Out) -> None:
    assert judged(tmp_path, {"rank0": GOOD, "rank1": GOOD, "rank2": "not a trace\n"}) == 2
    out, err = capsys.readouterr()
    assert "rank2.ndjson:1" in err
    assert comparison(out)[0].startswith("not covered: ")
    assert "rank2.ndjson cannot be read" in comparison(out)[1]


def test_a_rank_that_breaks_off_cannot_be_compared_from_there_on(tmp_path: Path, capsys: Out) -> None:
    broken = "".join(LINES[:9]) + "broken\n" + "".join(LINES[9:])
    assert judged(tmp_path, {"rank0": GOOD, "rank1": broken}) == 2
    assert any("rank1.ndjson cannot be read from line 10 on" in line for line in comparison(capsys.readouterr().out))


def test_every_rank_has_its_own_verdict(tmp_path: Path, capsys: Out) -> None:
    assert judged(tmp_path, {"rank0": BAD, "rank1": BAD}) == 1
    out = capsys.readouterr().out
    assert out.count("\nbad: ") + out.startswith("bad: ") == 2
    assert comparison(out)[0].startswith("good: ")


def test_pools_are_compared_each_by_itself(tmp_path: Path, capsys: Out) -> None:
    pools = {
        f"rank{rank}-{pool}": text.replace('"slots":', f'"pool":"{pool}","slots":', 1)
        for rank in (0, 1)
        for pool, text in (("a", GOOD), ("b", OTHER_FREE))
    }
    assert judged(tmp_path, pools) in (0, 1)
    out = capsys.readouterr().out
    assert f"good: {tmp_path}, pool a: all ranks decide alike" in out
    assert f"good: {tmp_path}, pool b: all ranks decide alike" in out


def test_machines_hear_of_it_too(tmp_path: Path, capsys: Out) -> None:
    xml = tmp_path / "out.xml"
    assert judged(tmp_path, {"rank0": GOOD, "rank1": OTHER_FREE}, "--json", "--junit", str(xml)) == 1
    *_, found = json.loads(capsys.readouterr().out)
    assert (found["outcome"], found["where"], found["code"]) == ("bad", "slots[0]", 1)
    assert [(Path(one["path"]).stem, one["line"], one["said"]) for one in found["differing"]] == [
        ("rank0", FREE, "1"),
        ("rank1", FREE, "4"),
    ]
    (case,) = [case for case in ET.parse(xml).iter("testcase") if case.get("name") == str(tmp_path)]
    assert case.find("failure").get("message").startswith("bad: ")
    assert cli.run(["judge", "--ranks", str(tmp_path), "--github"]) == 1
    assert f"::error file={tmp_path}/rank1.ndjson,line={FREE},title=ranks differ::" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--ranks", "nowhere"), "no such folder"),
        (("--ranks", "."), "no trace lies there"),
        (("--ranks", ".", "x.ndjson"), "leave x.ndjson out"),
        (("x.ndjson", "--rank-count", "2"), "add --ranks DIR"),
        (("--ranks", ".", "--follow"), "--follow reads one file"),
        ((), "name a trace"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(
    words: tuple[str, ...], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.run(["judge", *words]) == 2
    out, err = capsys.readouterr()
    assert said in err
    assert (out, err.count("\n")) == ("", 1)
