"""What can happen, in the order of a request's life."""

from spec.actions.admission import admit
from spec.actions.cache import evict
from spec.actions.decode import prepare
from spec.actions.device import device
from spec.actions.prefill import prefill
from spec.actions.results import process
from spec.actions.transfer import abort

ACTIONS = (admit, prefill, prepare, device, process, abort, evict)
