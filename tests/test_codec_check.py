from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from report.values import entry, observation, record, run, site, violation
from test_codec import records

from pytest_compilecheck.codec_check import MismatchError, check
from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.judge.run_report import RunReport

SEEN = observation(break_sites=(site(),), timeline=(entry(0, "hit"),))
REPORT = run(record(violation("max_graphs", 1, 2.5), observed=SEEN, packages={"einops": "0.8"}))


@given(record=records)
def test_what_was_encoded_fits(record: ContractRecord) -> None:
    check(RunReport, run(record).to_dict())


@pytest.mark.parametrize(
    ("place", "value", "told"),
    [
        (("torch",), 2.13, "torch is 2.13"),
        (("contracts",), {"a": 1}, "contracts is {'a': 1}"),
        (("missing", 0), None, "missing[0] is None"),
        (("contracts", 0), None, "contracts[0] is None"),
        (("contracts", 0, "id"), 5, "contracts[0].id is 5"),
        (("contracts", 0, "outcome"), "fine", "contracts[0].outcome is 'fine'"),
        (("contracts", 0, "packages", "einops"), 8, "contracts[0].packages.einops is 8"),
        (("contracts", 0, "violations", 0, "observed"), "2", "violations[0].observed is '2'"),
        (("contracts", 0, "observed", "graphs"), 10**400, "contracts[0].observed.graphs is 1000"),
        (("contracts", 0, "observed", "graphs"), True, "contracts[0].observed.graphs is True"),
        (("contracts", 0, "observed", "fallbacks"), None, "observed.fallbacks is None"),
        (("contracts", 0, "observed", "break_sites", 0, "line"), 1.5, "break_sites[0].line is 1.5"),
        (("contracts", 0, "observed", "timeline", 0, "pass"), "x" * 99, "pass is 'xxx"),
    ],
)
def test_what_does_not_fit_is_told_with_its_place(
    place: tuple[Any, ...], value: object, told: str
) -> None:
    data: Any = {**REPORT.to_dict(), "missing": ["a"], "of_a_later_version": 1}
    check(RunReport, data)
    inner = data
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    with pytest.raises(MismatchError) as caught:
        check(RunReport, data)
    assert told in str(caught.value)
    assert len(str(caught.value)) < 120
