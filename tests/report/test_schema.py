from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Iterator
from typing import Any, Literal, get_args, get_origin, get_type_hints

import jsonschema
import pytest
from policies.values import compared, policy_run, replay

from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.judge.audited import AuditedTest
from pytest_compilecheck.judge.verdict import Allowed, Violation
from pytest_compilecheck.observe.values.doubt import Doubt
from pytest_compilecheck.observe.values.observation import (
    BreakSite,
    Fallback,
    KernelUse,
    Mismatch,
    Observation,
    OpaqueOp,
    TimelineEntry,
)
from pytest_compilecheck.observe.values.place import Frame
from pytest_compilecheck.observe.values.recompile import (
    AssumedSizes,
    Change,
    FixedSize,
    FragileGuard,
    RecompileAttempt,
    RecompileEvent,
)
from pytest_compilecheck.policies.measured import (
    Choice,
    Comparison,
    Cost,
    MemoryStep,
    PolicyRun,
    Range,
    ReplayCall,
    Warm,
)
from pytest_compilecheck.report.document import schema
from report.values import (
    assumed_sizes,
    attempt,
    change,
    entry,
    fallback,
    fixed_size,
    fragile,
    frame,
    observation,
    opaque,
    recompile,
    record,
    run,
    site,
    violation,
)

DEFINED = {
    "frame": Frame,
    "break_site": BreakSite,
    "change": Change,
    "recompile_event": RecompileEvent,
    "recompile_attempt": RecompileAttempt,
    "fallback": Fallback,
    "fragile_guard": FragileGuard,
    "assumed_sizes": AssumedSizes,
    "fixed_size": FixedSize,
    "mismatch": Mismatch,
    "doubt": Doubt,
    "opaque_op": OpaqueOp,
    "kernel_use": KernelUse,
    "timeline_entry": TimelineEntry,
    "observation": Observation,
    "violation": Violation,
    "allowed": Allowed,
    "contract": Contract,
    "replay_call": ReplayCall,
    "warm": Warm,
    "memory_step": MemoryStep,
    "policy_run": PolicyRun,
    "cost": Cost,
    "range": Range,
    "choice": Choice,
    "comparison": Comparison,
}


# Required, though a value made by hand may leave them to their defaults.
SOMETIMES = {
    "observation": {"fragile_guards"},
    "mismatch": {"compared"},
    "opaque_op": {"faults"},
    "change": {"automatic_dynamic", "special", "fixed_at"},
}


def validator() -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(schema())


def full() -> dict[str, Any]:
    """A document with every optional part present and absent, by turns."""
    bare_site = site(
        column=None, end_column=None, gb_id=None, gb_ids=(), docs=None, own_frame=None, chain=(),
        executions_per_warm_call=None, hints=(), code="", explanation="",
    )  # fmt: skip
    rich = observation(
        break_sites=(site(torch_frame=frame()), bare_site),
        recompile_events=(
            recompile(),
            recompile(guards=(), changes=(change(special="specialized", fixed_at=frame()),)),
        ),
        recompile_attempts=(attempt(),),
        fallbacks=(fallback(), fallback(kind="disabled", function=None, file=None, line=None)),
        timeline=(
            entry(0, "compile", sizes={"x": (8, 128), "scalar": ()}),
            entry(1, "error", step=None, pass_=None, sizes={}, error="ValueError: a", weight=3),
        ),
        fragile_guards=(fragile(), fragile(file=None, line=None)),
        assumed_sizes=(assumed_sizes(),),
        fixed_sizes=(fixed_size(),),
        opaque_ops=(opaque(), opaque(file=None, line=None, function=None, faults=("f",))),
        kernels=(KernelUse(name="mm", kind="extern", launches=1),),
        cudagraph_skips=("mutated inputs",),
        cudagraph_rerecords=("an input moved",),
        memory_growth=-4096,
        mismatches=(Mismatch(step=0, pass_=1, difference="output: 1 / 6"),),
        problems=("A watch was lost.",),
    )
    doubted = observation(
        graphs=None, captured_ops=None, recompiles=None,
        timeline=(entry(0, "unknown", graph_launches=None),),
        doubts=(Doubt(("graphs", "hit_rate"), "torch told of none"),),
    )  # fmt: skip
    poor = observation(graphs=0, captured_ops=0, smallest_graph_ops=None, timeline=(), kernels=None)
    contract = Contract().to_dict()
    records = [
        record(
            violation("max_graph_breaks", 0, 1, "One."),
            violation("min_hit_rate", 0.5, None, "Unknown."),
            violation("nothing_compiled", None, None, "Nothing."),
            id="a",
            observed=rich,
            contract=contract,
            verdict={
                "allowed": (Allowed(rule="r", because="b", matched=("m",)),),
                "excused_sites": (1,),
                "excused_fallbacks": (0,),
                "known": (violation("max_recompiles", 0, 2, "Two."),),
                "known_sites": (0,),
                "known_recompiles": (0, 1),
                "known_fallbacks": (1,),
            },
            error="ValueError: a",
            leaks=("A leak.",),
            packages={"einops": "0.8.1"},
            policies=compared(
                replay("static"),
                policy_run("auto", error="it hung"),
                replay("pow2", memory_steps=(MemoryStep(call=0, bytes=1, mechanism="rebuild"),)),
            ),
        ),
        record(id="d", observed=doubted, contract=contract),
        record(id="b", observed=poor, contract={**contract, "max_graphs": {"<2.14": 2}}),
        record(id="c", observed=None, outcome="skipped", contract=contract, reason="r"),
    ]
    return run(*records).to_dict()


