from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
import torch._dynamo.config

from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.contract.trace.inputs import PythonValue
from pytest_compilecheck.contract.trace.model import Step, Trace
from pytest_compilecheck.contract.trace.spec import spec
from pytest_compilecheck.observe.running.driver import Run, run_eagerly, run_watched, watched_block
from pytest_compilecheck.observe.surroundings import Surroundings

ROOT = str(Path(__file__).parent)


def contract(*sizes: int, **fields: Any) -> Contract:
    """A contract whose trace makes `x` of each of these sizes."""
    steps = tuple(
        Step(index=index, inputs={"x": spec((size,))}) for index, size in enumerate(sizes)
    )
    return Contract(**{"trace": Trace(steps or (Step(index=0),)), **fields})


def watched(
    made: Contract, function: Callable[..., Any], backend: str = "eager", **arguments: Any
) -> Run:
    return run_watched(
        made, function, arguments, default_backend=backend, around=Surroundings(root=ROOT)
    )


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    yield
    torch._dynamo.reset()


def double(x: torch.Tensor) -> torch.Tensor:
    return x * 2


# Without torch.compile.


def test_an_eager_run_makes_each_step_once_in_order() -> None:
    seen: list[tuple[Any, ...]] = []

    def function(model: str, x: torch.Tensor, n: int) -> None:
        seen.append((model, tuple(x.shape), n))

    steps = tuple(
        Step(index=index, inputs={"x": spec((size,)), "n": PythonValue(size + 1)})
        for index, size in enumerate((3, 2))
    )
    run_eagerly(Contract(trace=Trace(steps)), function, {"model": "mlp"})
    assert seen == [("mlp", (3,), 4), ("mlp", (2,), 3)]


def test_each_step_draws_the_same_random_numbers_and_none_are_used_up() -> None:
    drawn = []
    state = torch.get_rng_state()
    run_eagerly(contract(2, 2, seed=5), lambda x: drawn.append(torch.rand(3)), {})
    assert torch.equal(drawn[0], drawn[1])
    assert torch.equal(torch.get_rng_state(), state)
    run_eagerly(contract(2, seed=6), lambda x: drawn.append(torch.rand(3)), {})
    assert not torch.equal(drawn[0], drawn[2])


def test_threads_are_those_of_the_contract_and_then_what_they_were() -> None:
    before, seen = torch.get_num_threads(), []

    def function() -> None:
        seen.append(torch.get_num_threads())
        fail()

    with pytest.raises(ValueError, match="no"):
        run_eagerly(contract(threads=before + 2), function, {})
    assert seen == [before + 2]
    assert torch.get_num_threads() == before


def fail() -> None:
    raise ValueError("no")


# Watched.


def test_the_trace_is_run_in_passes_against_one_cache() -> None:
    run = watched(contract(3, 4, 3), double)
    timeline = run.observation.timeline
    assert [(e.step, e.pass_) for e in timeline] == [(s, p) for p in (0, 1) for s in (0, 1, 2)]
    assert [e.kind for e in timeline] == ["compile", "recompile", "hit", "hit", "hit", "hit"]
    assert [e.sizes for e in timeline[:2]] == [{"x": (3,)}, {"x": (4,)}]
    assert (run.error, run.refused) == (None, False)
    assert run.observation.problems == ()


def test_weights_of_steps_are_weights_of_calls() -> None:
    steps = (Step(index=0, weight=3, inputs={"x": spec((2,))}),)
    run = watched(Contract(trace=Trace(steps), passes=3), double)
    assert [e.weight for e in run.observation.timeline] == [3, 3, 3]


def test_every_run_starts_from_an_empty_cache_and_leaves_one() -> None:
    torch.compile(double, backend="eager")(torch.ones(2))
    for _ in range(2):
        run = watched(contract(2, passes=1), double)
        assert [e.kind for e in run.observation.timeline] == ["compile"]
    with torch.compiler.set_stance("fail_on_recompile"), pytest.raises(RuntimeError):
        torch.compile(double, backend="eager")(torch.ones(2))


def test_what_the_function_raises_ends_the_trace_and_is_kept() -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        if x.shape[0] == 4:
            raise KeyError("no")
        return x * 2

    run = watched(contract(3, 4, 5), function)
    assert isinstance(run.error, KeyError)
    assert not run.refused
    assert [e.kind for e in run.observation.timeline] == ["compile", "error"]
    assert run.observation.timeline[1].error == "KeyError: 'no'"


@pytest.mark.parametrize("raised", [KeyboardInterrupt, SystemExit])
def test_what_stops_the_run_is_kept_too(raised: type[BaseException]) -> None:
    def function() -> None:
        raise raised

    run = watched(contract(watch_only=True), function)
    assert isinstance(run.error, raised)


