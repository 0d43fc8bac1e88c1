"""A contract that cannot be read is one clean error at collection: the place and the cure."""

from __future__ import annotations

import pytest

from pytest_layer.projects import Project, assert_shows

# Source from line 4 of the file on, and what the error must say in this order.
FAULTY: dict[str, tuple[str, list[str]]] = {
    "unknown field": (
        """
        @compile_contract(shapes=[(2, 8)], max_graph_brakes=0)
        def test_it(x): return x
        """,
        ["test_it.py:4: max_graph_brakes: *(did you mean 'max_graph_breaks'?)"],
    ),
    "bounds": (
        """
        @compile_contract(max_graph_breaks=-1, max_recompiles="two", passes=0, min_hit_rate=2)
        def test_it(): pass
        """,
        [
            "4 faults in the compile contract of test_it",
            "test_it.py:4: max_graph_breaks: expected a whole number, 0 or more*, got -1",
            "test_it.py:4: max_recompiles: *got 'two'",
            "test_it.py:4: passes: *1 or more, got 0",
            "test_it.py:4: min_hit_rate: *from 0 to 1*got 2",
        ],
    ),
    "no such parameter": (
        """
        @compile_contract(shapes={"mask": (2, 8)}, values={"scales": [1]})
        def test_it(masks, scale): pass
        """,
        [
            "2 faults in the compile contract of test_it",
            "test_it.py:4: shapes: test_it has no parameter 'mask' (did you mean 'masks'?)",
            "test_it.py:4: values: test_it has no parameter 'scales' (did you mean 'scale'?)",
        ],
    ),
    "dims of different lengths": (
        """
        @compile_contract(shapes={"x": "B S"}, dims={"B": [1, 2], "S": [1, 2, 3]})
        def test_it(x): return x
        """,
        ["test_it.py:4: dims: the lists differ in length: dims['B'] has 2 and dims['S'] has 3*"],
    ),
    "dim without a size": (
        """
        @compile_contract(shapes={"x": "B S"}, dims={"B": [1, 2]})
        def test_it(x): return x
        """,
        ["test_it.py:4: shapes: the dim 'S' of shapes['x'] has no size in dims*dims={'S': 8}"],
    ),
    "dtype": (
        """
        from pytest_compilecheck import spec
        @compile_contract(shapes={"x": spec("2 8", dtype="flot32")})
        def test_it(x): return x
        """,
        ["test_it.py:5: shapes['x']: dtype 'flot32' is unknown (did you mean 'float32'?)"],
    ),
    "an argument that nothing makes": (
        """
        @pytest.fixture
        def model(): pass
        @compile_contract(shapes={"x": (2, 8)})
        def test_it(model, x, mask): return x
        """,
        ["test_it.py:6: nothing makes the argument 'mask' of test_it: add it to shapes or *"],
    ),
    "two arguments could be meant": (
        """
        @compile_contract(shapes=[(2, 8)])
        def test_it(x, y): return x
        """,
        ["test_it.py:4: shapes: x and y could be meant: write shapes={'x': ...}"],
    ),
    "an argument that is parametrized": (
        """
        @pytest.mark.parametrize("x", [1])
        @compile_contract(shapes={"x": (2, 8)})
        def test_it(x): return x
        """,
        ["test_it.py:4: 'x' is made by the contract and parametrized too: *"],
    ),
    "an argument that a fixture asks for": (
        """
        @pytest.fixture
        def halved(x): return x / 2
        @compile_contract(shapes={"x": (2, 8)})
        def test_it(x, halved): return x
        """,
        ["test_it.py:6: the fixture 'halved' asks for 'x', which the contract makes anew for *"],
    ),
    "a coroutine": (
        """
        @compile_contract()
        async def test_it(): pass
        """,
        ["test_it.py:4: an async function cannot be compiled: *"],
    ),
    "hypothesis": (
        """
        from hypothesis import given, strategies
        @compile_contract(shapes={"x": (2, 8)})
        @given(n=strategies.integers())
        def test_it(x, n): return x
        """,
        ["test_it.py:5: hypothesis draws other inputs in each run*"],
    ),
    "a mark with positional arguments": (
        """
        @pytest.mark.compile_contract(0)
        def test_it(): pass
        """,
        ["test_it.py:4: takes keyword arguments only, got (0,)"],
    ),
    "a mark on one parameter": (
        """
        contract = pytest.mark.compile_contract
        @pytest.mark.parametrize("n", [1, pytest.param(2, marks=contract(sed=1))])
        @compile_contract()
        def test_it(n): pass
        """,
        ["test_it.py:5: sed: *(did you mean 'seed'?)"],
    ),
    "marks on two parameters": (
        """
        contract = pytest.mark.compile_contract
        @pytest.mark.parametrize("m", [1, pytest.param(2, marks=contract(mode="default"))])
        @pytest.mark.parametrize("n", [1, pytest.param(2, marks=contract(backend="inductor"))])
        @compile_contract()
        def test_it(n, m): pass
        """,
        ["test_it.py:5: mode: the backend 'eager' (the default) ignores it: *"],
    ),
    "several layers": (
        """
        pytestmark = pytest.mark.compile_contract(sed=1)

        @pytest.mark.compile_contract(max_recompiles=-2)
        class TestIt:
            @compile_contract(
                seed=1,
                max_graph_breaks=1.5,
                compiles="modle",
            )
            def test_it(self, model): pass
        """,
        [
            "5 faults in the compile contract of test_it",
            "test_it.py:4: sed: *",
            "pytestmark = *",
            "test_it.py:6: max_recompiles: *",
            "@pytest.mark.compile_contract(max_recompiles=-2)",
            "test_it.py:8: max_graph_breaks: *",
            "@compile_contract(",
            "test_it.py:8: compiles: test_it has no parameter 'modle' (did you mean 'model'?)",
        ],
    ),
    "a class": (
        """
        @compile_contract()
        class TestIt:
            def test_it(self): pass
        """,
        ["test_it.py:*: in <module>", "E *TestIt is a class: mark the test that runs it*"],
    ),
    "no parentheses": (
        """
        @compile_contract
        def test_it(): pass
        """,
        ["test_it.py:*: in <module>", "E *write @compile_contract(max_graph_breaks=0), or *"],
    ),
}


