"""Operators that a compiler cannot see into: counted, and held to torch.library.opcheck."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from pytest_layer.projects import Project

_NAMES = (f"compilecheck_{number}" for number in itertools.count())

OPERATORS = """
    from torch.utils.checkpoint import checkpoint

    @torch.library.custom_op("{0}::scale", mutates_args=())
    def scale(x: torch.Tensor, by: float) -> torch.Tensor:
        return x * by

    @scale.register_fake
    def _(x, by):
        return torch.empty_like(x)

    @torch.library.custom_op("{0}::drain", mutates_args=())
    def drain(x: torch.Tensor) -> torch.Tensor:
        x.zero_()
        return x.clone()

    @drain.register_fake
    def _(x):
        return torch.empty_like(x)

    @torch.library.custom_op("{0}::total", mutates_args=())
    def total(x: torch.Tensor) -> torch.Tensor:
        return x.sum(0)

    @total.register_fake
    def _(x):
        return torch.empty_like(x)

    @torch.library.custom_op("{0}::torn", mutates_args=())
    def torn(x: torch.Tensor, n: int) -> torch.Tensor:
        if n == 2:
            x.zero_()
        return x.clone()

    @torn.register_fake
    def _(x, n):
        return torch.empty_like(x)

    region = torch.compiler.nested_compile_region(lambda x: drain(x + 1))

    ran = []

    @torch.library.custom_op("{0}::tired", mutates_args=())
    def tired(x: torch.Tensor) -> torch.Tensor:
        ran.append(x)
        if len(ran) > 4:  # the calls of the trace
            raise ValueError("no more")
        return x.clone()

    @tired.register_fake
    def _(x):
        return torch.empty_like(x)

