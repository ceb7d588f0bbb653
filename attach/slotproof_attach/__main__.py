"""python -m slotproof_attach ENGINE --out DIR -- COMMAND...: run a command whose processes record what they do."""

from __future__ import annotations

import os
import sys

from slotproof_attach.command import environment, is_fit
from slotproof_attach.errors import Refused

USAGE = "usage: python -m slotproof_attach ENGINE --out DIR -- COMMAND..."


def main(words: list[str]) -> int:
    """Check the engine that the command will find, then become the command; returns only where it cannot."""
    if len(words) < 5 or words[1] != "--out" or words[3] != "--":
        print(USAGE, file=sys.stderr)
        return 2
    engine, folder, command = words[0], words[2], words[4:]
    try:
        given = environment(engine, folder)
        os.makedirs(folder, exist_ok=True)
        if is_fit(command, given):
            os.execvpe(command[0], command, given)
    except Refused as error:
        print(f"slotproof: {error}", file=sys.stderr)
    except OSError as error:
        print(f"slotproof: {error.filename or command[0]}: {error.strerror}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