def test_full_graph_mode_refuses_by_an_error_that_is_a_break() -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        y = x + 1
        print(end="")
        return y

    run = watched(contract(3, torch_options={"fullgraph": True}), function)
    assert run.error is not None
    assert run.refused
    (site,) = run.observation.break_sites
    assert (site.file, site.code) == ("test_driver.py", 'print(end="")')
    assert [e.kind for e in run.observation.timeline] == ["error"]


def test_full_graph_mode_refuses_what_has_nothing_to_compile() -> None:
    run = watched(contract(3, torch_options={"fullgraph": True}), lambda x: None)
    assert run.refused or run.error is None  # releases before 2.10 say nothing
    assert run.observation.graphs == 0


def backends() -> tuple[list[str], Callable[[str], Callable[..., Any]]]:
    used: list[str] = []

    def named(name: str) -> Callable[..., Any]:
        def backend(graph: torch.fx.GraphModule, inputs: Any) -> Any:
            used.append(name)
            return graph.forward

        return backend

    return used, named


def test_the_contracts_backend_and_options_go_to_torch() -> None:
    used, named = backends()
    run = watched(
        contract(3, 4, backend=named("its own"), torch_options={"dynamic": True}), double, "nowhere"
    )
    assert used == ["its own"]
    assert [e.kind for e in run.observation.timeline] == ["compile", "hit", "hit", "hit"]


def test_a_contract_without_a_backend_takes_the_default() -> None:
    run = watched(contract(3), double, "no_such_backend")
    assert run.observation.graphs == 0
    assert "no_such_backend" in str(run.error)


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2


def test_named_parameters_are_compiled_and_the_body_runs_as_it_is() -> None:
    seen = []

    def body(model: Any, other: Any, x: torch.Tensor) -> None:
        print(end="")  # no break: nothing of the body is compiled
        seen.append((type(model(x + 1)), type(model(x)), other(x)))

    run = watched(contract(3, compiles=("model", "other")), body, model=Model(), other=double)
    assert [e.kind for e in run.observation.timeline] == ["compile", "hit", "compile", *["hit"] * 3]
    assert [e.step for e in run.observation.timeline] == [0] * 6
    assert [e.region for e in run.observation.timeline[:3]] == ["Model", "Model", "double"]
    assert run.observation.break_sites == ()
    assert len(seen) == 2


def test_watch_only_compiles_nothing_itself() -> None:
    quiet = watched(contract(3, watch_only=True), double)
    assert quiet.observation.timeline == ()
    made = torch.compile(double, backend="eager")
    run = watched(contract(3, watch_only=True), lambda x: (made(x), made(x)))
    assert [e.kind for e in run.observation.timeline] == ["compile", "hit", "hit", "hit"]


def test_a_call_that_never_reaches_torch_is_told_as_switched_off() -> None:
    run = watched(contract(3, torch_options={"disable": True}), double)
    assert [e.kind for e in run.observation.timeline] == ["fallback", "fallback"]
    (fallback,) = run.observation.fallbacks
    assert (fallback.kind, fallback.calls) == ("disabled", (0, 1))


@pytest.mark.parametrize("compiles", [None, ("model",)])
def test_calls_of_another_region_do_not_hide_what_is_switched_off(
    compiles: tuple[str, ...] | None,
) -> None:
    other = torch.compile(double, backend="eager")

    def body(model: Any, x: torch.Tensor) -> None:
        other(model(x))

    run = watched(
        contract(3, compiles=compiles, torch_options={"disable": True}), body, model=Model()
    )
    assert [e.kind for e in run.observation.timeline] == ["compile", "fallback", "hit", "fallback"]
    (fallback,) = run.observation.fallbacks
    assert (fallback.kind, fallback.calls) == ("disabled", (1, 3))


@torch.compiler.disable
def under_stance(region: Callable[..., Any], stance: str, x: torch.Tensor) -> Any:
    with torch.compiler.set_stance(stance):
        return region(x)


def test_a_region_of_before_that_a_stance_leaves_to_python_in_a_call_is_told() -> None:
    region = torch.compile(double, backend="eager")

    def function(x: torch.Tensor) -> Any:
        return under_stance(region, "force_eager", x + 1) * 2

    run = watched(contract(3), function)
    assert [e.kind for e in run.observation.timeline] == ["compile", "fallback"]
    (fallback,) = run.observation.fallbacks
    assert (fallback.kind, fallback.calls) == ("disabled", (0, 1))
    assert fallback.reason == "torch.compiler.set_stance('force_eager') was in force"


