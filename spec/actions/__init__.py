"""What can happen, in the order of a request's life: a file for each step of it.

Read admission first, then prefill, decode (a step is prepared) and device (its batch runs), results (what comes of it),
cache (a node is evicted), and transfer for the abort, which may come at any time. ACTIONS is all that a search tries.
"""

from spec.actions.abort import abort
from spec.actions.admission import admit
from spec.actions.cache import evict
from spec.actions.decode import prepare
from spec.actions.device import device
from spec.actions.prefill import prefill
from spec.actions.results import cut, process

ACTIONS = (admit, prefill, prepare, device, process, cut, abort, evict)
