from __future__ import annotations

from report.values import observation, record, run, site

from pytest_compilecheck.judge.audited import AuditedTest
from pytest_compilecheck.judge.run_report import RunReport


def test_a_report_has_its_versions_and_contracts_by_id() -> None:
    seen = observation(break_sites=(site(),))
    contracts = record(id="b.py::t"), record(id="a.py::t", observed=seen)
    data = run(*contracts, complete=False, missing=("d.py::t", "c.py::t")).to_dict()
    assert {key: data[key] for key in data if key != "contracts"} == {
        "schema": "pytest-compilecheck/1",
        "torch": "2.13.0",
        "python": "3.11.7",
        "complete": False,
        "missing": ["c.py::t", "d.py::t"],
        "left_out": [],
        "unwatched": [],
        "paths": ["."],
        "notes": [],
    }
    assert [contract["id"] for contract in data["contracts"]] == ["a.py::t", "b.py::t"]
    assert data["contracts"][0] == record(id="a.py::t", observed=seen).to_dict()


def test_blocks_of_a_test_come_after_it_by_name() -> None:
    data = run(record(part="watch 2"), record(), record(part="Prefill")).to_dict()
    assert [each["part"] for each in data["contracts"]] == [None, "Prefill", "watch 2"]


def test_a_report_comes_back() -> None:
    audited = AuditedTest(id="a.py::t", outcome="passed", observed=observation(warm_graphs=1))
    partly = run(complete=False, missing=("a",), left_out=("b",), unwatched=("c",))
    for report in (run(), partly, run(record(observed=observation()), audit=(audited,))):
        assert RunReport.from_dict(report.to_dict()) == report


def test_a_report_says_which_of_its_torches_are_best_effort() -> None:
    merged = run(torch="2.13.0, 2.15.1a0, 2.99.0")
    assert [note.partition(", so")[0] for note in merged.notes] == [
        "torch 2.15.1a0 is no final release",
        "torch 2.99.0 is newer than the newest that is known to work",
    ]
    assert merged.to_dict()["notes"] == merged.notes


def test_a_report_of_an_earlier_release_has_fewer_fields() -> None:
    data = run(record(), missing=("a",), left_out=("b",), unwatched=("c",)).to_dict()
    for later in ("missing", "left_out", "unwatched", "paths", "notes"):
        del data[later]
    # What it was called with is not known: it is no report of all tests.
    assert RunReport.from_dict(data) == run(record(), paths=())


def test_audited_tests_are_told_by_id() -> None:
    first, second = (
        AuditedTest(id=name, outcome="passed", observed=observation()) for name in ("a", "b")
    )
    data = run(audit=(second, first)).to_dict()
    assert data["audit"] == [first.to_dict(), second.to_dict()]
    assert "audit" not in run().to_dict()


def test_one_contract_under_several_releases_of_torch_is_told_by_release() -> None:
    made = [record(torch=torch) for torch in ("2.15.0", None, "2.13.0")]
    assert [each.torch for each in run(*made).contracts_by_id] == [None, "2.13.0", "2.15.0"]


def test_what_a_report_names_is_sorted() -> None:
    names = ("b", "a")
    data = run(missing=names, left_out=names, unwatched=names, paths=names).to_dict()
    for field in ("missing", "left_out", "unwatched", "paths"):
        assert data[field] == ["a", "b"]
