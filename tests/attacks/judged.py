"""One model judged twice, by the command and natively: the two agree, or the command refuses in a sentence."""

from __future__ import annotations

import contextlib
import io
import json
import re
import sys
from dataclasses import dataclass
from unittest import mock

from checker.command import cli
from tests.attacks import native

HELD, VIOLATED, REFUSED, CUT, INTERNAL = 0, 1, 2, 3, 70


@dataclass
class Said:
    """What the command has said."""

    code: int
    out: str
    err: str


def command(*words):
    """Perform a command in this process, with its own way of handling errors."""
    out, err = io.StringIO(), io.StringIO()
    with (
        mock.patch.object(sys, "argv", ["slotproof", *words]),
        mock.patch.object(cli, "end_at_ctrl_c"),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            cli.main()
            code = HELD
        except SystemExit as end:
            code = int(end.code or 0)
    return Said(code, out.getvalue(), err.getvalue())


class Wrong(AssertionError):
    """The command has said what native Python does not."""


def expect(condition, kind, *told):
    if not condition:
        raise Wrong(f"{kind}: " + "; ".join(map(str, told)))


def refused(path, said, legal, lineless):
    """Whether the command refuses; a refusal is one sentence with the place in the user's own file, and a remedy."""
    expect(said.code != INTERNAL, "crash", said.err.strip().splitlines()[-2:])
    expect(said.code != CUT, "cut short", said.out)
    if said.code != REFUSED:
        return False
    expect(not legal, "refused, though legal", said.err)
    place = rf"{re.escape(str(path))}(:\d+)?: " if lineless else rf"{re.escape(str(path))}:\d+: "
    sentence = rf"slotproof: {place}.+; .+\n"
    expect(re.fullmatch(sentence, said.err) and not said.out, "refused without place or remedy", said.err)
    return True


def judge(path, legal=False, lineless=False, bounded=True, first=True):
    """Search a model both ways; raises Wrong, which begins with what kind of difference it is.

    `first` also asks for a first violation only, in words, and `bounded` asks a solver for one.
    """
    found = native.search(path)
    expect(not found.cut, "the model is too large for a plain search", found.states)
    if legal:
        expect(found.status not in ("fails", "unasked"), "not legal at all", found)
    told = (found.status, found.violated, found.failed)
    said = command("explore", "--model", str(path), "--symmetry", "none", "--json", "--all")
    if not refused(path, said, legal, lineless):
        compare(found, said, told)
    if first:
        said = command("explore", "--model", str(path), "--symmetry", "none")
        if not refused(path, said, legal, lineless):
            names = set(re.findall(r"^violated: (\S+) after", said.out, re.MULTILINE))
            passes(found, said, told)
            expect(names == wanted(found, False), "other names in the text", names, *told)
    if bounded:
        compare_bounded(path, found, legal, lineless, told)


def passes(found, said, told):
    """A pass is a pass natively."""
    if said.code == HELD:
        expect(found.status == "holds", "wrong pass", *told)


def wanted(found, every):
    """The names that a search must give; where Python itself fails no search may go on, unless it ended before that."""
    if found.failed and (every or not found.violated or min(found.failed.values()) < min(found.violated.values())):
        return {"a refusal, since Python itself fails"}
    return set(map(str, found.violated if every else found.first))


def compare(found, said, told):
    passes(found, said, told)
    data = json.loads(said.out)
    names = set(data["violated"])
    expect(names == wanted(found, True), "other properties violated", names, *told)
    depths = {str(name): depth for name, depth in found.violated.items()}
    expect(data["violated"] == depths, "not the shortest run", data["violated"], *told)
    expect(data["status"] == found.status or found.failed or found.status == "unasked", "other status", said.out, *told)
    counts = (data["states"], data["transitions"])
    expect(counts == (found.states, found.transitions), "other counts", counts, (found.states, found.transitions))
    if not names:
        expect(sorted(data["never seen"]) == sorted(found.unseen), "other sometimes", data["never seen"], *told)


def compare_bounded(path, found, legal, lineless, told):
    """A solver finds a shortest violation too, and none where there is none."""
    violated = {name: at for name, at in found.violated.items() if name not in found.postconditions}
    depth = min(violated.values(), default=4)
    said = command("bmc", "--model", str(path), "--depth", str(max(depth, 1)), "--json")
    if refused(path, said, legal, lineless):
        return
    data = json.loads(said.out)
    if any("too many choices" in name for name in found.failed):
        # A solver has no need to list them.
        return
    if not violated and not found.failed and not found.asked:
        expect(said.code != HELD and not data["asked"], "bmc asks nothing and passes", said.out)
    elif said.code == HELD:
        # A solver does not ask whether everything has been seen.
        expect(not violated and not found.failed and found.asked, "wrong pass of bmc", *told)
    elif not data["property"]:
        expect(not data["asked"], "bmc has found nothing and does not pass", said.out)
    else:
        expect(violated.get(data["property"]) == depth, "other property violated in bmc", data["property"], *told)
        expect(len(data["steps"]) == depth, "not the shortest run in bmc", data["steps"], *told)
