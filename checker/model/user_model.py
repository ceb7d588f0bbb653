"""A model of a user's own, from a file: loaded and looked through, so that what it says wrongly is refused in words.

docs/models.md says what such a file holds. Every refusal names the file and, where there is one, the line.
"""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import inspect
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, TypeVar, get_type_hints

from checker.model.layout import Array, Leaf, Record, flatten
from checker.model.model import MOST_CHOICES, Model, first_few, load_module, parameters
from checker.model.source import OutsideSubset
from checker.model.user_files import BadModel, describe_error, place_in
from spec.language import WELL_FORMED, Action, ActionDeclaration, BadRecord, Choices, Declaration, Property, copy

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

R = TypeVar("R")

_SETTING = re.compile(r"(\w+)=(-?[0-9]{1,18})")
_STATES = {
    "always": ("s",),
    "lemma": ("s",),
    "step": ("before", "after"),
    "sometimes": ("before", "after"),
    "postcondition": ("before", "after"),
}
_DECLARE = {"actions": (Action, "@action(...)"), "properties": (Property, "@always(), @step() or @sometimes()")}


def user_model(file: str, words: str) -> Model:
    """Return the model of a file in the scope that the words `name=value` give; raises BadModel."""
    module = load_module(Path(file))
    _refuse_incomplete(module)
    for action in module.actions:
        _refuse_action(module, action)
    for stated in module.properties:
        _refuse_property(module, stated)
    _refuse_doubles(module)
    scope = _settings(module, words)
    context = _call(module, module.Context, scope) if hasattr(module, "Context") else scope
    first = _call(module, module.init, scope)
    if not dataclasses.is_dataclass(first) or isinstance(first, type):
        raise BadModel(
            f"{_place(module, module.init)}: init returns {first!r}; let it return a record, the first state"
        )
    try:
        copy(first)
    except Exception as error:
        raise BadModel(
            f"{_place(module, module.init)}: the first state cannot be copied: {describe_error(error)}; make it of "
            "@record "
            "classes, Vectors, numbers and truth values"
        ) from error
    for action in module.actions:
        for name, choice in action.choices.items():
            _refuse_choices(module, action, name, choice, scope)
    for action in module.actions:
        if not isinstance(_call(module, action.applies, scope), bool):
            raise BadModel(
                f"{_place(module, action.function)}: what says whether {action.name} belongs to a scope answers "
                "neither True nor False; let it return a comparison"
            )
    for stated in module.properties:
        if not isinstance(_call(module, stated.applies, context), bool):
            raise BadModel(
                f"{_place(module, stated.written)}: what says where {stated.name} applies answers neither True nor "
                "False; let it return a comparison"
            )
    _refuse_sorts(module, scope)
    model = Model(module, scope, context)
    for stated in module.properties:
        if stated.of_one:
            _refuse_each(module, stated, model.shape.fields.get("requests"))
    if list(flatten(model.init)) != list(flatten(_call(module, module.init, scope))):
        raise BadModel(
            f"{_place(module, module.init)}: init() returns another state each time; let it depend on the scope alone"
        )
    return model


@contextlib.contextmanager
def naming(file: str) -> Iterator[None]:
    """Put the name of the user's file before what is refused without saying where."""
    try:
        yield
    except (BadModel, OutsideSubset) as error:
        if not file or Path(file).name in str(error):
            raise
        raise BadModel(f"{file}: {error}") from error


def _place(module: ModuleType, thing: object) -> str:
    """Return `FILE:LINE` of a function, of anything else the line that gives it a name, or the file alone."""
    code = getattr(thing, "__code__", None)
    if code and Path(code.co_filename).is_file():
        return f"{code.co_filename}:{code.co_firstlineno}"
    made = ((name, value, getattr(value, "function", None)) for name, value in vars(module).items())
    names = {name for name, value, function in made if thing is value or thing is function}
    for node in ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8")).body:
        targets = [target.id for target in getattr(node, "targets", ()) if isinstance(target, ast.Name)]
        if names & {*targets, getattr(node, "name", "")}:
            return f"{module.__file__}:{node.lineno}"
    return str(module.__file__)


def _call(module: ModuleType, function: Callable[..., R], *arguments: object) -> R:
    """Call what the file defines; whatever goes wrong in it is told with its place."""
    called = getattr(function, "__name__", str(function))
    try:
        inspect.signature(function).bind(*arguments)
    except (TypeError, ValueError) as error:
        place = _place(module, function)
        raise BadModel(
            f"{place}: {called} is called with {len(arguments)} argument: {describe_error(error)}; fix it"
        ) from error
    try:
        return function(*arguments)
    except BadRecord as error:
        raise BadModel(str(error)) from error
    except (Exception, SystemExit) as error:
        place = place_in(str(module.__file__), error)
        place = place if ":" in place else _place(module, function)
        raise BadModel(f"{place}: {called} fails with {describe_error(error)}; fix it") from error


