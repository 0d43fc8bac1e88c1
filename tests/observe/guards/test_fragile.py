"""What is listed as likely to change, and what is not."""

from __future__ import annotations

import linecache
import math
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
import torch
from observe.guards.made import guard, no_code
from torch import nn
from torch.optim import SGD, Adam
from torch.optim.lr_scheduler import LambdaLR

from pytest_compilecheck.observe.guards.fragile import fragile_guards
from pytest_compilecheck.observe.guards.names import Names
from pytest_compilecheck.observe.guards.paths import full_path, is_library
from pytest_compilecheck.observe.guards.scope import Scope
from pytest_compilecheck.observe.guards.tree import Guard, Tree

HERE = f"# return x  # {__file__}:7 in forward"
IN_LIBRARY = f"# return x  # {nn.__file__}:7 in forward"


class Counts(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.step = 0
        self.scale = 2.0
        self.cache = {"hits": 0}

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.step += 1
        return x

    def remember(self, hits: int) -> None:
        self.cache = {"hits": hits}


class Config:
    def __init__(self) -> None:
        self.width = 4
        self.mode = "fast"

    def switch(self) -> None:
        self.mode = "safe"

    def reset(self, other: Config) -> None:
        other.width = 8  # of another one


class Nowhere:
    """A class of a module that is not loaded, or has no file."""

    __module__ = "not.loaded"

    def __init__(self) -> None:
        self.width = 4


class Warmup(LambdaLR):
    """A schedule of the author's: its base, which is torch's, counts the steps."""

    def __init__(self, optimizer: SGD) -> None:
        super().__init__(optimizer, lambda step: 1.0)


def sets_gain() -> None:
    global GAIN, TABLE  # noqa: PLW0603 - that is what is looked for
    GAIN = 3.0
    TABLE = {"a": 3}


GAIN = 2.0
LIMIT = 5
TABLE = {"a": 2}

GLOBALS = {
    "GAIN": GAIN,
    "LIMIT": LIMIT,
    "TABLE": TABLE,
    "sets_gain": sets_gain,
    "math": math,
    "helper": no_code,
    "__import_torch_limit": 3,
}
ADAM = Adam([nn.Parameter(torch.ones(2))], lr=0.25)
LOCALS: dict[str, Any] = {
    "self": Counts(),
    "config": Config(),
    "n": 3,
    "name": "a",
    "flag": True,
    "x": torch.ones(2),
    "act": math.sqrt,
    "made": lambda: None,
    "kind": Config,
    "module": math,
    "layer": nn.Linear(2, 2),
    "optimizer": Config(),
    "adam": ADAM,
    "warmup": Warmup(SGD([nn.Parameter(torch.ones(2))], lr=0.5)),
    "nowhere": Nowhere(),
}


def equals(source: str, behind: str = HERE) -> Guard:
    return guard("EQUALS_MATCH", source, f"{source} == 0  {behind}")


def same(source: str, behind: str = HERE) -> Guard:
    return guard("ID_MATCH", source, f"___check_obj_id({source}, 7)  {behind}")


def listed(*guards: Guard, code: Any = no_code.__code__) -> list[tuple[str, str, str, int]]:
    scope = Scope({"L": LOCALS, "G": GLOBALS})
    return [
        (found.source, found.value, found.holder, found.rank)
        for found in fragile_guards(Tree(guards, ()), scope, Names(code, scope))
    ]


def captures() -> Callable[[], Any]:
    n = 3
    return lambda: n


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (equals("L['self'].step"), ("self.step", "0", "module", 0)),
        (equals("L['self'].cache['hits']"), ("self.cache['hits']", "0", "module", 0)),
        (equals("L['config'].mode"), ("config.mode", "'fast'", "argument", 0)),
        (equals("G['GAIN']"), ("GAIN", "2.0", "global", 0)),
        (equals("L['n']"), ("n", "3", "argument", 1)),
        (equals("L['name']"), ("name", "'a'", "argument", 1)),
        (same("L['flag']"), ("flag", "True", "argument", 1)),
        (same("L['made']"), ("made", "function <lambda>", "argument", 1)),
        (equals("L['config'].width"), ("config.width", "4", "argument", 2)),
        (equals("G['LIMIT']"), ("LIMIT", "5", "global", 3)),
        (equals("L['self'].scale"), ("self.scale", "2.0", "module", 4)),
        (equals("G['TABLE']['a']"), ("TABLE['a']", "2", "global", 0)),
        # What a schedule sets.
        (
            equals("L['adam'].param_groups[0]['lr']"),
            ("adam.param_groups[0]['lr']", "0.25", "argument", 1),
        ),
        (
            equals("L['adam'].param_groups[0]['betas'][0]"),
            ("adam.param_groups[0]['betas'][0]", "0.9", "argument", 1),
        ),
        # What torch's own classes do is not searched for what they assign.
        (equals("L['warmup'].last_epoch"), ("warmup.last_epoch", "0", "argument", 2)),
        (equals("L['nowhere'].width"), ("nowhere.width", "4", "argument", 2)),
    ],
)
def test_what_is_likely_to_change(made: Guard, expected: tuple[str, str, str, int]) -> None:
    assert listed(made) == [expected]


def test_a_captured_number_is_one_of_the_closure() -> None:
    expected = ("n", "3", "closure", 3)
    assert listed(equals("L['n']"), code=captures().__code__) == [expected]


