"""What is told of the rebuild of one frame: torch's cache and its guards made by hand."""

from __future__ import annotations

import gc
import weakref
from types import CodeType, SimpleNamespace
from typing import Any

import pytest
import torch
from observe.guards.made import Manager, guard, no_code
from torch import nn

from pytest_compilecheck.observe import torch_adapter
from pytest_compilecheck.observe.events import Reason
from pytest_compilecheck.observe.guards.explain import Explainer, FrameGuards
from pytest_compilecheck.observe.guards.tree import Guard
from pytest_compilecheck.observe.values.cures import GUARDS_HOLD_NOW
from pytest_compilecheck.observe.values.recompile import Change

GAIN = 2.0
LAYER = nn.Linear(2, 2)
ones = torch.ones


def scaled(x: float, scale: float = 2.0) -> float:
    return x * scale


def at_hand(**local: Any) -> Any:
    """A frame that Dynamo is about to look at."""
    return SimpleNamespace(f_code=no_code.__code__, f_locals=local, f_globals=globals())


def tensor(name: str, size: str) -> Guard:
    source = f"L['{name}']"
    text = (
        f"check_tensor({source}, Tensor, DispatchKeySet(CPU, AutogradCPU), torch.float32, "
        f"device=None, requires_grad=False, size=[{size}], stride=[1])"
    )
    return guard("TENSOR_MATCH", source, text)


def equals(source: str, value: object) -> Guard:
    return guard("EQUALS_MATCH", source, f"{source} == {value!r}  # f  # model.py:3 in f")


class Graph:
    """A cached graph: torch's entry for it, by the compile id "0/0"."""

    def __init__(self, *guards: Guard, relations: tuple[Guard, ...] = ()) -> None:
        children = {
            f"FrameLocalsGuardAccessor({number})": Manager(each.source, (each,))
            for number, each in enumerate(guards)
        }
        self.compile_id = "0/0"
        self.code = compile("0", "graph", "eval")
        root = Manager("", (), children, relations=relations)
        self.guard_manager = SimpleNamespace(root=root, closure_vars=None, global_scope=None)


@pytest.fixture
def cached(monkeypatch: pytest.MonkeyPatch) -> list[Graph]:
    """The entries that torch has for the code of the frame."""
    entries: list[Graph] = []

    def cache_entry(code: CodeType, compile_id: str) -> Graph | None:
        assert code is no_code.__code__
        return next((each for each in entries if each.compile_id == compile_id), None)

    monkeypatch.setattr(torch_adapter, "cache_entry", cache_entry)
    return entries


def told(guards: FrameGuards) -> list[tuple[str, str, str, str]]:
    return [(each.cause, each.source, each.expected, each.actual) for each in guards.changes()]


def explained(text: str, entries: list[Graph], *graphs: Graph, **local: Any) -> list[str]:
    """The sources of what is told where the first graph failed by a text of torch's."""
    entries.extend(graphs)
    frame = Explainer().of(at_hand(**local))
    frame.explain([Reason("0/0", text)])
    return [change.source for change in frame.changes()]


def test_a_graph_tells_what_it_assumes_in_the_authors_names() -> None:
    graph = Graph(tensor("x", "4, None"), equals("G['GAIN']", GAIN), equals("L['n']", 3))
    facts = Explainer().of(at_hand(x=ones(4, 5), n=3)).compiled(graph)
    assert facts is not None
    assert facts.sizes == {"x": (4, None)}
    assert [each.source for each in facts.fragile] == ["n", "GAIN"]


def test_a_graph_that_cannot_be_read_tells_nothing() -> None:
    graph = Graph()
    graph.guard_manager.root = None
    assert Explainer().of(at_hand()).compiled(graph) is None


def test_a_frame_that_was_not_rebuilt_has_no_changes() -> None:
    assert Explainer().of(at_hand()).changes() == ()


def test_a_name_is_the_authors() -> None:
    frame = Explainer().of(at_hand(x=1))
    assert frame.name("L['x'].size()[0]") == "x.size(0)"
    assert frame.name("G['GAIN']") == "GAIN"
    assert frame.name("G['scaled'].__defaults__[0]") == "scaled's default of scale"
    assert Explainer().of(at_hand(f=scaled)).name("L['f'].__defaults__[0]") == (
        "scaled's default of scale"
    )


def test_a_rebuild_is_told_by_what_its_graph_remembered(cached: list[Graph]) -> None:
    explainer = Explainer()
    source = "L['kind']"
    first = Graph(guard("ID_MATCH", source, f"___check_obj_id({source}, 7)", holds=bool))
    explainer.of(at_hand(kind=len)).compiled(first)
    first.guard_manager.root = Graph(
        guard("ID_MATCH", source, f"___check_obj_id({source}, 7)")
    ).guard_manager.root
    cached.append(first)
    later = explainer.of(at_hand(kind=sum))
    later.explain([Reason("0/0", f"___check_obj_id({source}, 7)")])
    assert told(later) == [("object_identity", "kind", "function len", "function sum")]
    stranger = Explainer().of(at_hand(kind=sum))  # the graph is from before this watch
    stranger.explain([Reason("0/0", f"___check_obj_id({source}, 7)")])
    assert told(stranger) == [("object_identity", "kind", "another object", "function sum")]