def _refuse_incomplete(module: ModuleType) -> None:
    """Raise BadModel where a module is no model."""
    file = module.__file__
    for name in ("init", "actions", "properties", "Scope"):
        if not hasattr(module, name):
            raise BadModel(f"{file}: the model has no `{name}`; docs/models.md says what a model must have")
    if not (isinstance(module.Scope, type) and dataclasses.is_dataclass(module.Scope)):
        raise BadModel(f"{file}: Scope is no dataclass; define one with a default for every field")
    for name, (kind, how) in _DECLARE.items():
        listed = getattr(module, name)
        if not isinstance(listed, (tuple, list)):
            raise BadModel(
                f"{file}: `{name}` is a {type(listed).__name__}, which may be read only once or in no fixed order; "
                f"write a tuple: {name} = (first, second)"
            )
        for found in listed:
            if isinstance(found, (ActionDeclaration, Declaration)):
                raise BadModel(
                    f"{_place(module, found.applies)}: @{found.kind} needs parentheses; write @{found.kind}() above "
                    f"the def of {getattr(found.applies, '__name__', found.applies)}"
                )
            if not isinstance(found, kind):
                called = getattr(found, "__name__", repr(found))
                raise BadModel(f"{_place(module, found)}: {called} in `{name}` is none; write {how} above its def")


def _refuse_action(module: ModuleType, action: Action) -> None:
    """Raise BadModel where an action cannot be called as it is declared: by position, in the order of its choices."""
    _refuse_odd_function(module, action.function, "action")
    if not callable(action.applies):
        raise BadModel(
            f"{_place(module, action.function)}: @action({action.applies!r}) asks no function whether the action "
            "belongs to a scope; write one, or leave it out"
        )
    for name, choice in action.choices.items():
        if not callable(choice):
            raise BadModel(
                f"{_place(module, action.function)}: the choices of {name} are no function; "
                f"write @action({name}=lambda scope: range(scope.n))"
            )
    context = "context" if hasattr(module, "Context") else "scope"
    wanted = ["s", context, *action.choices]
    names = list(inspect.signature(action.function).parameters)
    if len(names) < 2 or parameters(action) != list(action.choices):
        raise BadModel(
            f"{_place(module, action.function)}: {action.name} takes ({', '.join(names)}); after the state and the "
            f"{context} come the parameters in the order of @action: write def {action.name}({', '.join(wanted)})"
        )
    _hints(module, action)


def _hints(module: ModuleType, action: Action) -> None:
    try:
        get_type_hints(action.function, include_extras=True)
    except Exception as error:
        raise BadModel(
            f"{_place(module, action.function)}: an annotation of {action.name} cannot be read: "
            f"{describe_error(error)}; fix it"
        ) from error


def _refuse_property(module: ModuleType, stated: Property) -> None:
    """Raise BadModel where a property's function does not take what its kind is handed."""
    _refuse_odd_function(module, stated.written, "property")
    place = _place(module, stated.written)
    if not callable(stated.applies):
        raise BadModel(
            f"{place}: @{stated.kind}({stated.applies!r}) asks no function; write one of the context, or leave it out"
        )
    if stated.kind not in _STATES:
        raise BadModel(f"{place}: no property is of kind {stated.kind!r}; declare it with one of {', '.join(_STATES)}")
    context = "context" if hasattr(module, "Context") else "scope"
    wanted = (*_STATES[stated.kind], context, *(("number", "request") if stated.of_one else ()))
    names = list(inspect.signature(stated.written).parameters)
    if len(names) != len(wanted):
        called = stated.written.__name__
        asked = "each request" if stated.of_one else "a step" if stated.of_steps else "a state"
        raise BadModel(
            f"{place}: @{stated.kind}({'each=...' if stated.of_one else ''}) is asked of {asked}, and {called} takes "
            f"({', '.join(names)}); write def {called}({', '.join(wanted)})"
        )


def _refuse_each(module: ModuleType, stated: Property, requests: object) -> None:
    """Raise BadModel where a property of each request would be asked of none, whatever the state is."""
    place = f"{_place(module, stated.written)}: {stated.name} is stated of each request"
    records = requests.elements if isinstance(requests, Array) else [None]
    phases = [record.fields.get("phase") if isinstance(record, Record) else None for record in records]
    numbers = [phase for phase in phases if isinstance(phase, Leaf)]
    if len(numbers) < len(records):
        raise BadModel(
            f"{place}, and the state has no Vector `requests` of records with a number `phase`; leave each= out, and "
            "write a loop"
        )
    for wanted in stated.each or (None,):
        if not isinstance(wanted, int) or not all(phase.low <= wanted <= phase.high for phase in numbers):
            raise BadModel(
                f"{place} in phase {wanted}, which none is ever in; write each= with what `phase` may be, or a tuple"
            )


