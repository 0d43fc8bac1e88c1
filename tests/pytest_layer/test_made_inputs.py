"""Inputs that plugins make, in every kind of contract."""

from __future__ import annotations

import pytest

from pytest_layer.projects import Project, assert_shows

MAKES = """
import torch
from lib import Rows

def pytest_compilecheck_make_input(name, annotation, sizes, spec, make_tensor):
    print("asked for", name, sizes, spec.dtype)
    if annotation is Rows:
        return Rows(make_tensor(), torch.rand(3))
    if name == "bag['y']":
        return [make_tensor()]
"""
LIB = """
from __future__ import annotations
import torch
from pytest_compilecheck import compile_contract

class Rows:
    def __init__(self, x, noise):
        self.x, self.noise = x, noise

class Model(torch.nn.Module):
    def forward(self, rows: Rows):
        assert isinstance(rows, Rows)
        return rows.x.sin().sum(0)

@compile_contract(shapes=[(2, 3)])
def summed(x, rows: Rows = None):
    return x.sin()

class Layer(torch.nn.Module):
    @compile_contract(shapes={"rows": "N 3"}, dims={"N": [4, 5]}, dynamic_dims="N",
                      allow_recompiles=["automatic_dynamic"])
    def forward(self, rows: Rows):
        return rows.x * 2
"""
TESTS = """
from lib import Model, Rows

@pytest.fixture
def model():
    return Model()

@compile_contract(compiles="model", shapes={"rows": "N 3"}, dims={"N": [4, 5]}, passes=1,
                  allow_recompiles=["automatic_dynamic"], dynamic_dims="N")
def test_model(model, rows: Rows):
    print("noise", rows.noise.tolist())
    assert model(rows).shape == (3,)
"""


@pytest.fixture
def suite(project: Project) -> Project:
    project.file("pytest.ini", "[pytest]\npythonpath = .\n")
    project.file("conftest.py", MAKES)
    project.file("lib.py", LIB)
    project.tests(TESTS)
    return project


def noises(lines: list[str]) -> list[str]:
    return [line for line in lines if line.startswith("noise")]


def test_with_the_flag_and_without_it(suite: Project) -> None:
    watched, eager = suite.run("-s"), suite.run("-s", check=False)
    for result in (watched, eager):
        result.assert_outcomes(passed=1)
        assert_shows(result, "asked for rows (4, 3) float32", "asked for rows (5, 3) float32")
    first, second = noises(watched.outlines)
    assert first != second
    assert noises(eager.outlines) == [first, second]


def test_sizes_of_the_timeline(suite: Project) -> None:
    report = suite.report(outcomes={"passed": 1})
    observed = report["contracts"][0]["observed"]
    assert [entry["sizes"]["rows"] for entry in observed["timeline"]] == [[4, 3], [5, 3]]
    assert observed["timeline"][0]["sizes"]["rows.x"] == [4, 3]
    assert observed["remade_inputs"] == ["rows"]


def test_contracts_of_files_and_of_library_code(suite: Project) -> None:
    suite.file(
        "pytest.ini", "[pytest]\npythonpath = .\ncompilecheck_modules = lib\npython_files = no\n"
    )
    suite.file(
        "contracts/rows.contract.yaml",
        """
        version: 1
        contracts:
          model:
            target: lib:Model
            inputs: {rows: "N 3"}
            dims: {N: [4, 5]}
            dynamic_dims: N
            allow_recompiles: [automatic_dynamic]
        """,
    )
    for check in (True, False):
        suite.run(check=check).assert_outcomes(passed=3)


def test_tensors_inside_of_an_input(suite: Project) -> None:
    suite.tests(
        """
        from pytest_compilecheck import spec

        def inside(bag):
            return bag["y"][0] + 1
        """,
        "nested.py",
    )
    suite.file(
        "contracts/nested.contract.yaml",
        """
        version: 1
        contracts:
          inside: {target: "nested:inside", inputs: {bag: {dict: {y: "2 3"}}}}
        """,
    )
    suite.run("contracts").assert_outcomes(passed=1)


def test_what_it_compiles_itself_is_no_part_of_the_contract(suite: Project) -> None:
    suite.file(
        "conftest.py",
        """
        import torch
        from lib import Rows

        @torch.compile(backend="eager")
        def twice(x):
            print("breaks")
            return x * 2

        def pytest_compilecheck_make_input(make_tensor):
            return Rows(twice(make_tensor()), torch.zeros(1))
        """,
    )
    report = suite.report(outcomes={"passed": 1})
    observed = report["contracts"][0]["observed"]
    assert observed["break_sites"] == []
    assert len(observed["timeline"]) == 2


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize("error", ["1 // 0", "pytest.skip('no')"])
def test_one_that_raises_fails_the_test(suite: Project, error: str, check: bool) -> None:
    body = f"import pytest\ndef pytest_compilecheck_make_input():\n    {error}\n"
    suite.file("conftest.py", body)
    result = suite.run(check=check)
    result.assert_outcomes(failed=1)
    told = "ZeroDivisionError: " if "//" in error else "Skipped: no"
    assert_shows(result, f"the plugin *conftest.py raised in its *make_input: {told}*conftest.py:3")


def test_a_packed_sequence_has_no_dim_of_the_trace(suite: Project) -> None:
    suite.file(
        "conftest.py",
        """
        from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence

        def pytest_compilecheck_make_input(annotation, sizes, make_tensor):
            if annotation is PackedSequence:
                lengths = [sizes[1]] * sizes[0]
                return pack_padded_sequence(make_tensor(), lengths, batch_first=True)
        """,
    )
    suite.tests(
        """
        from torch.nn.utils.rnn import PackedSequence

        @compile_contract(shapes={"p": "B S 3"}, dims={"B": 2, "S": [4, 5]}, dynamic_dims="S",
                          allow_recompiles=["automatic_dynamic"])
        def test_packed(p: PackedSequence):
            return p.data.sin()
        """
    )
    result = suite.run()
    result.assert_outcomes(failed=1)
    assert_shows(result, "whether the dim S is dynamic is unknown: *(a plugin makes p: the tensors")
