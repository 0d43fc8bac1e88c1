from __future__ import annotations

import enum
import linecache
from collections.abc import Callable
from types import CodeType
from typing import Any

import pytest
from observe.guards.made import no_code, scope
from observe.records import resumed
from torch import nn

from pytest_compilecheck.observe.guards.names import Names, plain_name


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("L['x']", "x"),
        ("L['x'].size()[1]", "x.size(1)"),
        ("L['x'].stride()[0]", "x.stride(0)"),
        ("L['not an identifier']", "L['not an identifier']"),
        ("G['GAIN']", "GAIN"),
        ("G['__builtins_dict___4']['len']", "len"),
        ("G['__import_torch_dot_nn_dot_functional'].relu", "torch.nn.functional.relu"),
        ("___from_numpy(L['a']).size()[0]", "a.size(0)"),
        ("___as_tensor(L['a'])", "a"),
        ("dict.__getitem__(L['d'], 'a')", "d['a']"),
        ("list.__getitem__(L['d'], 2)", "d[2]"),
        ("___odict_getitem(L['d'], 'a')", "d['a']"),
        ("___tuple_iterator_getitem(L['i'], 1)", "i[1]"),
        ("___tuple_iterator_len(L['i'])", "len(i)"),
        ("list(dict.keys(L['d']))[0]", "list(d)[0]"),
        ("dict(type(L['c']).__dict__)['mode']", "type(c).mode"),
        ("type(L['c']).__mro__[1].__dict__['mode']", "type(c).mode"),
        ("L['self']._parameters['w'].size()[0]", "self.w.size(0)"),
        ("L['self']._buffers['mean']", "self.mean"),
        ("L['self'].__dict__['step']", "self.step"),
        ("object.__getattribute__(L['self'].config, 'kind')", "self.config.kind"),
        ("L['self']._modules['layers']._modules['0'].step", "self.layers[0].step"),
        ("L['self']._modules['heads']._modules['a-b']", "self.heads['a-b']"),
        ("L['f'].__func__.__code__", "f"),
        ("L['c'].__dict__", "c"),
        ("2 <= L['x'].size()[0] <= 10", "2 <= x.size(0) <= 10"),
        ("L['y'].size()[0] == 2*L['x'].size()[0]", "y.size(0) == 2*x.size(0)"),
    ],
)
def test_the_name_that_the_text_alone_tells(source: str, name: str) -> None:
    assert plain_name(source) == name


class Kind(enum.Enum):
    """Keys of a dict."""

    A = 1


def by(factor: int, offset: int) -> Callable[[int], int]:
    def inner(x: int) -> int:
        return x * factor + offset

    return inner


def outer(function: Callable[[int], int]) -> Callable[[int], int]:
    return lambda x: function(x)  # noqa: PLW0108 - the closure is what is tested


def scale(x: int, k: int = 2, m: int = 1, *, j: int = 3, i: int = 4) -> int:
    return x * k * m * j * i


class Holder:
    """Functions as attributes."""

    scale = staticmethod(scale)
    by = staticmethod(by(2, 3))


MODEL = nn.ModuleDict({"2": nn.ModuleList([nn.Linear(2, 2)]), "a": nn.Sequential(nn.ReLU())})
SCOPE = scope(
    f=by(2, 3),
    outer=outer(by(2, 3)),
    scale=scale,
    h=Holder(),
    d={Kind.A: 1, "k": 2},
    self=MODEL,
    layer=nn.Linear(2, 2),
)


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("L['f'].__closure__[0].cell_contents", "factor"),
        ("L['f'].__closure__[1].cell_contents.size()[0]", "offset.size(0)"),
        ("L['h'].by.__closure__[1].cell_contents", "offset"),
        ("L['outer'].__closure__[0].cell_contents.__closure__[1].cell_contents", "offset"),
        ("L['scale'].__defaults__[0]", "scale's default of k"),
        ("L['scale'].__defaults__[1]", "scale's default of m"),
        ("L['scale'].__kwdefaults__['i']", "scale's default of i"),
        ("L['h'].scale.__defaults__[0].n", "scale's default of k.n"),
        ("L['self']._modules['2']._modules['0'].training", "self['2'][0].training"),
        ("L['self']._modules['a']._modules['0']", "self.a[0]"),
        ("L['self']._modules", "self"),
        ("L['self']._modules['2']._modules", "self['2']"),
        ("L['layer']._modules", "layer._modules"),
        ("L['self']._modules['a']._modules['7']", "self.a[7]"),
        ("L['d'][list(dict.keys(L['d']))[0]]", "d[Kind.A]"),
        ("L['d'][list(dict.keys(L['d']))[1]].n", "d['k'].n"),
        # What is not there any more keeps the name that its text has.
        ("L['gone'].__closure__[0].cell_contents", "gone.__closure__[0].cell_contents"),
        ("L['f'].__closure__[9].cell_contents", "f.__closure__[9].cell_contents"),
        (
            "L['outer'].__closure__[0].cell_contents.__closure__[9].cell_contents",
            "function.__closure__[9].cell_contents",
        ),
        ("L['d'][list(dict.keys(L['d']))[7]]", "d[list(d)[7]]"),
    ],
)
def test_the_name_of_what_is_there(source: str, name: str) -> None:
    assert Names(no_code.__code__, SCOPE).of(source) == name


def capturing(captured: int) -> Callable[[], int]:
    return lambda: captured


@pytest.mark.parametrize(
    ("source", "holder"),
    [
        ("L['d']['k']", "argument"),
        ("L['d']", "argument"),
        ("L['self']", "argument"),
        ("L['self'].training", "module"),
        ("L['self']._modules['2']._modules['0']", "module"),
        ("L['layer'].weight.size()[0]", "module"),
        ("type(L['layer']).__dict__['forward']", "module"),
        ("dict(type(L['layer']).__dict__)['forward']", "module"),
        ("list(dict.keys(L['self']._modules))[0]", "module"),
        ("L['f'].__closure__[0].cell_contents", "closure"),
        ("L['captured']", "closure"),
        ("G['GAIN']", "global"),
        ("G['__import_torch_dot_nn'].x", "process"),
        ("L", "process"),
        ("___get_torch_function_mode_stack_at(0)", "process"),
        ("2 <= L['d']['k']", "argument"),
        ("len(L['gone'])", "argument"),
    ],
)
def test_where_a_value_lives(source: str, holder: str) -> None:
    assert Names(capturing(1).__code__, SCOPE).holder(source) == holder


def test_what_a_broken_line_left_is_named_by_its_line(tmp_path: Any) -> None:
    file = tmp_path / "model.py"
    file.write_text("def forward(x):\n    y = x.item()\n    return y\n")
    linecache.checkcache(str(file))
    rest = resumed("forward", 2, file=str(file))
    name = "<result of line 2: y = x.item()>"
    assert Names(rest, SCOPE).of("L['___stack0']") == name
    assert Names(rest, SCOPE).of("L['___stack12'].size()[0]") == f"{name}.size(0)"


@pytest.mark.parametrize(
    ("code", "name"),
    [
        (resumed("forward", 12, file="/not/there.py"), "<result of line 12>"),
        (no_code.__code__, "___stack0"),
    ],
)
def test_what_a_line_left_that_is_not_known(code: CodeType, name: str) -> None:
    assert Names(code, SCOPE).of("L['___stack0']") == name
