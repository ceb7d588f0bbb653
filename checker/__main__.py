"""`python -m checker`, and the command `slotproof`."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command; a text of this checkout that Python cannot read is one sentence and exit code 2."""
    try:
        from checker.command import cli  # noqa: PLC0415 (what is imported may be what cannot be read)
    except SyntaxError as error:
        print(f"slotproof: {error.filename}:{error.lineno}: {error.msg}; fix the file", file=sys.stderr)
        sys.exit(2)
    cli.main()


if __name__ == "__main__":
    main()
