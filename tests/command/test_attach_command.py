"""`slotproof attach`: an engine in a process of another interpreter is recorded, and judged while it runs."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.attach.test_recording import FAULTS
from tests.support.paths import ROOT
from tests.support.recording import FAKE, PRELUDE, environment

COMMAND = "import sys; sys.path.insert(0, sys.argv[1]); from checker.command.cli import main; del sys.argv[1]; main()"
ENGINE = str(Path(sys.base_prefix) / "bin" / "python3")
"""An interpreter that has nothing of ours, as an engine's has not."""
RUN = "engine = Scheduler()\nengine.run(Req('A', range(10), 10), Req('B', range(50, 60), 22))\n"


def attach(*words: str, engine: Path = FAKE) -> list[str]:
    return [sys.executable, "-c", COMMAND, str(ROOT), "attach", *words]


def recorded(folder: Path, script: str, *options: str, engine: Path = FAKE) -> subprocess.CompletedProcess[str]:
    file = folder / "script.py"
    file.write_text(PRELUDE + script)
    words = attach("sglang", "--out", "traces", *options, "--", ENGINE, str(file))
    return subprocess.run(
        words, env=environment(engine), cwd=folder, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.parametrize(
    ("script", "code", "headline"),
    [
        (RUN, 0, "good: "),
        (FAULTS["exact-label"] + RUN, 1, "bad: "),
        ("req = Req('A', range(10), 3)\nreq.session = type('S', (), {'streaming': True})\nScheduler().run(req)", 3,
         "not covered: "),
        ("import os, time\nengine = Scheduler()\nengine.waiting = [Req('A', range(10), 9)]\nengine.step()\n"
         "engine.step()\ntime.sleep(1)\nos._exit(0)", 3, "cut: "),
    ],
)  # fmt: skip
def test_a_verdict_is_named_by_its_headline_and_the_exit_code(tmp_path, script, code, headline):
    done = recorded(tmp_path, script, "--judge")
    assert done.returncode == code, done.stderr
    assert any(line.startswith(headline) for line in done.stdout.splitlines())


def test_the_worst_of_several_counts(tmp_path):
    done = recorded(
        tmp_path, RUN + "import os\nif os.fork() == 0:\n    os._exit(0)\n" + FAULTS["exact-label"] + RUN, "--judge"
    )
    assert done.returncode == 1
    assert {line.split(":")[0] for line in done.stdout.splitlines() if line.startswith(("good:", "bad:"))} == {
        "good",
        "bad",
    }


def test_an_error_of_our_own_while_judging_is_no_verdict(tmp_path):
    file = tmp_path / "script.py"
    file.write_text(PRELUDE + RUN)
    broken = "from checker.command import attach; attach.judge_events = lambda *given, **named: 1 / 0; "
    command = COMMAND.replace("from checker.command.cli", broken + "from checker.command.cli")
    words = ["attach", "sglang", "--out", "traces", "--judge", "--", ENGINE, str(file)]
    done = subprocess.run(
        [sys.executable, "-c", command, str(ROOT), *words],
        env=environment(FAKE), cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 70, done.stdout + done.stderr
    assert "ZeroDivisionError" in done.stderr
    assert "good" not in done.stdout


def test_a_story_is_told_while_the_engine_runs(tmp_path):
    waits = f"import os, time\nwhile not os.path.exists({str(tmp_path / 'seen')!r}):\n    time.sleep(0.05)\n"
    file = tmp_path / "script.py"
    file.write_text(PRELUDE + FAULTS["exact-label"] + RUN + waits)
    words = attach("sglang", "--out", "traces", "--judge", "--", ENGINE, str(file))
    with subprocess.Popen(words, env=environment(FAKE), cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("bad: ")
        (tmp_path / "seen").touch()
        process.stdout.read()
    assert process.returncode == 1


def test_without_judge_the_line_that_judges_is_printed(tmp_path):
    done = recorded(tmp_path, RUN)
    assert (done.returncode, done.stdout) == (0, "1 traces; judge them: slotproof judge traces/*.ndjson\n")


def test_a_command_that_fails_has_not_passed(tmp_path):
    done = recorded(tmp_path, RUN + "raise SystemExit(7)\n", "--judge")
    assert done.returncode == 3
    assert "the command ended with exit code 7" in done.stderr
    assert done.stdout.startswith("good: ")


def test_a_command_without_the_engine_shows_nothing(tmp_path):
    done = recorded(tmp_path, "", "--judge")
    assert done.returncode == 3
    assert "no trace was written to traces" in done.stderr


def test_an_engine_that_does_not_fit_does_not_start(tmp_path):
    engine = tmp_path / "engine"
    shutil.copytree(FAKE, engine)
    file = engine / "sglang" / "srt" / "managers" / "schedule_batch.py"
    file.write_text(file.read_text().replace("is_retracted", "was_retracted"))
    done = recorded(tmp_path, "print('started')\n" + RUN, "--judge", engine=engine)
    assert (done.returncode, done.stdout) == (2, "")
    assert "schedule_batch.Req.is_retracted" in done.stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["vllm", "--out", "new", "--", "true"], "no engine is called 'vllm' here: write sglang"),
        (["sglang", "--out", "old", "--", "true"], "old has traces of another run: name a new folder with --out"),
        (["sglang", "--out", "new", "--", "no-such-command"], "no-such-command: No such file or directory"),
        (["sglang", "--out", "new", "--fail-on", "leak", "--", "true"], "--fail-on has no effect without --judge"),
    ],
)
def test_what_cannot_be_recorded_is_one_sentence(tmp_path, words, sentence):
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "1-0.ndjson").touch()
    done = subprocess.run(
        attach(*words), env=environment(), cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_nothing_of_ours_but_the_package_comes_into_the_engines_process(tmp_path):
    script = """
import importlib.util, json, os, sys
print(json.dumps({
    "found": [name for name in ("spec", "runtime", "checker", "tests", "msgspec") if importlib.util.find_spec(name)],
    "loaded": sorted({name.partition(".")[0] for name in sys.modules} - set(sys.stdlib_module_names)),
    "path": os.environ["PYTHONPATH"].split(os.pathsep),
}))
"""
    done = recorded(tmp_path, script)
    (line,) = done.stdout.splitlines()
    found = json.loads(line)
    assert found["found"] == []
    assert "slotproof_attach" in found["loaded"]
    assert not {"spec", "runtime", "checker", "tests", "msgspec", "numpy", "orjson"} & set(found["loaded"])
    assert [Path(path).name for path in found["path"]] == ["site", "fake_engine"]
    assert [path.name for path in Path(found["path"][0]).glob("*.py")] == ["sitecustomize.py"]