def test_a_stance_for_the_call_is_told_though_a_region_in_it_runs_its_graph() -> None:
    region = torch.compile(double, backend="eager")
    outer = torch.compile(lambda x: under_stance(region, "default", x + 1), backend="eager")
    run = watched(contract(3, watch_only=True), lambda x: under_stance(outer, "force_eager", x))
    assert [e.graph_launches for e in run.observation.timeline] == [1, 1]
    (fallback,) = run.observation.fallbacks
    assert (fallback.kind, fallback.calls) == ("disabled", (0, 1))


@pytest.mark.parametrize("match_eager", [False, True])
def test_calls_of_other_threads_have_the_numbers_and_steps_of_the_run_that_counts(
    match_eager: bool,
) -> None:
    other = torch.compile(lambda x: x + 1, backend="eager")

    def body(model: Any, x: torch.Tensor) -> Any:
        for _ in range(2):
            thread = threading.Thread(target=other, args=(x,))
            thread.start()
            thread.join()
        return model(x)

    made = contract(3, 4, 5, compiles=("model",), passes=1, match_eager=match_eager)
    seen = watched(made, body, model=Model()).observation
    assert [(e.call, e.step) for e in seen.timeline] == [(n, n // 3) for n in range(9)]
    kinds = " ".join(e.kind for e in seen.timeline)
    assert kinds == "compile hit compile recompile hit recompile hit hit hit"


def test_a_call_of_another_thread_that_outlasts_a_step_moves_none_to_the_next() -> None:
    began, ends = threading.Event(), threading.Event()

    @torch.compiler.disable
    def wait() -> None:
        began.set()
        ends.wait(10)

    @torch.compile(backend="eager")
    def outlasting(x: torch.Tensor) -> torch.Tensor:
        y = x + 1
        wait()
        return y * 2

    threads: list[threading.Thread] = []

    def body(model: Any, x: torch.Tensor) -> None:
        if not threads:
            threads.append(threading.Thread(target=outlasting, args=(torch.ones(2),)))
            threads[0].start()
            began.wait(10)
        model(x)
        if x.shape[0] == 5:
            ends.set()
            threads[0].join()

    made = contract(3, 4, 5, compiles=("model",), passes=1)
    seen = watched(made, body, model=Model()).observation
    assert [(e.call, e.step) for e in seen.timeline] == [(0, 0), (1, 0), (2, 1), (3, 2)]


def test_a_warning_of_torch_does_not_end_a_compile() -> None:
    def backend(graph: torch.fx.GraphModule, inputs: Any) -> Any:
        warnings.warn_explicit("of torch", UserWarning, "torch/x.py", 1, module="torch._dynamo.x")
        return graph.forward

    with warnings.catch_warnings(record=True):
        warnings.simplefilter("error")
        rules = list(warnings.filters)
        run = watched(contract(3, backend=backend), double)
        assert warnings.filters == rules
    assert run.error is None


def test_a_warning_of_anybody_else_is_the_error_that_the_run_made_it() -> None:
    def body() -> None:
        warnings.warn("of the test", UserWarning, stacklevel=1)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = watched(contract(watch_only=True), body)
    assert isinstance(run.error, UserWarning)


def test_the_state_of_torchs_generator_is_put_back() -> None:
    state = torch.get_rng_state()
    watched(contract(3), lambda x: x + torch.rand(3))
    assert torch.equal(torch.get_rng_state(), state)


# A block that runs the test itself.


def test_a_block_is_watched_from_an_empty_cache() -> None:
    made = torch.compile(double, backend="eager")
    made(torch.ones(3))
    with watched_block(contract(watch_only=True), Surroundings(root=ROOT), fresh=True) as block:
        made(torch.ones(3))
        made(torch.ones(3))
    run = block.run()
    assert [e.kind for e in run.observation.timeline] == ["compile", "hit"]
    assert [e.step for e in run.observation.timeline] == [None, None]
    assert (run.error, run.refused) == (None, False)


def test_a_block_that_is_not_fresh_finds_what_was_compiled_before() -> None:
    made = torch.compile(double, backend="eager")
    made(torch.ones(3))
    torch.manual_seed(7)
    drawn = torch.rand(1)
    torch.manual_seed(7)
    with watched_block(
        contract(watch_only=True, seed=3), Surroundings(root=ROOT), fresh=False
    ) as block:
        made(torch.ones(3))
        assert torch.equal(torch.rand(1), drawn)
    observed = block.run().observation
    assert [e.kind for e in observed.timeline] == ["hit"]
    assert observed.warm_graphs == 1


def test_a_block_that_raises_keeps_and_raises_the_error() -> None:
    with (
        pytest.raises(ValueError, match="no") as raised,
        watched_block(contract(watch_only=True), Surroundings(root=ROOT), fresh=True) as block,
    ):
        fail()
    assert block.run().error is raised.value
