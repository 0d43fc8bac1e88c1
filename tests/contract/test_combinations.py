from __future__ import annotations

import pytest

from pytest_compilecheck.contract.bounds import Bound
from pytest_compilecheck.contract.combinations import check_combinations, check_dynamic_dims
from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.contract.trace.model import Step, Trace
from pytest_compilecheck.contract.trace.shapes import Arguments

ARGUMENTS = Arguments(subject="test_f", names=("model", "x"))


def check(**fields: object) -> list[tuple[str | None, str]]:
    faults: list[tuple[str | None, str]] = []
    contract = Contract(**fields)  # type: ignore[arg-type]
    check_combinations(contract, ARGUMENTS, lambda field, message: faults.append((field, message)))
    return faults


@pytest.mark.parametrize(
    ("backend", "named"),
    [(None, "'eager' (the default)"), ("eager", "'eager'"), ("aot_eager", "'aot_eager'")],
)
@pytest.mark.parametrize("option", [{"mode": "max-autotune"}, {"options": {"trace": True}}])
def test_a_backend_that_ignores_an_option(
    backend: str | None, named: str, option: dict[str, object]
) -> None:
    message = f"the backend {named} ignores it: name backend='inductor'"
    assert check(backend=backend, torch_options=option) == [(*option, message)]


@pytest.mark.parametrize("backend", ["inductor", "mine", print])
def test_a_backend_that_may_take_a_mode(backend: object) -> None:
    assert check(backend=backend, torch_options={"mode": "max-autotune", "options": None}) == []


def test_no_mode_is_no_conflict() -> None:
    assert check(torch_options={"mode": None, "dynamic": True, "fullgraph": True}) == []


def test_mode_and_options() -> None:
    both = {"mode": "max-autotune", "options": {"trace": True}}
    assert check(backend="inductor", torch_options=both) == [
        ("options", "torch.compile takes mode or options, not both: leave one out")
    ]


def test_watch_only_compiles_nothing() -> None:
    keyword = "goes to torch.compile, and watch_only compiles nothing: leave one out"
    found = check(
        watch_only=True,
        backend="inductor",
        torch_options={"mode": "max-autotune", "name": "f", "fullgraph": False, "dynamic": None},
        compiles=("model",),
    )
    assert found == [
        ("backend", keyword),
        ("mode", keyword),
        ("name", keyword),
        ("compiles", "names what to compile, and watch_only compiles nothing: leave one out"),
    ]
    assert check(watch_only=True) == []


def test_compiles_names_parameters() -> None:
    assert check(compiles=("model", "x")) == []
    assert check(compiles=("modle",)) == [
        ("compiles", "test_f has no parameter 'modle' (did you mean 'model'?)")
    ]


def test_warm_up_and_its_bound_go_together() -> None:
    assert check(max_recompiles_after_warmup=Bound(0), warmup_calls=2) == []
    assert check(max_recompiles_after_warmup=Bound(0)) == [
        ("max_recompiles_after_warmup", "say after how many calls: add e.g. warmup_calls=2")
    ]
    assert check(warmup_calls=2) == [
        ("warmup_calls", "does nothing alone: add max_recompiles_after_warmup=0")
    ]


def dynamic(*dims: str, sizes: tuple[int, ...] = (4, 5)) -> list[tuple[str | None, str]]:
    steps = tuple(Step(index=at, dims={"B": 2, "S": size}) for at, size in enumerate(sizes))
    faults: list[tuple[str | None, str]] = []
    contract = Contract(trace=Trace(steps), dynamic_dims=dims)
    check_dynamic_dims(contract, lambda field, message: faults.append((field, message)))
    return faults


def test_a_dim_that_changes_can_be_seen_to_be_dynamic() -> None:
    assert dynamic("S") == dynamic() == []


def test_a_dim_of_one_size_is_never_seen_to_be_dynamic() -> None:
    ((field, message),) = dynamic("B")
    assert field == "dynamic_dims"
    assert message == (
        "'B' has one size in the whole trace, so it is never seen to be dynamic:"
        " give it two or more in dims"
    )
    assert len(dynamic("S", sizes=(4, 4))) == 1


def test_a_dim_that_the_trace_has_not() -> None:
    assert dynamic("T") == [
        ("dynamic_dims", "'T' is no dim of the trace: it takes names from dims")
    ]


@pytest.mark.parametrize("backend", [None, "eager", "aot_eager"])
def test_kernels_of_a_backend_that_generates_none(backend: str | None) -> None:
    ((field, message),) = check(backend=backend, max_kernels=Bound(3))
    assert (field, "name backend='inductor'" in message) == ("max_kernels", True)


def test_kernels_of_what_may_generate_some() -> None:
    assert check(backend="inductor", max_kernels=Bound(3)) == []
    assert check(watch_only=True, max_kernels=Bound(3)) == []
