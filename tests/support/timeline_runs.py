"""Runs that violate a property, as data: the shortest ones that the search finds, one per design and mode."""

import spec.model
from checker.model.known_designs import DESIGNS
from checker.model.model import Model, TakenStep
from spec.language import ABSENT
from spec.scope import Scope
from spec.state import EXHAUSTED

ONE_ROW, NO_ROW, ORDER = (True,), (False,), (0,)
PREPARE = ("prepare", ONE_ROW, ORDER, NO_ROW, ABSENT)
PROCESS = ("process", NO_ROW, ORDER, ABSENT)
PROCESS_AND_FINISH = ("process", ONE_ROW, ORDER, ABSENT)
DEVICE = ("device",)
PREFILL = ("prefill", 0, ABSENT)


def admit(prompt):
    return ("admit", 0, 0, prompt, ABSENT)


# design, scope, property, steps
RUNS = {
    "merged eager": (
        "merged-29792",
        "requests=1 slots=5 nodes=2 max_len=6",
        "exact-label",
        [
            admit(3),
            PREFILL,
            DEVICE,
            ("process", NO_ROW, ORDER, EXHAUSTED),
            PREPARE,
            DEVICE,
            PREPARE,
            PROCESS,
            DEVICE,
            PREPARE,
            PROCESS_AND_FINISH,
        ],
    ),
    "before lazy": (
        "before-29792",
        "requests=1 slots=5 nodes=2 mode=lazy max_len=6",
        "exact-label",
        [admit(3), PREFILL, DEVICE, PREPARE, PROCESS_AND_FINISH],
    ),
    "wait-stream": (
        "wait-stream",
        "requests=1 slots=5 nodes=2 max_len=6",
        "exact-label",
        [admit(4), PREFILL, DEVICE, PROCESS, PREPARE, DEVICE, PREPARE, DEVICE, PROCESS, PROCESS_AND_FINISH],
    ),
}


def model_of(design, scope):
    parsed = Scope.parse(scope)
    return Model(spec.model, parsed, (DESIGNS[design] if isinstance(design, str) else design)(parsed))


def steps_for(model, script):
    actions = {action.name: action for action in model.actions}
    return [TakenStep(actions[name], tuple(arguments)) for name, *arguments in script]


def run_of(name):
    """Return the model, the steps and the property of a run."""
    design, scope, property_name, script = RUNS[name]
    model = model_of(design, scope)
    return model, steps_for(model, script), property_name