def test_modes_are_told_with_those_in_which_the_graph_was_made(cached: list[Graph]) -> None:
    explainer = Explainer()
    graph = Graph(guard("GLOBAL_STATE", "L", "___check_global_state()"))
    explainer.of(at_hand()).compiled(graph)
    cached.append(graph)
    with torch.no_grad():
        frame = explainer.of(at_hand())
        frame.explain([Reason("0/0", "GLOBAL_STATE changed: grad_mode")])
    assert told(frame) == [("global_state", "grad mode", "on", "off")]


def test_what_the_new_graph_makes_a_symbol_is_automatic(cached: list[Graph]) -> None:
    explainer = Explainer()
    cached.append(Graph(tensor("x", "4"), tensor("y", "4")))
    frame = explainer.of(at_hand(x=ones(5), y=ones(6)))
    frame.explain([Reason("0/0", "tensor 'x' size mismatch at index 0. expected 4, actual 5")])
    assert [change.automatic_dynamic for change in frame.changes()] == [False, False]
    frame.compiled(Graph(tensor("x", "None"), tensor("y", "6")))
    assert [change.automatic_dynamic for change in frame.changes()] == [True, False]


def test_the_code_by_which_a_graph_is_known_is_kept() -> None:
    """Else the next graph might be taken for it: it is known by the code's id."""
    explainer, graph = Explainer(), Graph()
    explainer.of(at_hand()).compiled(graph)
    code = weakref.ref(graph.code)
    del graph
    gc.collect()
    assert code() is not None


# Which change is the main one: that which torch names.


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("tensor 'x' size mismatch at index 0. expected 4, actual 5", "x.size(0)"),
        ("tensor 'x' size mismatch at index 1. expected 4, actual 6", "x.size(1)"),
        ("tensor 'xy' size mismatch at index 0. expected 4, actual 5", "xy.size(0)"),
        ("L['n'] == 3  # uses xy  # model.py:3 in f", "n"),
        ("something else", "n"),
    ],
)
def test_the_change_that_torch_names_comes_first(
    text: str, first: str, cached: list[Graph]
) -> None:
    graph = Graph(equals("L['n']", 3), tensor("x", "4, 4"), tensor("xy", "4"))
    changes = explained(text.replace("L['n']", "n"), cached, graph, n=4, x=ones(5, 6), xy=ones(5))
    rest = [each for each in ("n", "x.size(0)", "x.size(1)", "xy.size(0)") if each != first]
    assert changes == [first, *rest]


@pytest.mark.parametrize(
    "text",
    [
        "GLOBAL_STATE changed: grad_mode ",
        "___check_torch_function_mode_stack()",
        "CURRENT_DEVICE == None",
    ],
)
def test_a_mode_comes_first_where_torch_names_one(text: str, cached: list[Graph]) -> None:
    graph = Graph(equals("L['n']", 3), guard("DEFAULT_DEVICE", "L", "check()"))
    assert explained(text, cached, graph, n=4) == ["default device", "n"]


def test_two_names_of_one_tensor_come_first_where_torch_names_them(cached: list[Graph]) -> None:
    x = ones(3)
    same = guard("NO_TENSOR_ALIASING", "L", "check_no_aliasing(L['x'], L['y'])")
    graph = Graph(equals("L['n']", 3), relations=(same,))
    text = "Duplicate tensors found: n"
    assert explained(text, cached, graph, n=4, x=x, y=x) == ["x, y", "n"]


# Where there is only torch's text.


def untold(text: str) -> Change:
    frame = Explainer().of(at_hand(thing=None, layer=LAYER))
    frame.explain([Reason("0/7", text)] if text else [])
    (change,) = frame.changes()
    return change


@pytest.mark.parametrize("text", ["", "BACKEND_MATCH failed"])
def test_another_backend(text: str, cached: list[Graph]) -> None:
    assert untold(text) == Change(
        cause="other",
        holder="process",
        source="backend of torch.compile",
        expected="the same backend function",
        actual="another one",
    )


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("Unexpected recompilation: all guards hold", GUARDS_HOLD_NOW),
        ("new_check(L['x'])   # f(x)  # model.py:3 in f", "new_check(L['x'])"),
    ],
)
def test_torchs_own_text(text: str, source: str, cached: list[Graph]) -> None:
    assert untold(text) == Change(
        cause="other", holder="process", source=source, expected="", actual=""
    )


@pytest.mark.parametrize(
    ("name", "holder", "source"),
    [
        ("L['thing']", "argument", "thing"),
        ("G['GAIN']", "global", "GAIN"),
        ("L['layer'].scale", "module", "layer.scale"),
        ("G['LAYER'].scale", "module", "LAYER.scale"),
    ],
)
def test_an_object_that_is_gone(name: str, holder: str, source: str, cached: list[Graph]) -> None:
    assert untold(f"Cache line invalidated because {name} got deallocated") == Change(
        cause="object_identity",
        holder=holder,  # type: ignore[arg-type]
        source=source,
        expected="the same object",
        actual="another one: the first is gone",
    )


def test_where_nothing_is_found_torchs_text_is_told(cached: list[Graph]) -> None:
    holds = guard("EQUALS_MATCH", "L['n']", "L['n'] == 3", holds=lambda _: True)
    text = "L['n'] == 3  # f  # m.py:1 in f"
    assert explained(text, cached, Graph(holds), n=3) == ["L['n'] == 3"]


def test_what_cannot_be_looked_into_is_told_by_torchs_text(cached: list[Graph]) -> None:
    graph = Graph(equals("L['n']", 3))
    graph.guard_manager.root = None
    assert explained("L['n'] == 3  # f  # m.py:1 in f", cached, graph, n=4) == ["L['n'] == 3"]
