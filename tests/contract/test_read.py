from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compilecheck.contract.bounds import Bound
from pytest_compilecheck.contract.faults import ContractError, Fault, Place
from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.contract.read import POSITIONAL, Layer, read_contract

INI = Place("pytest.ini", 2, "compilecheck_defaults")
MODULE = Place("test_a.py", 3, "pytest.mark.compile_contract")
CLASS = Place("test_a.py", 5, "pytest.mark.compile_contract")
FUNCTION = Place("test_a.py", 7, "@compile_contract")
PLACES = (INI, MODULE, CLASS, FUNCTION)
UNKNOWN_TO_TORCH = "and torch.compile of torch 2.13.0+cpu has no such keyword"
KEYWORDS = ("model", "fullgraph", "dynamic", "backend", "mode", "options", "name", "disable")


def read(*layers: Layer, **settings: Any) -> Contract:
    return read_contract(
        layers,
        **{
            "subject": "test_f",
            "arguments": (),
            "fixtures": frozenset(),
            "compile_keywords": KEYWORDS,
            "torch_version": "2.13.0+cpu",
            **settings,
        },
    )


def faults(*layers: Layer, **settings: Any) -> list[Fault]:
    with pytest.raises(ContractError) as raised:
        read(*layers, **settings)
    assert raised.value.subject == settings.get("subject", "test_f")
    return list(raised.value.faults)


def test_no_layers_and_empty_layers_are_the_defaults() -> None:
    assert read() == read(({}, INI), ({}, FUNCTION)) == Contract()


def test_all_fields() -> None:
    contract = read(
        (
            {
                "shapes": "B S",
                "dims": {"B": 1, "S": [2, 3]},
                "passes": 3,
                "backend": "inductor",
                "mode": "max-autotune",
                "dynamic": True,
                "name": "f",
                "compiles": "model",
                "max_graph_breaks": None,
                "max_recompiles": {"<2.13": 1, ">=2.13": 4},
                "max_recompiles_after_warmup": 0,
                "warmup_calls": 2,
                "min_hit_rate": 0.5,
                "allow_breaks": [{"gb_id": "GB0059", "because": "known"}],
                "owners": ["own"],
                "seed": 7,
                "threads": 1,
            },
            FUNCTION,
        ),
        arguments=("model", "x"),
        fixtures={"model"},
    )
    assert [step.dims for step in contract.trace.steps] == [{"B": 1, "S": 2}, {"B": 1, "S": 3}]
    assert contract.torch_options == {"mode": "max-autotune", "dynamic": True, "name": "f"}
    assert (contract.backend, contract.compiles, contract.passes) == ("inductor", ("model",), 3)
    assert contract.max_graph_breaks == Bound(None)
    assert contract.max_recompiles == Bound(4)
    assert (contract.max_recompiles_after_warmup.at("2.13.0"), contract.warmup_calls) == (0, 2)
    assert contract.min_hit_rate == Bound(0.5)
    assert [rule.gb_id for rule in contract.allow_breaks] == ["GB0059"]
    assert (contract.owners, contract.seed, contract.threads) == (("own",), 7, 1)


FIELD_VALUES = st.fixed_dictionaries(
    {},
    optional={
        "max_graph_breaks": st.integers(0, 9),
        "max_recompiles": st.integers(0, 9),
        "passes": st.integers(1, 9),
        "seed": st.integers(),
    },
)


@given(st.lists(FIELD_VALUES, max_size=4))
def test_the_nearest_layer_wins_field_by_field(layers: list[dict[str, int]]) -> None:
    contract = read(*zip(layers, PLACES, strict=False))
    plain = contract.to_dict()
    for name in ("max_graph_breaks", "max_recompiles", "passes", "seed"):
        given_values = [layer[name] for layer in layers if name in layer]
        assert plain[name] == (given_values[-1] if given_values else Contract().to_dict()[name])


@given(st.permutations(["max_graphs", "seed", "passes", "threads", "max_recompile"]))
def test_all_faults_come_at_once_with_the_place_of_their_layer(order: list[str]) -> None:
    layers = [({name: "x"}, place) for name, place in zip(order, PLACES, strict=False)]
    found = faults(*layers)
    assert {(fault.message.split(":")[0], fault.place) for fault in found} == {
        (name, place) for name, place in zip(order, PLACES, strict=False)
    }


def test_a_faulty_field_that_a_nearer_layer_replaces_does_not_count() -> None:
    assert read(({"seed": "x"}, MODULE), ({"seed": 3}, FUNCTION)).seed == 3


def test_the_trace_can_come_from_several_layers() -> None:
    layers = ({"dims": {"B": [1, "x"]}}, CLASS), ({"shapes": "B C"}, FUNCTION)
    assert faults(*layers, arguments=("x",)) == [
        Fault("dims['B'][1]: expected a whole number, 0 or more, got 'x'", CLASS),
        Fault(
            "shapes: the dim 'C' of shapes has no size in dims: write e.g. dims={'C': 8}", FUNCTION
        ),
    ]


def test_an_argument_without_source_is_at_the_nearest_place() -> None:
    (fault,) = faults(({}, INI), ({}, FUNCTION), arguments=("x",))
    assert fault.place == FUNCTION
    assert fault.message.startswith("nothing makes the argument 'x' of test_f")
    assert faults(arguments=("x",))[0].place is None
    assert read(arguments=("x",), fixtures=None) == Contract()
    assert read(arguments=("x",), optional=("x",)) == Contract()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("max_recompile", "a contract has no such field (did you mean 'max_recompiles'?)"),
        ("disabled", "a contract has no such field (did you mean 'disable'?)"),
        (
            "qqq",
            f"a contract has no such field, {UNKNOWN_TO_TORCH}",
        ),
        ("modell", "a contract has no such field (did you mean 'mode'?)"),
        ("model", "a contract has no such field (did you mean 'mode'?)"),
    ],
)
def test_unknown_names(name: str, message: str) -> None:
    assert faults(({name: 1}, MODULE)) == [Fault(f"{name}: {message}", MODULE)]


