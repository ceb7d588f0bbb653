"""Where the package lies that records an engine: alone in its folder, all of ours that comes onto an engine's path."""

from __future__ import annotations

from pathlib import Path
from typing import Final

PACKAGE: Final = "slotproof_attach"


def folder() -> Path:
    """Return the folder that holds `slotproof_attach`, and nothing else that can be imported.

    A wheel brings its files along (setup.py); a checkout has them in attach/.
    """
    here = Path(__file__)
    places = (here.with_name("attachable_files"), here.parents[2] / "attach")
    return next(place for place in places if (place / PACKAGE / "__init__.py").is_file())