"""
TRACE = 'shapes={"x": "B 3"}, dims={"B": [4, 5]}, allow_recompiles=["automatic_dynamic"]'


def contract(project: Project, fields: str, body: str, parameters: str = "x") -> dict[str, Any]:
    # A namespace of its own: operators live as long as the process.
    namespace = next(_NAMES)
    operators = OPERATORS.format(namespace)
    project.tests(f"""{operators}
    @compile_contract({TRACE}, {fields})
    def test_it({parameters}):
        return {body.format(namespace)}
    """)
    (found,) = project.report()["contracts"]
    return found


def test_calls_are_counted_in_first_graphs_with_their_line(project: Project) -> None:
    found = contract(project, "max_opaque_ops=1", "scale(scale(x, 2.0), 3.0) + x.relu()")
    (op,) = found["observed"]["opaque_ops"]
    assert op["name"].endswith(".scale.default")
    assert (op["calls"], op["file"], op["faults"]) == (2, "test_it.py", None)
    assert op["code"].startswith("return scale(scale(x, 2.0), 3.0)")
    (violation,) = found["violations"]
    assert (violation["bound"], violation["observed"]) == ("max_opaque_ops", 2)


def test_a_call_without_an_overload_is_one_too(project: Project) -> None:
    found = contract(project, "max_opaque_ops=0", "torch.ops.{0}.scale(x, 2.0)")
    (op,) = found["observed"]["opaque_ops"]
    assert op["name"].endswith(".scale")
    assert [each["observed"] for each in found["violations"]] == [1]


@pytest.mark.slow
def test_with_inductor_kernels_of_others_count_as_well(project: Project) -> None:
    """The custom operator is one of them, and counted once."""
    fields = "max_opaque_ops=0, backend='inductor'"
    found = contract(project, fields, "torch.ops.{0}.scale(x, 2.0).sort()[0].relu()")
    assert [each["observed"] for each in found["violations"]] == [2]
    kernels = {each["name"]: each["kind"] for each in found["observed"]["kernels"]}
    assert kernels["aten.sort.stable"] == "fallback"


def test_operators_of_torch_are_not_opaque(project: Project) -> None:
    found = contract(project, "max_opaque_ops=0", "torch.ops.aten.add.Tensor(x, 1).sort()[0]")
    assert (found["outcome"], found["observed"]["opaque_ops"]) == ("passed", [])


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ("drain(x.clone())", "test_schema: Argument x is not defined as mutable but was mutated"),
        ("total(x)", "test_faketensor: When comparing the output of"),
    ],
    ids=["undeclared mutation", "wrong fake kernel"],
)
def test_an_unsound_operator_is_a_violation(project: Project, body: str, fault: str) -> None:
    found = contract(project, "check_custom_ops=True", body)
    (violation,) = found["violations"]
    assert violation["bound"] == "check_custom_ops"
    assert fault in violation["message"]
    (op,) = found["observed"]["opaque_ops"]
    assert op["faults"][0].startswith(fault)
    assert [entry["kind"] for entry in found["observed"]["timeline"]] == [
        "compile",
        "recompile",
        "hit",
        "hit",
    ]


CONTRACT = "check_custom_ops=True, max_opaque_ops=0"
BODIES = {
    "checkpoint": "checkpoint(lambda t: drain(t + 1), x, use_reentrant=False)",
    "branch": "torch.cond(x.sum() > -99, lambda t: drain(t + 1), torch.sin, (x,))",
    "region": "region(region(x))",
}


@pytest.mark.parametrize("name", BODIES)
def test_an_operator_in_a_body_of_a_graph_is_one_too(project: Project, name: str) -> None:
    found = contract(project, CONTRACT, BODIES[name])
    assert [each["bound"] for each in found["violations"]] == [
        "check_custom_ops",
        "max_opaque_ops",
    ]
    (op,) = found["observed"]["opaque_ops"]
    assert op["calls"] == (2 if name == "region" else 1)
    assert op["faults"][0].startswith("test_schema: Argument x")


def test_an_operator_of_a_rebuilt_graph_alone_is_one_too(project: Project) -> None:
    fields = f"{CONTRACT}, max_recompiles=1, values={{'flag': [False, True]}}"
    found = contract(project, fields, "drain(x + 1) if flag else x + 1", "x, flag")
    assert [(each["bound"], each["observed"]) for each in found["violations"]] == [
        ("check_custom_ops", 1),
        ("max_opaque_ops", 1),
    ]
    assert [op["calls"] for op in found["observed"]["opaque_ops"]] == [1]


def test_each_way_of_calling_an_operator_is_checked(project: Project) -> None:
    fields = "check_custom_ops=True"
    assert contract(project, fields, "torn(torn(x + 1, 1), 3)")["outcome"] == "passed"
    (violation,) = contract(project, fields, "torn(torn(x + 1, 1), 2)")["violations"]
    assert violation["bound"] == "check_custom_ops"


def test_operations_in_a_body_are_captured(project: Project) -> None:
    body = "((x + 1) * 2).relu().sin()"
    plain = contract(project, "min_captured_ops=4", body)
    inside = contract(
        project, "min_captured_ops=4", f"checkpoint(lambda x: {body}, x, use_reentrant=False)"
    )
    assert [plain["outcome"], inside["outcome"]] == ["passed", "passed"]
    # The call that takes the body, and the item of what it gives.
    assert inside["observed"]["captured_ops"] == plain["observed"]["captured_ops"] + 2


def test_what_stands_behind_an_operator_that_fails_anew_is_not_passed_as_sound(
    project: Project,
) -> None:
    found = contract(project, "check_custom_ops=True", "scale(tired(x), 2.0)")
    assert found["outcome"] == "failed"
    faults = {op["name"].split(".")[1]: op["faults"] for op in found["observed"]["opaque_ops"]}
    assert faults["tired"][0] == "test_schema: no more"
    assert faults["scale"] == [
        "it cannot be checked, because its graph fails when it runs again: ValueError: no more"
    ]


def test_a_sound_operator_passes_and_was_asked(project: Project) -> None:
    found = contract(project, "check_custom_ops=True", "scale(x, 2.0) + 1")
    (op,) = found["observed"]["opaque_ops"]
    assert (found["outcome"], op["faults"]) == ("passed", [])