def test_a_keyword_of_another_torch_is_unknown() -> None:
    assert read(({"disable": True}, MODULE)).torch_options == {"disable": True}
    (fault,) = faults(({"disable": True}, MODULE), compile_keywords=("backend",))
    assert fault.message == (f"disable: a contract has no such field, {UNKNOWN_TO_TORCH}")


def test_positional_arguments() -> None:
    assert faults(({POSITIONAL: (0,), "seed": 1}, MODULE)) == [
        Fault("takes keyword arguments only, got (0,)", MODULE)
    ]


def test_a_version_map_is_checked_for_the_installed_torch_and_for_all() -> None:
    layer = ({"max_graphs": {"<2.13": 1}, "max_recompiles": {">2": 1, ">=2.14": 2}}, MODULE)
    assert faults(layer) == [
        Fault(
            "max_recompiles: '>2' and '>=2.14' of {'>2': 1, '>=2.14': 2} match torch 2.14: "
            "narrow them so that one is left",
            MODULE,
        ),
        Fault(
            "max_graphs: {'<2.13': 1} has no entry for torch 2.13.0+cpu: add one that matches",
            MODULE,
        ),
    ]


def test_faults_in_a_spec_are_reported_by_the_contract() -> None:
    from pytest_compilecheck import spec

    layer = ({"shapes": {"x": [spec("8"), spec("8 -1", dtype="floot")]}}, FUNCTION)
    assert faults(layer, arguments=("x",)) == [
        Fault("shapes['x'][1]: the size -1 in '8 -1' is negative", FUNCTION),
        Fault("shapes['x'][1]: dtype 'floot' is unknown (did you mean 'float'?)", FUNCTION),
    ]


def test_combinations_are_checked_over_the_layers() -> None:
    (fault,) = faults(({"backend": "eager"}, FUNCTION), ({"mode": "max-autotune"}, INI))
    assert fault == Fault("mode: the backend 'eager' ignores it: name backend='inductor'", INI)


def test_watch_only_voids_what_farther_layers_say_of_compiling() -> None:
    defaults = {"backend": "inductor", "mode": "max-autotune", "name": "f", "compiles": "m"}
    defaults |= {"policies": ["static", "auto"], "preferred_policy": "auto"}
    contract = read(({**defaults, "seed": 3}, INI), ({"watch_only": True}, FUNCTION))
    assert contract == Contract(watch_only=True, seed=3)


@pytest.mark.parametrize(
    "layers",
    [
        [({"watch_only": True, "backend": "inductor"}, FUNCTION)],
        [({"watch_only": True}, CLASS), ({"backend": "inductor"}, FUNCTION)],
    ],
)
def test_watch_only_is_not_to_be_contradicted(layers: list[Layer]) -> None:
    (fault,) = faults(*layers)
    assert fault.place == FUNCTION
    assert fault.message.startswith("backend: goes to torch.compile, and watch_only compiles")


def test_a_faulty_value_is_no_further_fault() -> None:
    layer = ({"warmup_calls": "two", "max_recompiles_after_warmup": -1}, FUNCTION)
    assert [fault.message.split(":")[0] for fault in faults(layer)] == [
        "warmup_calls",
        "max_recompiles_after_warmup",
    ]


def test_bounds_of_plugins_are_those_of_the_release() -> None:
    extra = {"max_a": {"<2.14": 2, ">=2.14": 0}, "min_b": 0.5}
    contract = read(({"extra": extra}, FUNCTION), extra_bounds=["max_a", "min_b"])
    assert contract.extra == {"max_a": Bound(2), "min_b": Bound(0.5)}


def test_the_nearest_extra_takes_the_place_of_the_whole() -> None:
    layers: list[Layer] = [({"extra": {"max_a": 1}}, CLASS), ({"extra": {"max_b": 2}}, FUNCTION)]
    assert read(*layers).extra == {"max_b": Bound(2)}


@pytest.mark.parametrize(
    ("extra", "known", "message"),
    [
        ({"max_matmul": 1}, ["max_matmuls"], "this bound (did you mean 'max_matmuls'?)"),
        ({"max_x": 1}, ["min_b", "max_aaaa"], "this bound (declared are max_aaaa, min_b)"),
        ({"max_x": 1}, [], "no plugin that is loaded declares this bound"),
        ({"max_graphs": 1}, None, "is no bound of a plugin: write it as a field of the contract"),
        ({"max_a": {"<2": 1}}, None, "has no entry for torch 2.13.0+cpu: add one that matches"),
    ],
)
def test_faulty_bounds_of_plugins(
    extra: dict[str, Any], known: list[str] | None, message: str
) -> None:
    (fault,) = faults(({"extra": extra}, FUNCTION), extra_bounds=known)
    assert fault.message.startswith(f"extra[{next(iter(extra))!r}]: ")
    assert fault.message.endswith(message)


def test_which_bounds_plugins_declare_may_not_be_known() -> None:
    assert read(({"extra": {"max_x": 1}}, FUNCTION)).extra == {"max_x": Bound(1)}
