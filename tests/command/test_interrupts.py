"""The first Ctrl-C calls what a command has asked for, in a block; any other one ends the process."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.support.paths import ROOT

PROGRAM = """
import os, signal, sys, threading
from checker.command.interrupts import end_at_ctrl_c, first_ctrl_c

end_at_ctrl_c()
came = threading.Event()
with first_ctrl_c(lambda: print("too late", flush=True)):
    pass
if {asked}:
    with first_ctrl_c(came.set):
        os.kill(os.getpid(), signal.SIGINT)
        assert came.wait(20)
        print("came", flush=True)
        if {twice}:
            os.kill(os.getpid(), signal.SIGINT)
            threading.Event().wait(20)
if not {twice}:
    os.kill(os.getpid(), signal.SIGINT)
    threading.Event().wait(20)
print("still here")
"""


@pytest.mark.parametrize(
    ("asked", "twice", "said"), [(True, False, "came\n"), (True, True, "came\n"), (False, False, "")]
)
def test_ctrl_c(asked: bool, twice: bool, said: str) -> None:
    program = PROGRAM.format(asked=asked, twice=twice)
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, said, "")
