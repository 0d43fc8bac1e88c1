"""What contracts say of sizes that change: dynamic_dims, automatic dynamic, fragile guards."""

from __future__ import annotations

import pytest

from pytest_layer.projects import Project

TRACE = 'shapes={"x": "B S 8"}, dims={"B": 2, "S": [4, 5, 6]}'


def only_contract(project: Project, *arguments: str) -> dict:
    (contract,) = project.report(*arguments)["contracts"]
    return contract


def test_a_dim_that_torch_makes_dynamic_is_dynamic(project: Project) -> None:
    project.tests(f"""
        @compile_contract({TRACE}, dynamic_dims=["S"], allow_recompiles=["automatic_dynamic"])
        def test_it(x):
            return x.relu() + 1
    """)
    contract = only_contract(project)
    assert contract["outcome"] == "passed"
    assert contract["observed"]["recompiles"] == 1
    (allowed,) = contract["allowed"]
    assert allowed["matched"] == ["call 1: x.size(1): 4 -> 5"]


def test_a_dim_that_the_code_fixes_names_the_line(project: Project) -> None:
    project.tests(f"""
        @compile_contract({TRACE}, dynamic_dims="S", max_recompiles=None)
        def test_it(x):
            y = 0
            for at in range(x.shape[1]):
                y = y + x[:, at]
            return y
    """)
    result = project.run()
    result.assert_outcomes(failed=1)
    line = "test_it.py:7 makes a number of it: for at in range(x.shape[[]1]):"
    result.stdout.fnmatch_lines(
        [
            f"the dim S is not dynamic: the graph of call 1 holds x.size(1) at 5, because {line}*",
            "  x.size(1): 4 -> 5 -> 6  (shape, argument, needed as a number in test_it.py:7)",
        ]
    )


@pytest.mark.parametrize(
    ("more", "sizes", "why"),
    [
        ("dynamic=False", "[4, 5]", "torch was not asked to make it dynamic"),
        ("backend='eager'", "[4, 1]", "torch compiles sizes 0 and 1 apart from all others"),
    ],
)
def test_a_dim_that_torch_keeps_fixed_says_why(
    project: Project, more: str, sizes: str, why: str
) -> None:
    project.tests(f"""
        @compile_contract(
            shapes={{"x": "S 8"}}, dims={{"S": {sizes}}}, dynamic_dims="S", max_recompiles=1, {more}
        )
        def test_it(x):
            return x.relu() + 1
    """)
    (violation,) = only_contract(project)["violations"]
    assert violation["bound"] == "dynamic_dims"
    assert why in violation["message"]


def test_a_dim_that_is_dynamic_from_the_start_needs_no_rebuild(project: Project) -> None:
    project.tests(f"""
        @compile_contract({TRACE}, dynamic_dims="S", dynamic=True)
        def test_it(x):
            return x.relu() + 1
    """)
    contract = only_contract(project)
    assert (contract["outcome"], contract["observed"]["recompiles"]) == ("passed", 0)


def test_a_violated_mark_names_the_dim_and_the_line(project: Project) -> None:
    project.tests(f"""
        @pytest.fixture
        def fold():
            def fold(x):
                return x.reshape(2, 2, 2, 8).sum(1)
            return fold

        @compile_contract({TRACE}, dynamic_dims="S", compiles="fold")
        def test_it(fold, x):
            torch._dynamo.mark_dynamic(x, 1)
            fold(x)
    """)
    result = project.run()
    line = "test_it.py:7 makes a number of it: return x.reshape(2, 2, 2, 8).sum(1)"
    result.stdout.fnmatch_lines(
        [
            "1 call failed to compile, 0 allowed  [[]error_calls]",
            f"the dim S is not dynamic: the graph of call 0 holds x.size(1) at 4, because {line}*",
        ]
    )


LOOPS = {
    "over the input": (
        "x",
        "x.size(1)",
        "holds x.size(1) at 5, because test_it.py:15 makes a number",
    ),
    "over what is made of it": ("x + 1", "y.size(1)", "holds y.size(1) at 5, because"),
    "over all its rows": ("x.reshape(-1, 8)", "y.size(0)", "holds y.size(0) at 10, because"),
    "over a number": ("x.size(1)", "y", "holds y at 5, because test_it.py:15 makes a number"),
    "in a helper": (
        "x + 1",
        "loop(y)",
        "holds y.size(1) at 5, because test_it.py:6 makes a number",
    ),
}


@pytest.mark.parametrize("loop", LOOPS)
def test_a_dim_that_the_code_fixes_behind_a_break_is_not_dynamic(
    project: Project, loop: str
) -> None:
    made, times, says = LOOPS[loop]
    project.tests(f"""
        def loop(x):
            y = 0
            for at in range(x.size(1)):
                y = y + x[:, at]
            return len(y)

        @compile_contract({TRACE}, dynamic_dims="S", max_graph_breaks=1, max_recompiles=None)
        def test_it(x):
            y = {made}
            torch._dynamo.graph_break()
            z = x * 2
            for at in range({times}):
                z = z + at
            return z
    """)
    (violation,) = only_contract(project)["violations"]
    assert violation["bound"] == "dynamic_dims"
    assert says in violation["message"]


