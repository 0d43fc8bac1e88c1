"""Objects of modules that answer anything, or raise, when they are looked at in a collection."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from textwrap import dedent

import pytest

from pytest_layer.projects import Project

HEAD = """
import functools, types
from unittest import TestCase, mock

class dotdict(dict):
    __getattr__ = dict.get

class Raising:
    def __getattr__(self, name): raise RuntimeError(name)

class RaisingAlways(list):
    def __getattribute__(self, name): raise RuntimeError(name)
    def __call__(self): pass

class Deceiving:
    @property
    def __class__(self): raise RuntimeError("class")
    @property
    def __dict__(self): raise RuntimeError("dict")
    def __eq__(self, other): raise RuntimeError("eq")
    def __hash__(self): raise RuntimeError("hash")
    def __bool__(self): raise RuntimeError("bool")
    def __iter__(self): raise RuntimeError("iter")
    def __len__(self): raise RuntimeError("len")

class AttrDict(dict):
    def __init__(self, **given):
        super().__init__(**given)
        self.__dict__ = self
    def values(self): raise RuntimeError("values")
    def get(self, name, default=None): raise RuntimeError("get")

class LazyModule(types.ModuleType):
    def __getattr__(self, name): raise ImportError(name)

class Called:
    def __call__(self): pass
    def __getattr__(self, name): return None

class Meta(type):
    def __getattr__(self, name): return None

def close(value):
    return lambda: value

itself = types.SimpleNamespace()
itself.it = itself
"""
OBJECTS = {
    "a dict with attributes": "dotdict(a=1)",
    "a dict that is its own attributes": "AttrDict(a=1)",
    "a mock": "mock.MagicMock()",
    "a mock of a class": "mock.MagicMock(spec=type)",
    "an object that raises": "Raising()",
    "an object that always raises": "RaisingAlways()",
    "an object that deceives": "Deceiving()",
    "a lazy module": "LazyModule('lazy')",
    "a callable object that answers None": "Called()",
    "a class that answers None": "Meta('C', (), {})",
    "a partial function of one": "functools.partial(Called())",
    "a function that holds one": "close(Raising())",
    "a function that holds a mock": "close(mock.MagicMock())",
    "a method of one": "types.MethodType(Called(), dotdict())",
    "a namespace that holds itself": "itself",
}
LIBRARY = """
from pytest_compilecheck import compile_contract

@compile_contract(shapes=[(2, 4)])
def scale(x):
    return x * 2
"""
CYCLES = """
from pytest_compilecheck import compile_contract

class Config:
    @compile_contract(shapes=[(2, 4)])
    def forward(self, x):
        return x * 2

class Model:
    config_class = Config

    class Inner:
        pass

    @compile_contract(shapes=[(2, 4)])
    def forward(self, x):
        return x * 2

Config.model_class = Model.Inner.model_class = Model
"""


@pytest.fixture
def library(project: Project) -> Iterator[str]:
    """The name of a module that the setting names."""
    name = "library_with_objects"
    project.file("pytest.ini", f"[pytest]\npythonpath = .\ncompilecheck_modules = {name}\n")
    yield name
    sys.modules.pop(name, None)


def spread(value: str) -> str:
    """An object in a module, in data, in a class, and as what looks like a test of unittest."""
    return HEAD + dedent(
        f"""
        thing = {value}
        things = [thing, {{"thing": thing}}]
        class Has:
            thing = {value}
        class TestUnit(TestCase):
            test_thing = {value}
            def test_a(self): pass
        """
    )


@pytest.mark.parametrize("what", OBJECTS)
def test_a_suite_without_contracts_is_as_without_the_plugin(project: Project, what: str) -> None:
    project.file("test_it.py", spread(OBJECTS[what]))
    alone = project.run("-p", "no:compilecheck", check=False).parseoutcomes()
    assert alone
    assert project.run(check=False).parseoutcomes() == alone
    assert project.run().parseoutcomes() == alone


@pytest.mark.parametrize("what", OBJECTS)
def test_library_code(project: Project, library: str, what: str) -> None:
    project.file(f"{library}.py", spread(OBJECTS[what]) + LIBRARY)
    project.run().assert_outcomes(passed=1)


def test_classes_that_name_each_other(project: Project, library: str) -> None:
    project.file(f"{library}.py", CYCLES)
    report = project.report(outcomes={"passed": 2})
    found = [each["id"].partition("::")[2] for each in report["contracts"]]
    assert found == ["Config.forward", "Model.forward"]