@pytest.mark.parametrize(
    "made",
    [
        # Guards of another kind, and what is not there.
        guard("TENSOR_MATCH", "L['x']", f"check_tensor(L['x'], Tensor)  {HERE}"),
        guard("TYPE_MATCH", "L['n']", f"___check_type_id(L['n'], 7)  {HERE}"),
        equals("L['gone']"),
        # What comes with every graph, or says the same as another guard.
        equals("L['self'].training"),
        equals("list(dict.keys(L['config'].__dict__))[0]"),
        same("type(L['config'])"),
        same("L['made'].__code__"),
        same("L['made'].__defaults__"),
        same("L['config'].__class__"),
        same("G['__builtins_dict__1']['len']"),
        equals("L['layer']._forward_hooks"),
        # Objects that stay the same in a program.
        same("L['kind']"),
        same("L['module']"),
        same("L['act']"),
        same("L['layer']"),
        same("G['math'].sqrt"),
        same("G['helper']"),
        # What the code of a library needs: its own constants and the objects that it works on.
        equals("G['LIMIT']", IN_LIBRARY),
        same("L['optimizer']", IN_LIBRARY),
        # Settings of an optimizer that no schedule changes.
        equals("L['adam'].param_groups[0]['eps']"),
        equals("L['adam'].defaults['lr']"),
        # Modes of the process.
        equals("___get_torch_function_mode_stack_at(0)"),
        equals("G['__import_torch_limit']"),
    ],
    ids=lambda made: f"{made.kind} {made.source}",
)
def test_what_is_not_listed(made: Guard) -> None:
    """What comes behind it in the tree is."""
    assert listed(made, equals("L['n']")) == [("n", "3", "argument", 1)]


def test_why_a_captured_number_is_likely() -> None:
    scope = Scope({"L": LOCALS, "G": GLOBALS})
    names = Names(captures().__code__, scope)
    [found] = fragile_guards(Tree((equals("L['n']"),), ()), scope, names)
    assert found.why == "a captured value: each new one rebuilds"


def test_an_argument_that_a_library_needs_as_a_number_is_listed() -> None:
    assert listed(equals("L['n']", IN_LIBRARY)) == [("n", "3", "argument", 1)]


def test_the_most_likely_come_first_and_else_the_order_stays() -> None:
    sources = ["L['self'].scale", "G['LIMIT']", "L['n']", "L['self'].step", "L['name']"]
    names = [name for name, *_ in listed(*map(equals, sources))]
    assert names == ["self.step", "n", "name", "LIMIT", "self.scale"]


def why(made: Guard) -> str:
    scope = Scope({"L": LOCALS, "G": GLOBALS})
    [found] = fragile_guards(Tree((made,), ()), scope, Names(no_code.__code__, scope))
    return found.why


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("L['self'].step", "Counts.forward assigns it: each new value rebuilds"),
        ("L['self'].cache['hits']", "Counts.remember assigns it: each new value rebuilds"),
        ("L['config'].mode", "Config.switch assigns it: each new value rebuilds"),
        ("G['GAIN']", "sets_gain assigns it: each new value rebuilds"),
        ("L['n']", "it comes from an argument: another one rebuilds"),
        ("L['config'].width", "it is in an argument: another value rebuilds"),
        ("G['LIMIT']", "a module-level value: each new one rebuilds"),
        (
            "L['adam'].param_groups[0]['lr']",
            "a setting of the optimizer: a schedule changes it",
        ),
        ("L['self'].scale", "an attribute of Counts: a new value rebuilds"),
    ],
)
def test_why_it_is_likely(source: str, told: str) -> None:
    assert why(equals(source)) == told


@pytest.mark.parametrize(
    ("behind", "place"), [(HERE, (__file__, 7)), ("", (None, None))], ids=["told", "not told"]
)
def test_the_line_that_uses_it(behind: str, place: tuple[str | None, int | None]) -> None:
    scope = Scope({"L": LOCALS, "G": GLOBALS})
    tree = Tree((equals("L['n']", behind),), ())
    [found] = fragile_guards(tree, scope, Names(no_code.__code__, scope))
    assert (found.file, found.line) == place


# Classes of an installed package: only what a call itself assigns is likely to change.


@pytest.fixture
def of_library(monkeypatch: pytest.MonkeyPatch) -> type[nn.Module]:
    package = ModuleType("installed")
    package.__file__ = "/env/site-packages/installed/__init__.py"
    monkeypatch.setitem(sys.modules, "installed", package)

    class Model(nn.Module):
        __module__ = "installed"

        def __init__(self) -> None:
            super().__init__()
            self.width, self.step, self.mode = 4, 0, "fast"

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            self.step += 1
            return x

        def set_mode(self, mode: str) -> None:
            self.mode = mode

    return Model


def test_of_a_librarys_model_only_what_forward_assigns(
    of_library: type[nn.Module], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(LOCALS, "self", of_library())
    sources = ["L['self'].width", "L['self'].mode", "L['self'].step"]
    assert listed(*map(equals, sources)) == [("self.step", "0", "module", 0)]


# Files.


@pytest.mark.parametrize(
    ("file", "library"),
    [
        (nn.__file__, True),
        (linecache.__file__, True),
        (__file__, False),
        ("/env/site-packages/einops/einops.py", True),
        ("/project/model.py", False),
    ],
)
def test_whose_a_file_is(file: str, library: bool) -> None:
    assert is_library(file) is library


@pytest.mark.parametrize("file", [nn.__file__, __file__, "/not/there.py"])
def test_a_file_that_torch_names_in_full_keeps_its_path(file: str) -> None:
    assert full_path(file) == file


def test_a_file_that_torch_shortened_is_found_again() -> None:
    """torch names a file without what it has in common with torch's own path."""
    assert full_path("nn/__init__.py") == nn.__file__
