"""Which processes are recorded, what comes onto their path, and what a killed one leaves."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

from checker.traces.judge_file import judge_file
from tests.support.paths import ATTACHED
from tests.support.recording import FAKE, PRELUDE, environment, lines, record, traces

SPAWNED = """
import multiprocessing

def work(name):
    Scheduler().run(Req(name, range(10), 9))

if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    children = [context.Process(target=work, args=(name,)) for name in "AB"]
    for child in children:
        child.start()
    for child in children:
        child.join()
"""


def test_children_are_recorded_one_file_each(tmp_path):
    done = record(tmp_path, SPAWNED)
    assert done.returncode == 0, done.stderr
    found = traces(tmp_path)
    assert len({file.name.split("-")[0] for file in found}) == len(found) == 2
    assert {judge_file(file).verdict.outcome for file in found} == {"good"}


def test_each_pool_has_a_file(tmp_path):
    record(tmp_path, "for name in 'AB':\n    Scheduler().run(Req(name, range(10), 9))\n")
    assert [{line["r"] for line in lines(file) if line.get("e") == "admit"} for file in traces(tmp_path)] == [
        {"A"},
        {"B"},
    ]


def test_a_process_without_the_engine_leaves_no_file(tmp_path):
    (tmp_path / "script.py").write_text("print('no engine here')")
    words = [sys.executable, "-m", "slotproof_attach", "sglang", "--out", "traces", "--", sys.executable, "script.py"]
    subprocess.run(words, env=environment(ATTACHED.parent), cwd=tmp_path, check=True, capture_output=True)
    assert traces(tmp_path) == []


def test_a_sitecustomize_that_was_there_is_run_too(tmp_path):
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "sitecustomize.py").write_text("import sys\nsys.theirs = 'here'\n")
    done = record(tmp_path, "import sys\nprint(sys.theirs, 'slotproof_attach' in sys.modules)", FAKE, theirs)
    assert done.stdout.split() == ["here", "True"], done.stderr


def test_a_killed_process_loses_at_most_a_second(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        PRELUDE
        + "import time\nengine = Scheduler()\nengine.waiting = [Req('A', range(10), 10**6)]\n"
        + "while engine.step():\n    time.sleep(0.002)\n"
        + "    print(engine.running.reqs[0].decode_batch_idx, flush=True)\n"
    )
    words = [sys.executable, "-m", "slotproof_attach", "sglang", "--out", str(tmp_path / "traces")]
    command = [*words, "--", sys.executable, str(script)]
    with subprocess.Popen(
        command, env=environment(ATTACHED.parent, FAKE), stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        counts: list[tuple[float, int]] = []
        for line in process.stdout:
            counts.append((time.monotonic(), int(line)))
            if counts[-1][0] - counts[0][0] > 2.5:
                os.kill(process.pid, signal.SIGKILL)
                break
    killed = counts[-1][0]
    (file,) = traces(tmp_path)
    assert file.read_bytes().endswith(b"\n")
    written = max(
        row["count"] for line in lines(file) if line.get("e") == "launch" for row in line["rows"] if "count" in row
    )
    assert written >= max(count for at, count in counts if at < killed - 1)
    assert judge_file(file).verdict.outcome == "cut"


def test_after_a_fork_the_trace_is_the_parents(tmp_path):
    script = """
import os
engine = Scheduler()
engine.run(Req("A", range(10), 9))
child = os.fork()
engine.run(Req("B" if child else "C", range(20, 30), 9))
if child:
    os.waitpid(child, 0)
"""
    done = record(tmp_path, script)
    assert done.returncode == 0, done.stderr
    (file,) = traces(tmp_path)
    assert {line["r"] for line in lines(file) if line.get("e") == "admit"} == {"A", "B"}
    assert judge_file(file).verdict.outcome == "good"


def test_attaching_from_python_names_the_file(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import slotproof_attach\n"
        "slotproof_attach.attach('sglang', 'run.ndjson')\n"
        + PRELUDE
        + "Scheduler().run(Req('A', range(10), 9))\nScheduler().run(Req('B', range(10), 9))\n"
        "slotproof_attach.attach('sglang', 'other.ndjson')\n"
        "Scheduler().run(Req('C', range(10), 9))\n"
        "slotproof_attach.close()\nprint(open('other.ndjson').read().splitlines()[-1])\n"
    )
    done = subprocess.run(
        [sys.executable, str(script)], env=environment(ATTACHED.parent, FAKE), cwd=tmp_path, capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    assert done.stdout == '{"e":"stop","why":"closed"}\n'
    names = {
        file.name: {line["r"] for line in lines(file) if line.get("e") == "admit"} for file in tmp_path.glob("*.ndjson")
    }
    assert names.pop("run.ndjson") == {"A"}
    assert names.pop("other.ndjson") == {"C"}
    assert list(names.values()) == [{"B"}]


def test_an_engine_whose_trace_cannot_be_written_goes_on(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import slotproof_attach\nslotproof_attach.attach('sglang', 'no-folder/run.ndjson')\n"
        + PRELUDE
        + "engine = Scheduler()\nengine.run(Req('A', range(10), 9))\n"
        + "slotproof_attach.attaching.Process.writer.round()\n"
        + "engine.run(Req('B', range(10), 9))\nprint(len(engine.pool._slotproof.file.notes))\n"
    )
    done = subprocess.run(
        [sys.executable, str(script)], env=environment(ATTACHED.parent, FAKE), cwd=tmp_path, capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    assert done.stdout == "0\n"
    assert done.stderr.endswith("no-folder/run.ndjson ends here: No such file or directory\n")