def test_an_audit_is_valid_and_its_entries_come_back() -> None:
    test = AuditedTest(id="a.py::test_a", outcome="passed", observed=observation(warm_graphs=1))
    data = run(audit=(test,)).to_dict()
    assert validator().is_valid(data)
    assert [AuditedTest.from_dict(each) for each in data["audit"]] == [test]
    assert "audit" not in full()


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())


def test_documents_are_valid_with_and_without_every_optional_part() -> None:
    assert list(validator().iter_errors(full())) == []


def test_more_fields_are_welcome_everywhere() -> None:
    def grown(data: Any) -> Any:
        if isinstance(data, list):
            return [grown(item) for item in data]
        if isinstance(data, dict):
            named = ("sizes", "packages", "dims")  # their keys are names of the user's
            values = {key: value if key in named else grown(value) for key, value in data.items()}
            return values if "sizes" in data and "x" in data else {**values, "later": None}
        return data

    data = grown(full())
    for contract in data["contracts"]:
        contract["contract"]["max_graphs"] = None
    assert list(validator().iter_errors(data)) == []


def put(*path: str | int, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(data: Any) -> None:
        for step in path[:-1]:
            data = data[step]
        data[path[-1]] = value

    return change


SEEN = ("contracts", 0, "observed")
POLICIES = ("contracts", 0, "policies")


@pytest.mark.parametrize(
    "change",
    [
        put("schema", value="pytest-compilecheck/2"),
        put("complete", value=None),
        put("contracts", 0, "outcome", value="broken"),
        put("contracts", 0, "violations", 0, "message", value=None),
        put("contracts", 0, "contract", "max_graphs", value="2"),
        put(*SEEN, "graphs", value=-1),
        put(*SEEN, "doubts", value=[{"figures": ["guesses"], "why": ""}]),
        put(*SEEN, "break_sites", 0, "line", value=0),
        put(*SEEN, "break_sites", 0, "owner", value="theirs"),
        put(*SEEN, "break_sites", 0, "gb_id", value="0170"),
        put(*SEEN, "break_sites", 0, "chain", 0, "line", value=None),
        put(*SEEN, "recompile_attempts", 0, "outcome", value="lost"),
        put(*SEEN, "fallbacks", 0, "kind", value="lost"),
        put(*SEEN, "timeline", 0, "kind", value="miss"),
        put(*SEEN, "timeline", 0, "sizes", value={"x": [1.5]}),
        put(*SEEN, "timeline", 0, "seconds", value="fast"),
        put(*POLICIES, "choice", "preferred", value=None),
        put(*POLICIES, "ranges", 0, "from_requests", value="all"),
        put(*POLICIES, "runs", 0, "calls", 0, "mechanism", value="magic"),
        put(*POLICIES, "runs", 0, "hit_rate", value=2),
    ],
)
def test_what_is_wrong_is_refused(change: Callable[[dict[str, Any]], None]) -> None:
    data = copy.deepcopy(full())
    change(data)
    assert not validator().is_valid(data)


@pytest.mark.parametrize("name", DEFINED)
def test_every_field_of_a_value_is_described(name: str) -> None:
    value = DEFINED[name]
    fields = {{"pass_": "pass"}.get(each.name, each.name) for each in dataclasses.fields(value)}
    encoded = {"trace_notes"} if value is Contract else set(getattr(value, "encoded", ()))
    assert set(schema()["$defs"][name]["properties"]) == fields | encoded


def test_every_key_of_a_record_is_described() -> None:
    assert set(schema()["$defs"]["record"]["properties"]) == set(record().to_dict())
    assert set(schema()["properties"]) == {*full(), "audit"}


def choices(value: type) -> Iterator[tuple[str, list[str]]]:
    for field, hint in get_type_hints(value).items():
        if get_origin(hint) is Literal:
            yield field, list(get_args(hint))


@pytest.mark.parametrize("name", DEFINED)
def test_choices_are_those_of_the_values(name: str) -> None:
    properties = schema()["$defs"][name]["properties"]
    for field, allowed in choices(DEFINED[name]):
        assert sorted(properties[field]["enum"]) == sorted(allowed)


def test_every_definition_and_property_has_a_description() -> None:
    tree = schema()
    for name, definition in {"": tree, **tree["$defs"]}.items():
        assert definition["description"], name
        for key, described in definition.get("properties", {}).items():
            assert described["description"], f"{name}.{key}"
        assert definition.get("additionalProperties", True) is True


def test_what_is_required_is_what_a_value_always_has() -> None:
    for name, value in DEFINED.items():
        if value is Contract:
            continue
        definition = schema()["$defs"][name]
        always = {
            {"pass_": "pass"}.get(each.name, each.name)
            for each in dataclasses.fields(value)
            if each.default is dataclasses.MISSING and each.default_factory is dataclasses.MISSING
        }
        # What a value encodes beside its fields is always there as well.
        always |= set(getattr(value, "encoded", ()))
        assert set(definition["required"]) - SOMETIMES.get(name, set()) == always