def _refuse_odd_function(module: ModuleType, function: object, what: str) -> None:
    if not isinstance(function, FunctionType):
        raise BadModel(f"{_place(module, function)}: what an {what} is made of is {function!r}; write a def")
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is not parameter.POSITIONAL_OR_KEYWORD or parameter.default is not parameter.empty:
            raise BadModel(
                f"{_place(module, function)}: the parameter {parameter} of {function.__name__} is no plain one; "
                "write its name alone"
            )
    if inspect.isgeneratorfunction(function) or inspect.iscoroutinefunction(function):
        raise BadModel(f"{_place(module, function)}: {function.__name__} is no plain function; write no yield")


def unlisted(module: ModuleType) -> dict[str, str]:
    """Return what a model's file declares and lists nowhere, so that nothing asks for it, each with its place."""
    listed = [*module.actions, *module.properties]
    declared = [each for each in vars(module).values() if isinstance(each, (Action, Property))]
    functions = {each.name: getattr(each, "written", each.function) for each in declared if each not in listed}
    here = {name: function for name, function in functions.items() if function.__module__ == module.__name__}
    return {name: _place(module, function) for name, function in here.items()}


def _refuse_doubles(module: ModuleType) -> None:
    """Raise BadModel where a name stands for two actions or two properties."""
    for what, listed in (("actions", module.actions), ("properties", module.properties)):
        counted = Counter(each.name for each in listed)
        for name, times in counted.items():
            places = [_place(module, getattr(each, "written", each.function)) for each in listed if each.name == name]
            if times > 1:
                raise BadModel(
                    f"{places[-1]}: two of the {what} are called {name}, the other at {places[0]}; rename one, "
                    "or list it once"
                )
            if what == "properties" and name == WELL_FORMED:
                raise BadModel(f"{places[0]}: every model has a property {name} already; rename this one")


def _refuse_choices(module: ModuleType, action: Action, name: str, choice: Choices, scope: object) -> None:
    """Raise BadModel where a parameter's values are none that a search could try."""
    place = f"{_place(module, action.function)}: the choices of {name} of {action.name}"
    values, again = (_call(module, choice, scope) for _ in range(2))
    if isinstance(values, (str, bytes, dict)) or not isinstance(values, Iterable):
        raise BadModel(f"{place} are {values!r}; return a range or a tuple of numbers")
    if isinstance(values, range) and values == again:
        return
    listed, relisted = _call(module, first_few, values), _call(module, first_few, again)
    if listed != relisted:
        raise BadModel(f"{place} are others when they are asked for again; make them anew in each call")
    if len(listed) > MOST_CHOICES:
        raise BadModel(f"{place} are more than {MOST_CHOICES}; make the scope smaller")
    kinds = {_kind(value) for value in listed}
    if len(kinds) > 1 or not kinds <= {"number", "truth", "tuple"}:
        usual = kinds & {"number", "truth", "tuple"} and _kind(listed[0])
        odd = next(value for value in listed if _kind(value) == "else" or _kind(value) != usual)
        raise BadModel(f"{place} have {odd!r} in them; let all be numbers, all True or False, or all tuples of these")


def _kind(value: object) -> str:
    if isinstance(value, tuple) and all(_kind(part) in ("number", "truth") for part in value):
        return "tuple"
    if type(value) is bool:
        return "truth"
    return "number" if type(value) is int and -(2**62) <= value <= 2**62 else "else"


def _refuse_sorts(module: ModuleType, scope: DataclassInstance) -> None:
    """Raise BadModel where `symmetric` names what is no sort of this scope."""
    sorts = getattr(module, "symmetric", ())
    if not isinstance(sorts, (tuple, list)) or not all(isinstance(sort, str) for sort in sorts):
        raise BadModel(f'{module.__file__}: `symmetric` is {sorts!r}; write a tuple of names: symmetric = ("n",)')
    for sort in sorts:
        size = getattr(scope, sort, None)
        if type(size) is not int or size < 1 or sorts.count(sort) > 1:
            names = [field.name for field in dataclasses.fields(scope) if field.name not in sorts]
            raise BadModel(
                f"{module.__file__}: `symmetric` names {sort!r}, and the scope has {size!r} of it; name each once, "
                f"a field of Scope that counts its members from 1 on (it has {', '.join(names) or 'no other field'})"
            )


def _settings(module: ModuleType, text: str) -> DataclassInstance:
    """Return the scope of a user's model from words `name=value`; raises BadModel."""
    known = {item.name for item in dataclasses.fields(module.Scope)}
    values = {}
    for word in text.split():
        found = _SETTING.fullmatch(word)
        if found is None or found[1] not in known:
            raise BadModel(f"--set {word}: write NAME=NUMBER with a name out of {', '.join(sorted(known)) or '(none)'}")
        values[found[1]] = int(found[2])
    missing = [
        item.name
        for item in dataclasses.fields(module.Scope)
        if item.init and item.default is item.default_factory is dataclasses.MISSING
    ]
    if missing:
        raise BadModel(f"{module.__file__}: {missing[0]} of Scope has no default; write one: {missing[0]}: int = 1")
    scope: DataclassInstance = _call(module, lambda: module.Scope(**values))
    return scope
