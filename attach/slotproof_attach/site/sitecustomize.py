"""Python runs this at the start of every process that finds it: it records what was asked for, then runs what it hides.

Only this folder is on the path: the package is loaded from where it lies, and brings nothing else with it.
"""

import os
import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec, spec_from_file_location


def _record() -> None:
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if "slotproof_attach" not in sys.modules:
        place = spec_from_file_location(
            "slotproof_attach", os.path.join(package, "__init__.py"), submodule_search_locations=[package]
        )
        assert place is not None, "the package lies beside this folder"
        assert place.loader is not None, "a file that is there has a loader"
        module = sys.modules["slotproof_attach"] = module_from_spec(place)
        place.loader.exec_module(module)
    sys.modules["slotproof_attach"].attach_from_environment()


def _next_one() -> None:
    """Run the sitecustomize that would have been found without this one."""
    here = os.path.dirname(os.path.abspath(__file__))
    place = PathFinder.find_spec("sitecustomize", [path for path in sys.path if os.path.abspath(path) != here])
    if place is not None and place.loader is not None:
        module = sys.modules["sitecustomize"] = module_from_spec(place)
        place.loader.exec_module(module)


if os.environ.get("SLOTPROOF_ATTACH"):
    _record()
_next_one()
