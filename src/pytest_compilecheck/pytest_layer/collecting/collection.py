"""Reads the contracts of tests when they are collected."""

from __future__ import annotations

import inspect
import linecache
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from pytest_compilecheck.contract.faults import ContractError, Fault, Place, did_you_mean
from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.contract.read import POSITIONAL, Layer, read_contract
from pytest_compilecheck.decorator import contracts_of
from pytest_compilecheck.observe.running.parameters import optional_names
from pytest_compilecheck.pytest_layer import settings
from pytest_compilecheck.pytest_layer.collecting.contract_item import ContractItem
from pytest_compilecheck.pytest_layer.collecting.unheld import (
    MARK,
    is_name_of_test,
    place_of_mark,
    refuse,
    refuse_hidden,
    refuse_without_test,
)
from pytest_compilecheck.pytest_layer.extra_bounds import names_for
from pytest_compilecheck.pytest_layer.hidden import function_of, hidden_from_test, marks_on
from pytest_compilecheck.pytest_layer.installed import compile_keywords, torch_version

_CONTRACT = pytest.StashKey[tuple[list[int], Contract | None]]()
# On the collector of a test: its name to the names that pytest makes for it.
_KNOWN = pytest.StashKey[dict[str, set[str] | None]]()


def prepare(metafunc: pytest.Metafunc) -> None:
    """Check the contracts of a test function, and take over the arguments that they make."""
    definition = metafunc.definition
    function, place = definition.obj, _place_of(definition)
    unfit = _unfit(function)
    if unfit is not None:
        refuse(definition.name, [Fault(unfit, place)])
    layers = [*_layers(definition), *_decorator_layers(function)]
    arguments = _arguments(definition, function)
    known = _known_names(metafunc)
    assert definition.parent is not None
    definition.parent.stash.setdefault(_KNOWN, {})[definition.name] = known
    made: set[str] = set()
    for marks in _parameter_marks(metafunc):
        every = [*layers, *(_layer(mark, place) for mark in marks)]
        if len(every) > len(default_layer(definition.config)):
            try:
                contract = _read(definition, every, arguments, known)
            except ContractError as error:
                raise pytest.fail.Exception(str(error), pytrace=False) from None
            made |= contract.trace.steps[0].inputs.keys()
    faults = [Fault(_TWICE.format(name), place) for name in sorted(made & _parametrized(metafunc))]
    faults += [Fault(_ASKED.format(*asked), place) for asked in _asked_by_fixtures(metafunc, made)]
    if faults:
        refuse(definition.name, faults)
    asked = [p.name for p in arguments if p.name in made and p.default is p.empty]
    if asked:  # the plugin makes these: pytest shall look for no fixture of that name
        nothing = pytest.param(*[None] * len(asked), id=pytest.HIDDEN_PARAM)
        metafunc.parametrize(asked, [nothing])


def check_test_case(node: pytest.Class) -> None:
    """Refuse what a unittest class cannot keep of its contracts; `watch_only` it can."""
    refuse_without_test(node, node.name, node.obj)
    around = _layers(node)  # pytest reads the marks of a class when it is asked for its `obj`
    for name, function in _methods(node.obj):
        hidden = hidden_from_test(function, name)
        if hidden is not None:
            refuse_hidden(f"{node.name}.{name}", hidden)
        marks = [
            _layer(mark, place_of_mark(function) or _place_of(node)) for mark in marks_on(function)
        ]
        layers = [*around, *marks, *_decorator_layers(function)]
        if len(layers) == len(default_layer(node.config)):
            continue
        subject = f"{node.name}.{name}"
        fields = {key: value for layer, _ in layers for key, value in layer.items()}
        if fields.get("watch_only") is not True:
            refuse(subject, [layers[-1][1].fault(None, _UNITTEST)])
        try:
            _read(node, layers, (), None, subject=subject)
        except ContractError as error:
            raise pytest.fail.Exception(str(error), pytrace=False) from None


def _methods(kind: type) -> Iterator[tuple[str, Any]]:
    """What a class has under the names of tests, as it is: nothing is bound, no code runs."""
    found = {name: value for base in reversed(kind.__mro__) for name, value in vars(base).items()}
    return ((name, function_of(found[name])) for name in sorted(found) if is_name_of_test(name))


