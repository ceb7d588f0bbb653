"""What a command that is to be recorded gets: an environment, and a look at the engine that it will find."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence

from slotproof_attach import attaching
from slotproof_attach.errors import Refused


def environment(engine: str, folder: str) -> dict[str, str]:
    """Return the environment of a command whose processes are recorded into a folder; raises Refused."""
    attaching.adapter_named(engine)
    found = dict(os.environ)
    attaching.for_children(engine, os.path.abspath(folder), found)
    return found


def is_fit(command: Sequence[str], given: dict[str, str]) -> bool:
    """Whether the engine that the command's interpreter finds can be recorded; it says why not on stderr.

    Where it finds none, and where the command is no interpreter, the import of the engine will ask.
    """
    python = command[0] if os.path.basename(command[0]).startswith("python") else sys.executable
    words = [python, "-c", "import slotproof_attach.command as command; command.look()"]
    return subprocess.run(words, env=given, check=False).returncode == 0


def look() -> None:
    """Read the files of the engine that this interpreter finds, and end with 2 if it is none that can be recorded."""
    try:
        adapter = attaching.adapter_named(os.environ[attaching.ENGINE])
        root = adapter.package_root()
        if root is not None:
            adapter.check(root)
    except Refused as error:
        print(f"slotproof: {error}", file=sys.stderr)
        sys.exit(2)