SYMBOLS = {
    "as a number": ("n = x.size(1)", "x * n"),
    "in a loop over another dim of what has the name": ("x = x.reshape(-1, 8)", "loop(x)"),
    "in a loop over another dim at its place": ("x = x.transpose(0, 1)", "loop(x)"),
}


@pytest.mark.parametrize("name", SYMBOLS)
def test_a_dim_that_stays_a_symbol_behind_a_break_is_dynamic(project: Project, name: str) -> None:
    before, behind = SYMBOLS[name]
    project.tests(f"""
        def loop(x):
            for at in range(x.size(1)):
                x = x + at
            return x

        @compile_contract(
            {TRACE}, dynamic_dims="S", max_graph_breaks=1, allow_recompiles=["automatic_dynamic"]
        )
        def test_it(x):
            {before}
            torch._dynamo.graph_break()
            return {behind}
    """)
    assert only_contract(project)["outcome"] == "passed"


def test_a_number_that_the_code_fixes_is_not_automatic_dynamic(project: Project) -> None:
    """torch makes a symbol of it, and the code a number of the symbol: each one is a rebuild."""
    project.tests("""
        @compile_contract(
            shapes={"x": "3"}, values={"n": [4, 5]}, allow_recompiles=["automatic_dynamic"]
        )
        def test_it(x, n):
            for at in range(n):
                x = x + at
            return x
    """)
    contract = only_contract(project)
    (event,) = contract["observed"]["recompile_events"]
    assert (event["source"], event["automatic_dynamic"]) == ("n", False)
    (violation,) = contract["violations"]
    assert (violation["bound"], violation["observed"]) == ("max_recompiles", 1)


def test_a_dim_of_a_compiled_fixture_is_found_under_its_own_name(project: Project) -> None:
    project.tests(f"""
        @pytest.fixture
        def model():
            def model(hidden):
                return hidden.relu() if hidden.shape[1] == 5 else hidden + 1
            return model

        @compile_contract({TRACE}, dynamic_dims="S", compiles="model", max_recompiles=None)
        def test_it(model, x):
            model(x)
    """)
    (violation,) = only_contract(project)["violations"]
    assert "holds hidden.size(1) at 5" in violation["message"]
    assert "test_it.py:7 makes a number of it" in violation["message"]


def test_a_dim_that_cannot_be_seen_to_change_is_a_fault(project: Project) -> None:
    project.tests("""
        @compile_contract(shapes={"x": "B S"}, dims={"B": 2, "S": [4, 5]}, dynamic_dims=["B", "T"])
        def test_it(x):
            return x + 1
    """)
    result = project.run()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        [
            "*dynamic_dims: 'B' has one size in the whole trace*give it two or more in dims",
            "*dynamic_dims: 'T' is no dim of the trace*",
        ]
    )


def test_a_rebuild_for_more_than_the_size_is_not_free(project: Project) -> None:
    project.tests("""
        @compile_contract(
            shapes={"x": "S 8"}, dims={"S": [4, 5]}, values={"mode": ["a", "b"]},
            allow_recompiles=["automatic_dynamic"], passes=1,
        )
        def test_it(x, mode):
            return x.relu() if mode == "a" else x.exp()
    """)
    contract = only_contract(project)
    assert contract["outcome"] == "failed"
    (event,) = contract["observed"]["recompile_events"]
    assert event["automatic_dynamic"] is False
    changed = {each["source"]: each["automatic_dynamic"] for each in event["changes"]}
    assert changed == {"x.size(0)": True, "mode": False}


def test_fragile_guards_are_bounded_before_anything_recompiles(project: Project) -> None:
    project.file(
        "counter.py",
        """
        from torch import nn

        class Counter(nn.Module):
            def __init__(self):
                super().__init__()
                self.step = 0

            def forward(self, x):
                self.step += 1
                return x * self.step
        """,
    )
    project.tests("""
        from counter import Counter

        @pytest.fixture
        def model():
            return Counter()

        @compile_contract(shapes={"x": (2, 3)}, passes=1, max_fragile_guards=0, compiles="model")
        def test_it(model, x):
            model(x)
    """)
    contract = only_contract(project)
    (guard,) = contract["observed"]["fragile_guards"]
    assert (guard["source"], guard["value"], guard["holder"]) == ("self.step", "0", "module")
    assert guard["why"] == "Counter.forward assigns it: each new value rebuilds"
    (violation,) = contract["violations"]
    assert (violation["bound"], violation["observed"]) == ("max_fragile_guards", 1)


def test_a_failed_compile_shows_no_frames_of_the_compiler(project: Project) -> None:
    project.tests(f"""
        def broken(gm, inputs):
            raise ValueError("no such device")

        @compile_contract({TRACE}, compiles="model", backend=torch.compile)
        def test_it(model, x):
            model(x)

        @pytest.fixture
        def model():
            return lambda x: x + 1
    """)
    result = project.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([">*model(x)", "E *"])
    result.stdout.no_fnmatch_line("*convert_frame.py*")
    result.stdout.no_fnmatch_line("*output_graph.py*")
    project.run("--full-trace").stdout.fnmatch_lines(["*output_graph.py*"])
