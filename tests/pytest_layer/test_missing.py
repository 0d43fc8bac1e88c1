"""What a report says of contracts that were left out, or chosen and did not run."""

from __future__ import annotations

import os
from typing import Any

import jsonschema
import pytest

from pytest_compilecheck.report.document import schema
from pytest_layer.projects import Project, assert_shows

FIVE = """
import os
import signal

@compile_contract(shapes=[(2, 3)])
def test_a(x):
    return x + 1

@compile_contract(shapes=[(2, 3)], watch_only=True)
def test_b(x):
    {statement}

@compile_contract(shapes=[(2, 3)])
def test_c(x):
    return x + 1

def test_plain():
    pass

def test_watches(compilecheck):
    with compilecheck.watch():
        compilecheck.compile(torch.relu)(torch.ones(3))
"""
QUIET = "torch.compile(torch.relu, backend='eager')(x)"
REPORT = "--compilecheck-json=report.json"


def names(report: dict[str, Any]) -> dict[str, list[str]]:
    """Names of tests by what came of them."""
    jsonschema.validate(report, schema())
    found = {key: report[key] for key in ("missing", "left_out", "unwatched")}
    found["ran"] = [contract["id"] for contract in report["contracts"]]
    return {key: [each.partition("::test_")[2] for each in ids] for key, ids in found.items()}


# As plugins do that tell nobody.
CUTS = """
def pytest_collection_modifyitems(items):
    items[:] = [item for item in items if item.name in ("test_a", "test_c")]
"""
ALL = {"ran": ["a", "b", "c", "watches"], "missing": [], "left_out": [], "unwatched": []}
CUT = {"ran": ["a", "c"], "missing": [], "left_out": ["b", "watches"], "unwatched": []}


@pytest.mark.slow
@pytest.mark.parametrize("workers", [[], ["-n1"]], ids=["alone", "workers"])
@pytest.mark.parametrize(
    ("conftest", "arguments"),
    [
        ("", ["-k", "test_a or test_c"]),
        ("", ["--deselect=test_it.py::test_b", "--deselect=test_it.py::test_watches"]),
        (CUTS, []),
    ],
    ids=["keyword", "deselect", "untold"],
)
def test_what_is_left_out_is_named_and_nothing_is_missing(
    project: Project, conftest: str, arguments: list[str], workers: list[str]
) -> None:
    project.file("conftest.py", conftest)
    project.tests(FIVE.format(statement=QUIET))
    report = project.report(*arguments, *workers)
    assert names(report) == CUT
    assert report["complete"] is True


@pytest.mark.slow
@pytest.mark.parametrize("workers", [[], ["-n1"]], ids=["alone", "workers"])
def test_all_ran(project: Project, workers: list[str]) -> None:
    project.tests(FIVE.format(statement=QUIET))
    assert names(project.report(*workers, outcomes={"passed": 5})) == ALL


def test_contracts_that_failed_last_leave_out_the_others(project: Project) -> None:
    project.tests(FIVE.format(statement="pass"))
    project.run().assert_outcomes(failed=1, passed=4)
    report = project.report("--lf", outcomes={"failed": 1})
    assert names(report)["ran"] == ["b"]
    assert names(report)["left_out"] == ["a", "c", "watches"]


def test_a_mark_that_a_plugin_adds_makes_a_contract_of_a_test(project: Project) -> None:
    project.file(
        "conftest.py",
        """
        import pytest

        def pytest_collection_modifyitems(items):
            for item in items:
                item.add_marker(pytest.mark.compile_contract(watch_only=True))
            items.pop()
        """,
    )
    project.tests("def test_one(): pass\ndef test_two(): pass")
    report = project.report()
    assert (names(report)["ran"], names(report)["left_out"]) == (["one"], ["two"])


def test_a_test_that_asks_and_watches_nothing(project: Project) -> None:
    project.tests(
        """
        def test_nothing(compilecheck):
            pass

        def test_skips(compilecheck):
            pytest.skip("later")
        """
    )
    report = project.report(outcomes={"passed": 1, "skipped": 1})
    assert report["complete"] is True
    assert names(report)["unwatched"] == ["nothing", "skips"]


@pytest.mark.parametrize(
    ("statement", "arguments", "missing"),
    [
        ("assert False", ["-x"], ["c", "watches"]),
        ("raise KeyboardInterrupt", [], ["b", "c", "watches"]),
        ("pytest.exit('no more')", [], ["b", "c", "watches"]),
    ],
)
def test_a_run_that_was_stopped_names_what_is_missing(
    project: Project, statement: str, arguments: list[str], missing: list[str]
) -> None:
    project.tests(FIVE.format(statement=statement))
    result = project.run(REPORT, *arguments)
    report = project.read_report()
    assert (report["complete"], names(report)["missing"]) == (False, missing)
    ids = ", ".join(f"test_it.py::test_{name}" for name in missing)
    told = f"incomplete: {len(missing)} contracts did not run to the end: {ids}"
    assert told in result.outlines


