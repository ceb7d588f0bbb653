"""python -m slotproof_attach ENGINE --out DIR -- COMMAND...: run a command whose processes record what they do."""

from __future__ import annotations

import os
import subprocess
import sys

from slotproof_attach import attaching
from slotproof_attach.errors import Refused

USAGE = "usage: python -m slotproof_attach ENGINE --out DIR -- COMMAND..."


def main(words: list[str]) -> int:
    """Check the engine that the command will find, then become the command; returns only where it cannot."""
    if len(words) < 5 or words[1] != "--out" or words[3] != "--":
        print(USAGE, file=sys.stderr)
        return 2
    engine, folder, command = words[0], os.path.abspath(words[2]), words[4:]
    try:
        attaching.adapter_named(engine)
        os.makedirs(folder, exist_ok=True)
        attaching.for_children(engine, folder, os.environ)
        if not found_fit(command):
            return 2
        os.execvp(command[0], command)
    except Refused as error:
        print(f"slotproof: {error}", file=sys.stderr)
    except OSError as error:
        print(f"slotproof: {error.filename or command[0]}: {error.strerror}", file=sys.stderr)
    return 2


def found_fit(command: list[str]) -> bool:
    """Whether the engine that the command's interpreter finds can be recorded; where it finds none, its import asks."""
    python = command[0] if os.path.basename(command[0]).startswith("python") else sys.executable
    look = "import slotproof_attach.__main__ as command; command.look()"
    return subprocess.run([python, "-c", look], check=False).returncode == 0


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


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
