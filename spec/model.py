"""The model as the checker loads it: a scope, a state, the first one, what can happen, and what must hold."""

from spec.actions import ACTIONS
from spec.design import Design as Context
from spec.environment import OTHERS
from spec.lemmas import LEMMAS
from spec.postconditions import POSTCONDITIONS
from spec.properties import PROPERTIES
from spec.scope import Scope
from spec.sometimes import SOMETIMES
from spec.state import State
from spec.state import initial as init

actions = ACTIONS + OTHERS
properties = PROPERTIES + POSTCONDITIONS + SOMETIMES + LEMMAS
symmetric = ("requests", "families", "slots")

__all__ = ["Context", "Scope", "State", "actions", "init", "properties", "symmetric"]
