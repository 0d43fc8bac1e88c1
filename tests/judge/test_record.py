from __future__ import annotations

from typing import Any

import pytest
from judge.policy_reports import policy
from policies.values import compared
from report.values import observation, record, violation

from pytest_compilecheck import codec
from pytest_compilecheck.judge.record import ContractRecord, ids_of, is_within


@pytest.mark.parametrize(
    ("fields", "measured"),
    [
        ({}, True),
        ({"outcome": "xfailed"}, True),
        ({"outcome": "skipped"}, False),
        ({"outcome": "error"}, False),
        ({"error": "ValueError: x"}, False),
        ({"observed": None}, False),
    ],
)
def test_what_was_watched_to_its_end_is_measured(fields: dict[str, Any], measured: bool) -> None:
    assert record(**{"observed": observation(), **fields}).measured is measured


def test_names_tell_blocks_and_releases_apart() -> None:
    block = record(id="a.py::t", part="watch 1", torch="2.13.0")
    assert block.unit == "a.py::t (watch 1)"
    assert block.name == "a.py::t (watch 1) [torch 2.13.0]"


def test_a_unit_may_be_of_a_test_whose_block_it_is() -> None:
    assert list(ids_of("a.py::t")) == ["a.py::t"]
    assert list(ids_of("a.py::t (prefill (2))")) == [
        "a.py::t (prefill (2))",
        "a.py::t (prefill",
        "a.py::t",
    ]


def test_a_unit_lies_in_what_a_call_named() -> None:
    for path in (".", "tests", "tests/a.py", "tests/a.py::t", "tests/a.py::t[1]"):
        assert is_within("tests/a.py::t[1] (watch 1)", path)
    for path in ("test", "tests/a", "tests/a.py::", "tests/a.py::t2", "other"):
        assert not is_within("tests/a.py::t[1]", path)
    assert not is_within("../a.py::t", ".")


FULL = record(
    violation("max_graphs", 1, 2, "compiled graphs: 2, at most 1 allowed"),
    part="watch 1",
    observed=observation(),
    verdict={"excused_sites": (1,), "known_fallbacks": (2,)},
    error="ValueError: x",
    reason="no kernel",
    leaks=("grad mode was left off",),
    packages={"einops": "0.8.1"},
    torch="2.13.0",
    policies=compared(policy("auto")),
)


@pytest.mark.parametrize("made", [record(), FULL])
def test_a_record_comes_back(made: ContractRecord) -> None:
    assert ContractRecord.from_dict(made.to_dict()) == made


def test_an_entry_has_the_verdict_beside_the_rest() -> None:
    data = FULL.to_dict()
    assert FULL.observed is not None
    assert FULL.policies is not None
    assert data == {
        "id": "tests/test_mlp.py::test_mlp",
        "part": "watch 1",
        "outcome": "failed",
        "contract": {"max_graph_breaks": 0, "max_recompiles": 0, "owners": None},
        "observed": FULL.observed.to_dict(),
        "figures": codec.encode(FULL.figures),
        **FULL.verdict.to_dict(),
        "error": "ValueError: x",
        "reason": "no kernel",
        "leaks": ["grad mode was left off"],
        "packages": {"einops": "0.8.1"},
        "torch": "2.13.0",
        "policies": FULL.policies.to_dict(),
    }
    assert (data["excused_sites"], data["known_fallbacks"]) == ([1], [2])


def test_an_entry_of_an_earlier_release_has_fewer_fields() -> None:
    data = record(observed=observation()).to_dict()
    for later in ("part", "error", "reason", "leaks", "packages", "torch", "policies"):
        del data[later]
    assert ContractRecord.from_dict(data) == record(observed=observation())