def test_a_stop_behind_the_last_contract(project: Project) -> None:
    project.tests(FIVE.format(statement=QUIET) + "\ndef test_last(): assert False\n")
    result = project.run(REPORT, "-x")
    report = project.read_report()
    assert (report["complete"], names(report)) == (False, ALL)
    assert "incomplete: the run was stopped" in result.outlines


def test_a_file_that_cannot_be_collected(project: Project) -> None:
    project.tests(FIVE.format(statement=QUIET))
    project.tests("raise ValueError", name="test_other.py")
    result = project.run(REPORT, "--continue-on-collection-errors")
    report = project.read_report()
    assert (report["complete"], names(report)) == (False, ALL)
    assert "incomplete: tests that could not be collected may hold contracts" in result.outlines


EXIT = "os._exit(3)"
KILL = "os.kill(os.getpid(), signal.SIGKILL)" if os.name == "posix" else EXIT


@pytest.mark.slow
@pytest.mark.parametrize(("death", "workers"), [(EXIT, "-n1"), (KILL, "-n2")])
def test_a_worker_that_dies_in_a_contract(project: Project, death: str, workers: str) -> None:
    project.tests(FIVE.format(statement=death))
    result = project.run(REPORT, workers)
    result.assert_outcomes(passed=4, failed=1)
    report = project.read_report()
    assert report["complete"] is False
    assert names(report) == {**ALL, "ran": ["a", "c", "watches"], "missing": ["b"]}
    assert_shows(
        result,
        "incomplete: 1 contract did not run to the end: test_it.py::test_b "
        "(worker gw* crashed in test_it.py::test_b)",
    )


@pytest.mark.slow
def test_a_worker_that_dies_when_the_contract_is_torn_down(project: Project) -> None:
    project.tests(
        """
        import os

        @pytest.fixture
        def last():
            yield
            os._exit(3)

        @compile_contract(shapes=[(2, 3)])
        def test_it(last, x):
            return x + 1
        """
    )
    report = project.report("-n1")
    assert names(report)["missing"] == names(report)["ran"] == ["it"]
    assert report["complete"] is False


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["-n1", "-n2"])
def test_no_worker_is_replaced(project: Project, workers: str) -> None:
    """With none left to tell, every test that did not run is named."""
    project.tests(FIVE.format(statement=EXIT))
    result = project.run(REPORT, workers, "--max-worker-restart=0")
    assert result.ret != 0
    report = project.read_report()
    found = names(report)
    assert report["complete"] is False
    assert "b" in found["missing"]
    ran, missing = set(found["ran"]), set(found["missing"])
    assert ran | missing - {"plain"} == {"a", "b", "c", "watches"}
    assert ran & missing == set()
    if workers == "-n1":
        assert found["missing"] == ["b", "c", "plain", "watches"]
        assert_shows(result, "no worker was left to say which of them hold contracts")


@pytest.mark.slow
def test_a_run_with_workers_that_is_stopped(project: Project) -> None:
    project.tests(FIVE.format(statement="assert False"))
    report = project.report("-n1", "-x")
    found = names(report)
    assert report["complete"] is False
    assert set(found["missing"]) == {"a", "b", "c", "watches"} - set(found["ran"])
    assert "plain" not in found["missing"]


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="a worker sends its controller Ctrl-C")
def test_an_interrupted_run_with_workers(project: Project) -> None:
    once = "os.path.isdir('sent') or (os.mkdir('sent'), os.kill(os.getppid(), signal.SIGINT))"
    project.tests(FIVE.format(statement=once))
    result = project.run_apart(REPORT, "-n1")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    report = project.read_report()
    found = names(report)
    assert report["complete"] is False
    assert "c" in found["missing"]
    assert set(found["missing"]) | set(found["ran"]) >= {"a", "b", "c", "watches"}


@pytest.mark.slow
@pytest.mark.parametrize("workers", [[], ["-n1"]], ids=["alone", "workers"])
@pytest.mark.parametrize("check", [False, True], ids=["audit", "both"])
def test_an_audit_is_about_every_test(project: Project, workers: list[str], check: bool) -> None:
    project.tests("def test_one(): pass\ndef test_two(compilecheck): pass\ndef test_three(): pass")
    result = project.run(REPORT, "--compilecheck-audit", "-k", "not three", *workers, check=check)
    result.assert_outcomes(passed=2, deselected=0 if workers else 1)
    report = project.read_report()
    assert report["complete"] is True
    assert names(report) == {**ALL, "ran": [], "left_out": ["three"]}


@pytest.mark.slow
def test_a_worker_that_dies_in_an_audit(project: Project) -> None:
    project.tests("import os\n\ndef test_dies(): os._exit(3)\ndef test_later(): pass")
    result = project.run(REPORT, "--compilecheck-audit", "-n1", check=False)
    assert names(project.read_report())["missing"] == ["dies"]
    assert_shows(result, "incomplete: 1 test did not run to the end: test_it.py::test_dies (worker")
