"""match_eager and backward: each step is held against an eager run from the same state."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_layer.projects import Project

MODEL = """
    from torch import nn
    from pytest_compilecheck import spec

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(8, 8)
            self.norm = nn.BatchNorm1d(8)
            self.register_buffer("calls", torch.zeros(1))

        def forward(self, x):
            self.calls += 1
            return {"y": torch.dropout(self.norm(self.linear(x)), 0.5, True), "n": self.calls * 2}

    @pytest.fixture
    def model():
        return Model()

    def off_by_half(gm, inputs):
        def run(*args):
            return tuple(
                out + 0.5 if isinstance(out, torch.Tensor) and out.dim() == 2 else out
                for out in gm.forward(*args)
            )
        return run

"""
TRACE = 'shapes={"x": "B 8"}, dims={"B": [4, 5]}, allow_recompiles=["automatic_dynamic"]'


def contract(project: Project, text: str) -> dict[str, Any]:
    project.tests(MODEL + text)
    (found,) = project.report()["contracts"]
    return found


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("compiles", ["compiles='model', ", ""])
def test_random_numbers_and_state_are_the_same_in_both_runs(
    project: Project, backend: str, compiles: str
) -> None:
    project.tests(
        f"""{MODEL}
    @compile_contract({TRACE}, {compiles}match_eager=True, backward=True, backend="{backend}")
    def test_it(model, x):
        return model(x)
        """
    )
    # In a process of its own: AOTAutograd registers operators when it is imported.
    project.run_apart("--compilecheck-json=report.json").assert_outcomes(passed=1)
    (found,) = project.read_report()["contracts"]
    assert (found["outcome"], found["observed"]["mismatches"]) == ("passed", [])
    assert [entry["call"] for entry in found["observed"]["timeline"]] == [0, 1, 2, 3]
    assert found["observed"]["backward_graphs"] == (0 if backend == "eager" else 2)


@pytest.mark.parametrize(
    ("compiles", "where"),
    [("compiles='model', ", "outputs of what is compiled[0]['y']"), ("", "output['y']")],
    ids=["model", "test"],
)
def test_the_first_difference_is_a_violation(project: Project, compiles: str, where: str) -> None:
    found = contract(
        project,
        f"""
    @compile_contract({TRACE}, {compiles}match_eager=True, backend=off_by_half)
    def test_it(model, x):
        {"model(x)" if compiles else "return model(x)"}
        """,
    )
    (violation,) = found["violations"]
    assert (violation["bound"], violation["observed"]) == ("match_eager", 4)
    assert violation["message"].startswith(
        f"other than the eager run (step 0, pass 0) (and 3 more steps): {where}: Mismatched"
    )


def test_what_a_step_does_to_its_inputs_counts(project: Project) -> None:
    found = contract(
        project,
        """
    def drops_mutation(gm, inputs):
        return lambda *args: gm.forward(*(arg.clone() for arg in args))

    @compile_contract(shapes={"x": (3,)}, match_eager=True, backend=drops_mutation)
    def test_it(x):
        x.add_(1)
        return x.sum()
        """,
    )
    (violation,) = found["violations"]
    assert "arguments after the step['x']: Mismatched" in violation["message"]


def test_the_eager_run_changes_nothing_that_the_compiled_one_sees(project: Project) -> None:
    text = """
    class Counter(nn.Module):
        def __init__(self):
            super().__init__()
            self.step = 0

        def forward(self, x):
            self.step += 1
            return x * self.step

    @pytest.fixture
    def counter():
        return Counter()

    @compile_contract(compiles="counter", shapes={"x": (3,)}, passes=4, max_recompiles=3%s)
    def test_it(counter, x):
        counter(x)
    """
    figures = []
    for more in ("", ", match_eager=True"):
        observed = contract(project, text % more)["observed"]
        kinds = [entry["kind"] for entry in observed["timeline"]]
        figures.append((observed["recompiles"], observed["graphs"], kinds))
    assert figures[0] == figures[1]
    assert figures[0][0] == 3


def test_what_cannot_be_copied_is_no_match(project: Project) -> None:
    found = contract(
        project,
        """
    class Lonely:
        def __deepcopy__(self, memo):
            raise TypeError("there is only one")

    @pytest.fixture
    def lonely():
        return Lonely()

    @compile_contract(shapes={"x": (3,)}, match_eager=True)
    def test_it(lonely, x):
        return x + 1
        """,
    )
    (violation,) = found["violations"]
    assert (violation["bound"], violation["observed"]) == ("match_eager", None)
    assert "there is only one" in violation["message"]


def test_a_backward_without_gradients_says_what_to_do(project: Project) -> None:
    project.tests("""
        @compile_contract(shapes={"x": (3,)}, backward=True)
        def test_it(x):
            return x + 1
    """)
    result = project.run()
    result.stdout.fnmatch_lines(["E   backward=True, but no output has a gradient: give an input*"])
    result.stdout.no_fnmatch_line("*torch raised this*")


def test_gradients_do_not_add_up_over_the_steps(project: Project) -> None:
    found = contract(
        project,
        """
    seen = []

    @compile_contract(shapes={"x": (4, 8)}, backward=True, passes=3, compiles="model")
    def test_it(model, x):
        assert model.linear.weight.grad is None
        model(x)
        """,
    )
    assert found["outcome"] == "passed"


@pytest.mark.parametrize(
    ("fields", "faults"),
    [
        (
            'shapes={"x": (3,)}, rtol=0.1, atol=-1',
            ["*rtol: does nothing without match_eager=True", "*atol: expected a number, 0 or *-1"],
        ),
        (
            'shapes={"x": (3,)}, match_eager=True, rtol=1',
            ["*match_eager: torch takes both tolerances or none: give rtol and atol"],
        ),
        (
            'values={"x": 1}, watch_only=True, match_eager=True, backward=True',
            [
                "*match_eager: needs what *, and watch_only compiles nothing: leave one out",
                "*backward: needs what *, and watch_only compiles nothing: leave one out",
            ],
        ),
    ],
)
def test_fields_that_mean_nothing_are_faults(
    project: Project, fields: str, faults: list[str]
) -> None:
    project.tests(f"""
        @compile_contract({fields})
        def test_it(x):
            return x
    """)
    result = project.run()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines_random(faults)