def contract_of(item: pytest.Item) -> Contract | None:
    """The contract of a collected item, marks of its parameters included.

    One that came after collection, by `add_marker`, may have faults: they fail the item once.
    """
    if isinstance(item, ContractItem):
        return item.contract
    if not isinstance(item, pytest.Function) or not has_contract(item):
        return None
    function, layers = item.obj, _layers_of_item(item)
    written = [id(mark) for node in item.listchain() for mark in node.own_markers]
    if _CONTRACT not in item.stash or item.stash[_CONTRACT][0] != written:
        arguments = _arguments(item, function) if not is_unittest(item) else ()
        known = item.parent.stash.get(_KNOWN, {}) if item.parent is not None else {}
        name = getattr(item, "originalname", item.name)
        item.stash[_CONTRACT] = written, None
        try:
            item.stash[_CONTRACT] = written, _read(item, layers, arguments, known.get(name))
        except ContractError as error:
            raise pytest.fail.Exception(str(error), pytrace=False) from None
    return item.stash[_CONTRACT][1]


def has_contract(item: pytest.Item) -> bool:
    """Whether an item has a contract, by its marks alone: nothing is read, nothing can fail."""
    if not isinstance(item, pytest.Function):  # add_marker may have marked a doctest, or a file
        return isinstance(item, ContractItem)
    return len(_layers_of_item(item)) > len(default_layer(item.config))


def refuse_backend(item: pytest.Item, name: str, known: Iterable[str]) -> None:
    """Fail an item whose backend torch does not know, at the place that names it."""
    message = no_backend(name, known)
    place = _place_of_backend(item, name)
    if place is None:
        message = f"{message} (from --compilecheck-backend, or its ini twin)"
    refuse(getattr(item, "originalname", item.name), [Fault(message, place)])


def no_backend(name: str, known: Iterable[str]) -> str:
    """For a message: torch does not know a backend."""
    message = f"backend: torch knows no backend {name!r}{did_you_mean(name, known)}"
    return f"{message}: give the name of one that is registered when the test runs, or a callable"


def _place_of_backend(item: pytest.Item, name: str) -> Place | None:
    if isinstance(item, ContractItem):
        return item.place_of("backend") if item.contract.backend == name else None
    assert isinstance(item, pytest.Function)
    named = [place for layer, place in _layers_of_item(item) if layer.get("backend") == name]
    return next((place for place in reversed(named) if isinstance(place, Place)), None)


def is_unittest(item: pytest.Item) -> bool:
    """Whether the item is a method of a `unittest.TestCase`."""
    bases = getattr(getattr(item, "cls", None), "__mro__", ())
    return any(base.__module__ == "unittest.case" for base in bases)


_UNITTEST = (
    "unittest calls its methods itself, without arguments: only watch_only=True works here. "
    "Make it a pytest function for a trace or for compiles=, or add watch_only=True and call "
    "torch.compile in the test"
)

_ASKED = (
    "the fixture {0!r} asks for {1!r}, which the contract makes anew for each step: "
    "ask for it in the test only"
)
_TWICE = (
    "{0!r} is made by the contract and parametrized too: leave it out of one of them, "
    "or write the cases as steps of the trace"
)


def _unfit(function: Any) -> str | None:
    """Why a function can have no contract, or None."""
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        return (
            "an async function cannot be compiled: mark a function that runs the model, "
            "or let the test await one that is"
        )
    if getattr(function, "is_hypothesis_test", False):
        return (
            "hypothesis draws other inputs in each run, and a contract needs a fixed trace: "
            "write the cases as `shapes` or `values`, or move the contract to a test without @given"
        )
    return None


def _read(
    node: pytest.Item | pytest.Collector,
    layers: list[Layer],
    arguments: Iterable[inspect.Parameter],
    known: set[str] | None,
    subject: str | None = None,
) -> Contract:
    parameters = tuple(arguments)
    named = subject or getattr(node, "originalname", None) or node.name
    return read_contract(
        layers,
        subject=named,
        arguments=[parameter.name for parameter in parameters],
        fixtures=known,
        compile_keywords=compile_keywords(),
        torch_version=torch_version(),
        optional=optional_names(parameters),
        extra_bounds=names_for(layers, node, named),
    )


