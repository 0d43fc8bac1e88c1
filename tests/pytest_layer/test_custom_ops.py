"""Operators that a compiler cannot see into: counted, and held to torch.library.opcheck."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from pytest_layer.projects import Project

_NAMES = (f"compilecheck_{number}" for number in itertools.count())

OPERATORS = """
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


def contract(project: Project, fields: str, body: str) -> dict[str, Any]:
    # A namespace of its own: operators live as long as the process.
    namespace = next(_NAMES)
    operators = OPERATORS.format(namespace)
    project.tests(f"""{operators}
    @compile_contract({TRACE}, {fields})
    def test_it(x):
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
