"""Records what a running engine does with its state slots, one JSON object a line, for `slotproof judge`.

    import slotproof_attach
    slotproof_attach.attach("sglang", "run.ndjson")    # before or after the engine is imported
    ...
    slotproof_attach.close()                           # or at the end of the process

`python -m slotproof_attach sglang --out DIR -- COMMAND...` does the same for an unmodified command and every Python
process that it starts. This package imports the standard library only, and nothing of it is the engine's.

Read in this order: sglang/table.py (where the engine is touched), sglang/pools.py and sglang/batches.py (what is noted
there, inside of the engine's own thread), recorder.py (the notes), lines.py (what a writer thread makes of them).
"""

from slotproof_attach.attaching import attach, attach_from_environment, close
from slotproof_attach.errors import Refused

__all__ = ["Refused", "attach", "attach_from_environment", "close"]
__version__ = "0.1.0"