def _layers(node: pytest.Item | pytest.Collector) -> list[Layer]:
    """Project defaults and marks, the farthest first; marks of parameters are no part of it."""
    of_parameters = {id(mark) for mark in getattr(getattr(node, "callspec", None), "marks", ())}
    marks = [
        _layer(mark, _place_of(owner))
        for owner in node.listchain()
        for mark in owner.own_markers  # of a base class first, then of the class
        if mark.name == "compile_contract" and id(mark) not in of_parameters
    ]
    return [*default_layer(node.config), *marks]


def _layers_of_item(item: pytest.Function) -> list[Layer]:
    marks = _contract_marks(getattr(item, "callspec", None))
    of_parameters = [_layer(mark, _place_of(item)) for mark in marks]
    return [*_layers(item), *_decorator_layers(item.obj), *of_parameters]


def default_layer(config: pytest.Config) -> list[Layer]:
    """The project's own defaults, if it has some."""
    chosen = config.stash[settings.KEY]
    place = Place(*chosen.defaults_place, label="compilecheck_defaults")
    return [(chosen.defaults, place)] if chosen.defaults else []


def _decorator_layers(function: object) -> list[Layer]:
    return list(contracts_of(function))


def _layer(mark: pytest.Mark, place: Place) -> Layer:
    positional = {POSITIONAL: mark.args} if mark.args else {}
    return {**mark.kwargs, **positional}, place


def _place_of(node: Any) -> Place:
    path, line, _ = node.reportinfo() if hasattr(node, "reportinfo") else (node.path, 0, "")
    if isinstance(node, pytest.Module):
        lines = enumerate(linecache.getlines(str(path)))
        line = next((number for number, text in lines if text.startswith("pytestmark")), 0)
    return Place(str(path), (line or 0) + 1, MARK)


def _parameter_marks(metafunc: pytest.Metafunc) -> Iterator[list[pytest.Mark]]:
    """Contracts on the parameters of the items, `pytest.param(..., marks=...)`: each set once."""
    seen = set()
    for call in getattr(metafunc, "_calls", ()) or [None]:
        marks = _contract_marks(call)
        key = tuple(map(id, marks))  # a mark may hold what cannot be compared, e.g. tensors
        if key not in seen:
            seen.add(key)
            yield marks


def _contract_marks(callspec: Any) -> list[pytest.Mark]:
    return [mark for mark in getattr(callspec, "marks", ()) if mark.name == "compile_contract"]


def _arguments(node: pytest.Item, function: Any) -> list[inspect.Parameter]:
    """Parameters that somebody must fill; those that mock.patch fills are not among them."""
    parameters = [
        parameter
        for parameter in inspect.signature(function).parameters.values()
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]
    info = getattr(node, "_fixtureinfo", None)
    asked = getattr(info, "argnames", None)
    if asked is None:
        return parameters
    return [p for p in parameters if p.name in asked or p.default is not p.empty]


def _known_names(metafunc: pytest.Metafunc) -> set[str] | None:
    """Names that fixtures or parametrization fill; None where pytest does not tell."""
    fixtures = getattr(metafunc, "_arg2fixturedefs", None)
    if fixtures is None or not hasattr(metafunc, "_calls"):
        return None
    return {"request", *fixtures, *_parametrized(metafunc)}


def _parametrized(metafunc: pytest.Metafunc) -> set[str]:
    calls = getattr(metafunc, "_calls", ())
    return {name for call in calls for name in getattr(call, "params", ())}


def _asked_by_fixtures(metafunc: pytest.Metafunc, made: set[str]) -> list[tuple[str, str]]:
    """Fixtures of the test that ask for an argument of its trace, with the argument."""
    definitions = getattr(metafunc, "_arg2fixturedefs", {})
    return [
        (name, argument)
        for name, candidates in definitions.items()
        for argument in getattr(candidates[-1], "argnames", ())
        if argument in made and name not in made
    ]