@pytest.mark.parametrize("what", FAULTY)
def test_an_error_at_collection(project: Project, what: str) -> None:
    source, expected = FAULTY[what]
    project.tests(source)
    project.beside = ("hypothesispytest",) if what == "hypothesis" else ()
    result = project.run()
    result.assert_outcomes(errors=1)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert_shows(result, *expected)
    text = result.stdout.str()
    assert "pytest_compilecheck/" not in text.replace("\\", "/")
    assert "During handling" not in text
    # pytest repeats the whole text in its summary where CI is set.
    assert len(text.partition("short test summary info")[0].splitlines()) < 25


def test_the_same_without_the_flag(project: Project) -> None:
    project.tests(FAULTY["bounds"][0])
    result = project.run(check=False)
    result.assert_outcomes(errors=1)
    assert_shows(result, "4 faults in the compile contract of test_it")


def test_the_defaults_of_the_project(project: Project) -> None:
    project.file(
        "pytest.ini", "[pytest]\ncompilecheck_defaults =\n    seed = 1\n    max_recompiles = -1\n"
    )
    project.tests("@compile_contract()\ndef test_it(): pass")
    result = project.run()
    result.assert_outcomes(errors=1)
    assert_shows(result, "pytest.ini:2: max_recompiles: ", "compilecheck_defaults =")


@pytest.mark.parametrize("line", ["seed", "seed 3", "3 = seed", "seed = three"])
def test_a_default_that_is_no_field(project: Project, line: str) -> None:
    project.file("pytest.ini", f"[pytest]\ncompilecheck_defaults =\n    {line}\n")
    result = project.run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: compilecheck_defaults: '{line}' is no `name = value`*"])


def test_a_faulty_contract_stops_only_its_own_file(project: Project) -> None:
    project.tests(FAULTY["bounds"][0])
    project.tests("@compile_contract()\ndef test_it(): return torch.ones(3) + 1", "test_other.py")
    result = project.run("--continue-on-collection-errors")
    result.assert_outcomes(errors=1, passed=1)
