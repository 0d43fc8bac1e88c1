"""A contract beside what people write by hand to learn the same, or a part of it.

    python benchmarks/by_hand.py --rounds 5
    python benchmarks/by_hand.py --only suite --tests 200 --rounds 3

All ways take turns. `pytest-torch` is left out where it is not installed.
"""

from __future__ import annotations

import argparse
import gc
import importlib.util
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from time import process_time
from typing import Any

import torch
from decoder import VOCABULARY, Decoder
from figures import Spread, print_table, ratios
from process import cpu_seconds
from torch._dynamo.testing import CompileCounter

from pytest_compilecheck import watch
from pytest_compilecheck.contract.faults import Place
from pytest_compilecheck.contract.read import read_contract
from pytest_compilecheck.observe.running.driver import run_watched
from pytest_compilecheck.observe.surroundings import Surroundings

PASSES = 2
LENGTHS = (16, 24)  # tokens: the second makes one recompile
HAS_PYTEST_TORCH = importlib.util.find_spec("pytest_torch") is not None


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5, help="runs of each way")
    parser.add_argument("--tests", type=int, default=200, help="tests of the suite")
    parser.add_argument("--only", choices=["model", "suite"], help="one of the two tables")
    options = parser.parse_args()
    torch.set_num_threads(1)
    if options.only != "suite":
        title = f"A decoder of 6 layers, {len(LENGTHS)} lengths, {PASSES} passes, backend eager"
        head = ["way", "CPU, s", "/ bare", "what it can tell"]
        print_table(f"{title}: {options.rounds} rounds", head, model_rows(options.rounds))
    if options.only != "model":
        title = f"{options.tests} tests, each on a module of its own, in one process"
        head = ["way", "CPU, s", "/ bare", "added per test, ms"]
        print_table(f"{title}: {options.rounds} rounds", head, suite_rows(options))


# One model.


def model_rows(rounds: int) -> list[list[str]]:
    """CPU time of each way on the decoder, which none of them finds at fault."""
    ways = _ways(Decoder().eval())
    taken: dict[str, list[float]] = {name: [] for name, _, _ in ways}
    for _, _, way in ways:
        _seconds(way)  # imports and first-time set-up
    for _ in range(rounds):
        for name, _, way in ways:
            taken[name].append(_seconds(way))
        ways.reverse()
    told = {name: tells for name, tells, _ in ways}
    return [
        [name, Spread.of(of).show(2), ratios(of, taken["bare"]).show(3), told[name]]
        for name, of in taken.items()
    ]


def _seconds(way: Callable[[], object]) -> float:
    torch._dynamo.reset()
    gc.collect()
    started = process_time()
    with torch.no_grad():
        way()
    return process_time() - started


def _ways(model: Decoder) -> list[tuple[str, str, Callable[[], object]]]:
    prompts = [torch.randint(VOCABULARY, (1, length)) for length in LENGTHS]

    def compiled(backend: Any = "eager", **options: Any) -> None:
        region = torch.compile(model, backend=backend, **options)
        for _ in range(PASSES):
            for prompt in prompts:
                region(prompt)

    def watched() -> None:
        with watch():
            compiled()

    def explained() -> None:
        assert torch._dynamo.explain(model)(prompts[0]).graph_break_count == 0
        torch._dynamo.reset()
        counter = CompileCounter()
        compiled(counter)
        assert counter.frame_count == len(LENGTHS)

    def strict() -> None:
        with torch._dynamo.config.patch(error_on_recompile=True):
            compiled(fullgraph=True, dynamic=True)

    ways: list[tuple[str, str, Callable[[], object]]] = [
        ("bare", "", compiled),
        ("watch()", "all", watched),
        ("a contract", "all, and fails by it", _contract_way(model)),
        ("explain, and a counting backend", "breaks of the first call, graphs", explained),
        ("fullgraph, error_on_recompile", "the first of either", strict),
    ]
    if HAS_PYTEST_TORCH:
        from pytest_torch import assert_no_graph_breaks, assert_no_recompiles

        def rival() -> None:
            assert_no_graph_breaks(model, prompts[0])
            assert_no_recompiles(model, *prompts, max_recompiles=1)

        ways.append(("pytest-torch", "the first break, graphs", rival))
    return ways


