"""An engine's releases and an environment for them, in a folder that `make clean` removes.

A release is its wheel, unpacked: none of what it depends on is installed but what its control plane really calls. Where
packages come from is the reader's setting of pip. `python -m tests.engines.install 0.5.23` installs one release.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path
from typing import Final

from tests.support.paths import ROOT, TESTS

FOLDER: Final = ROOT / ".engines"
PYTHON: Final = FOLDER / "env" / "bin" / "python"
CURES: Final = TESTS / "engines" / "cures"
"""Changes to a release that docs/findings.md proposes."""
NEEDED: Final = ["torch", "numpy", "orjson", "psutil", "pybase64", "requests", "msgspec", "dill", "regex", "packaging"]


class Unavailable(Exception):
    """Something could not be downloaded or installed; the message says what, and what to look at."""


def install(releases: list[str], cured: list[str]) -> None:
    """Make sure that the environment and the releases are there, and those with cures; raises Unavailable."""
    done = FOLDER / "env" / "installed"
    if not done.exists():
        venv.create(FOLDER / "env", with_pip=True, clear=True)
        packages = ["install", "-c", str(ROOT / "constraints.txt"), *NEEDED]
        pip(packages, f"the packages that sglang's control plane calls ({', '.join(NEEDED)})")
        done.touch()
    for release in releases:
        if not unpacked(release).exists():
            unpack(release)
    for release in cured:
        cure(release)


def unpacked(release: str, cured: bool = False) -> Path:
    """Where a release lies, as a folder to be put on the path."""
    return FOLDER / f"sglang-{release}{'-cured' * cured}"


def unpack(release: str) -> None:
    """Download a release, without anything that it depends on."""
    wheels = FOLDER / "wheels"
    pip(["download", "--no-deps", "-d", str(wheels), f"sglang=={release}"], f"sglang {release}")
    wheel = next(wheels.glob(f"sglang-{release}-*.whl"))
    half = FOLDER / f"sglang-{release}.half"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(half)
    half.rename(unpacked(release))


def cure(release: str) -> None:
    """Make a copy of a release with the changes that are proposed for it; raises Unavailable where they don't fit."""
    folder = unpacked(release, cured=True)
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(unpacked(release), folder, copy_function=os.link)
    # A repository around the folder would have git look for the files from its root.
    alone = os.environ | {"GIT_CEILING_DIRECTORIES": str(FOLDER)}
    for change in sorted(CURES.glob(f"{release}-*.diff")):
        command = ["git", "apply", str(change)]
        done = subprocess.run(command, cwd=folder, env=alone, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Unavailable(
                f"{change.name} does not fit sglang {release} ({'; '.join(done.stderr.splitlines())}): write it anew"
            )


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


if __name__ == "__main__":
    try:
        install(sys.argv[1:], [])
    except Unavailable as error:
        sys.exit(f"{error}")
