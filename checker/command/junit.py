"""The judgements of traces as a JUnit file, which every CI service reads: one test case for each trace.

What ends with exit code 1 is a failure, what was cut or not covered an error, as is what could not be read: a case
that was not looked at to its end has not passed.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path

from checker.command.console import printable
from checker.command.report import traces
from checker.exit_codes import SHOWN, VIOLATED
from checker.model.user_files import BadFile
from checker.traces.judge_file import Unjudged
from checker.traces.ranks import RankComparison


def write(path: Path, judgements: Sequence[traces.Judged]) -> None:
    """Write the file; raises BadFile where it cannot be written."""
    try:
        path.write_bytes(document(judgements))
    except OSError as error:
        raise BadFile(f"--junit {path}: the file cannot be written: {error.strerror}") from error


def document(judgements: Sequence[traces.Judged]) -> bytes:
    """Return the file's text. A character that XML has no place for stands there as a person sees it printed."""
    suite = ET.Element("testsuite", name="slotproof judge", tests=str(len(judgements)))
    for judged in judgements:
        _add_case(suite, judged)
    for kind in ("failure", "error"):
        suite.set(f"{kind}s", str(len(suite.findall(f"*/{kind}"))))
    ET.indent(suite)
    return bytes(ET.tostring(suite, encoding="utf-8", xml_declaration=True)) + b"\n"


def _add_case(suite: ET.Element, judged: traces.Judged) -> None:
    case = ET.SubElement(suite, "testcase", classname="slotproof.judge", name=printable(str(judged.path)))
    said = list(traces.lines(judged))
    code = traces.exit_code(judged)
    if code != SHOWN:
        kind = _kind(judged)
        headline = printable(judged.reason) if isinstance(judged, Unjudged) else said[0]
        wrong = ET.SubElement(case, "failure" if code == VIOLATED else "error", type=kind, message=headline)
        wrong.text = "\n".join(said) or headline
    elif said:
        ET.SubElement(case, "system-out").text = "\n".join(said)


def _kind(judged: traces.Judged) -> str:
    if isinstance(judged, Unjudged):
        return "unreadable"
    return judged.outcome if isinstance(judged, RankComparison) else judged.verdict.outcome