def _contract_way(model: Decoder) -> Callable[[], object]:
    fields = {
        "compiles": "model",
        "shapes": {"ids": [(1, length) for length in LENGTHS]},
        "max_recompiles": 1,
        "passes": PASSES,
    }
    contract = read_contract(
        [(fields, Place("by_hand.py", 1, "decoder"))],
        subject="decoder",
        arguments=("model", "ids"),
        fixtures=None,
        compile_keywords=(),
        torch_version=torch.__version__,
        extra_bounds=(),
    )
    around = Surroundings(root=os.getcwd())

    def test(model: Any, ids: torch.Tensor) -> object:
        return model(ids.long() % VOCABULARY)

    def way() -> None:
        run = run_watched(contract, test, {"model": model}, default_backend="eager", around=around)
        assert run.error is None
        assert run.observation.recompiles

    return way


# A suite.

_HEAD = """
import pytest
import torch
from torch import nn
from torch._dynamo.testing import CompileCounter


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x):
        return self.b(torch.relu(self.a(x)))


@pytest.fixture
def model():
    return Block()


def run(region):
    for _ in range(2):
        for size in (2, 3):
            region(torch.randn(size, 8))
"""
_SUITES: dict[str, str] = {
    "bare": """
def test(model, number):
    torch._dynamo.reset()
    run(torch.compile(model, backend="eager"))
""",
    "a contract": """
from pytest_compilecheck import compile_contract

@compile_contract(compiles="model", shapes={"x": [(2, 8), (3, 8)]}, max_recompiles=1)
def test(model, number, x):
    model(x)
""",
    "explain, and a counting backend": """
def test(model, number):
    torch._dynamo.reset()
    assert torch._dynamo.explain(model)(torch.randn(2, 8)).graph_break_count == 0
    torch._dynamo.reset()
    counter = CompileCounter()
    run(torch.compile(model, backend=counter))
    assert counter.frame_count == 2
""",
    "fullgraph, error_on_recompile": """
def test(model, number):
    torch._dynamo.reset()
    with torch._dynamo.config.patch(error_on_recompile=True):
        run(torch.compile(model, backend="eager", fullgraph=True, dynamic=True))
""",
}
_RIVAL = """
from pytest_torch import assert_no_graph_breaks, assert_no_recompiles

def test(model, number):
    assert_no_graph_breaks(model, torch.randn(2, 8))
    assert_no_recompiles(model, torch.randn(2, 8), torch.randn(3, 8), max_recompiles=1)
"""


def suite_rows(options: argparse.Namespace) -> list[list[str]]:
    """CPU time of pytest on as many tests of each way."""
    suites = {**_SUITES, **({"pytest-torch": _RIVAL} if HAS_PYTEST_TORCH else {})}
    taken: dict[str, list[float]] = {name: [] for name in suites}
    names = list(suites)
    for _ in range(options.rounds):
        for name in names:
            taken[name].append(_cpu_of_suite(suites[name], options.tests, name))
        names.reverse()
    bare = taken["bare"]
    return [
        [name, Spread.of(of).show(1), ratios(of, bare).show(3), _added(of, bare, options.tests)]
        for name, of in taken.items()
    ]


def _added(of: Sequence[float], bare: Sequence[float], tests: int) -> str:
    more = [(one - other) / tests * 1e3 for one, other in zip(of, bare, strict=True)]
    return Spread.of(more).show(1)


def _cpu_of_suite(test: str, tests: int, name: str) -> float:
    """CPU seconds, user and system, of a pytest run."""
    repeated = f'\n@pytest.mark.parametrize("number", range({tests}))\n'
    marked = test.replace("\n@compile_contract", f"{repeated}@compile_contract")
    if marked == test:
        marked = test.replace("\ndef test", f"{repeated}def test")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly"]
    command += ["--compilecheck"] if name == "a contract" else ["-p", "no:compilecheck"]
    with tempfile.TemporaryDirectory() as directory:
        Path(directory, "test_suite.py").write_text(_HEAD + marked, encoding="utf-8")
        return cpu_seconds(command, directory, OMP_NUM_THREADS="1")


if __name__ == "__main__":
    main()
