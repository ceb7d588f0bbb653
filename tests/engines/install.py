"""An engine's releases and an environment for them, in a folder that `make clean` removes.

A release is its wheel, unpacked: none of what it depends on is installed but what its control plane really calls. Where
packages come from is the reader's setting of pip.
"""

from __future__ import annotations

import subprocess
import venv
import zipfile
from pathlib import Path
from typing import Final

from tests.support.paths import ROOT

FOLDER: Final = ROOT / ".engines"
PYTHON: Final = FOLDER / "env" / "bin" / "python"
NEEDED: Final = ["torch", "numpy", "orjson", "psutil", "pybase64", "requests", "msgspec", "dill", "regex", "packaging"]


class Unavailable(Exception):
    """Something could not be downloaded or installed; the message says what, and what to look at."""


def install(releases: tuple[str, ...]) -> None:
    """Make sure that the environment and the releases are there; raises Unavailable."""
    done = FOLDER / "env" / "installed"
    if not done.exists():
        venv.create(FOLDER / "env", with_pip=True, clear=True)
        packages = ["install", "-c", str(ROOT / "constraints.txt"), *NEEDED]
        pip(packages, f"the packages that sglang's control plane calls ({', '.join(NEEDED)})")
        done.touch()
    for release in releases:
        if not unpacked(release).exists():
            unpack(release)


def unpacked(release: str) -> Path:
    """Where a release lies, as a folder to be put on the path."""
    return FOLDER / f"sglang-{release}"


def unpack(release: str) -> None:
    """Download a release, without anything that it depends on."""
    wheels = FOLDER / "wheels"
    pip(["download", "--no-deps", "-d", str(wheels), f"sglang=={release}"], f"sglang {release}")
    wheel = next(wheels.glob(f"sglang-{release}-*.whl"))
    half = FOLDER / f"sglang-{release}.half"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(half)
    half.rename(unpacked(release))


def pip(words: list[str], what: str) -> None:
    """Run pip in the engine's environment; raises Unavailable in one sentence."""
    command = [str(PYTHON), "-m", "pip", words[0], "-q", "--disable-pip-version-check", *words[1:]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        why = (errors or done.stderr.splitlines() or ["no reason given"])[-1].removeprefix("ERROR: ")
        raise Unavailable(
            f"pip could not get {what}, so no engine was run and nothing was shown ({why}): "
            "look at the network and at pip's settings, then run this again"
        )
