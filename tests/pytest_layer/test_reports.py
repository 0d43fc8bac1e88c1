"""The JSON report, and that it says the same whichever way the tests were run."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from pytest_compilecheck.report.document import schema
from pytest_layer.projects import Project, assert_shows, without_times

ALL_OUTCOMES = """
import torch._dynamo.config

class Model(torch.nn.Module):
    def forward(self, x):
        y = x.relu()
        print("break")
        return y + 1

@pytest.fixture
def model():
    return Model()

@pytest.fixture
def broken():
    raise ValueError("fixture")

@pytest.fixture
def broken_teardown():
    yield
    raise ValueError("teardown")

@compile_contract(shapes=[(2, 3), (4, 3)])
def test_breaks(model, x):
    return model(x)

@compile_contract(shapes=[(2, 3)], allow_breaks=[{"gb_id": "GB0059", "because": "a log"}])
def test_allowed(model, x):
    return model(x)

@compile_contract(shapes=[(2, 3)])
def test_error(broken, x):
    return x + 1

@compile_contract(shapes=[(2, 3)])
def test_teardown(broken_teardown, x):
    return x + 1

@compile_contract(shapes=[(2, 3)])
def test_raises(x):
    y = x + 1
    raise ValueError("own")

@compile_contract(shapes=[(2, 3)])
def test_cannot_be_compiled(x):
    return x @ x

@compile_contract(shapes=[(2, 3)], fullgraph=True)
def test_refused(model, x):
    return model(x)

@pytest.mark.skip
@compile_contract(shapes=[(2, 3)])
def test_skipped(x):
    return x + 1

@compile_contract(shapes=[(2, 3)], compiles="model", max_graph_breaks=1)
def test_skips_itself(model, x):
    model(x)
    pytest.skip("later")

@pytest.mark.xfail
@compile_contract(shapes=[(2, 3)])
def test_xfailed(model, x):
    return model(x)

@pytest.mark.xfail
@compile_contract(shapes=[(2, 3)])
def test_xpassed(x):
    return x + 1

@compile_contract(shapes=[(2, 3)], compiles="model", max_graph_breaks=1)
def test_leaks(model, x):
    model(x)
    torch._dynamo.config.recompile_limit = 3

def test_plain():
    pass
"""

OUTCOMES = {
    "test_allowed": "passed",
    "test_breaks": "failed",
    "test_cannot_be_compiled": "failed",
    "test_error": "error",
    "test_leaks": "passed",
    "test_raises": "failed",
    "test_refused": "failed",
    "test_skipped": "skipped",
    "test_skips_itself": "skipped",
    "test_teardown": "passed",
    "test_xfailed": "xfailed",
    "test_xpassed": "xpassed",
}


def outcomes(report: dict[str, Any]) -> dict[str, str]:
    return {each["id"].split("::")[1]: each["outcome"] for each in report["contracts"]}


def failure_texts(result: pytest.RunResult) -> dict[str, str]:
    """What is printed of each failure, by the name of the test."""
    texts: dict[str, list[str]] = {}
    current: list[str] = []
    for line in result.outlines:
        if line.startswith("___") and line.endswith("___"):
            current = texts.setdefault(line.strip("_ "), [])
        elif line.startswith("==="):
            current = []
        elif not line.startswith(("[gw", "E1", "W1")) and " s of compiling" not in line:
            current.append(line)
    return {name: "\n".join(lines) for name, lines in texts.items()}


def lines_with(result: pytest.RunResult, *starts: str) -> list[str]:
    return sorted(line for line in result.outlines if line.startswith(starts))


@pytest.mark.slow
def test_all_outcomes_and_the_same_under_xdist(project: Project) -> None:
    project.tests(ALL_OUTCOMES)
    arguments = ("--compilecheck-json=report.json", "--show-capture=no")
    alone = project.run(*arguments)
    report = project.read_report()
    jsonschema.validate(report, schema())
    assert report["complete"] is True
    assert outcomes(report) == OUTCOMES
    assert_shows(alone, "compilecheck: report written to *report.json")
    assert_shows(alone, "FAILED *::test_breaks - 1 graph break, 0 allowed: test_it.py:9 ")
    assert len(failure_texts(alone)) == 6

    apart = project.run(*arguments, "-n2")
    assert without_times(project.read_report()) == without_times(report)
    assert failure_texts(apart) == failure_texts(alone)
    starts = ("FAILED", "ERROR", "setting leaked")
    assert len(lines_with(alone, *starts)) == 7
    assert lines_with(apart, *starts) == lines_with(alone, *starts)


TWO = """
@compile_contract(shapes=[(2, 3)])
def test_breaks(x):
    {statement}
    return x + 1

@compile_contract(shapes=[(2, 3)])
def test_later(x):
    return x + 1
"""


@pytest.mark.parametrize(
    ("statement", "arguments"),
    [
        ("print()", ["-x"]),
        ("print()", ["--maxfail=1"]),
        ("print()", ["--stepwise"]),
        ("raise KeyboardInterrupt", []),
        ("pytest.exit('no more')", []),
    ],
)
def test_a_run_that_was_stopped_is_not_complete(
    project: Project, statement: str, arguments: list[str]
) -> None:
    project.tests(TWO.format(statement=statement))
    project.run("--compilecheck-json=report.json", *arguments)
    report = project.read_report()
    jsonschema.validate(report, schema())
    assert report["complete"] is False
    assert "test_later" not in outcomes(report)


def test_a_contract_that_cannot_be_read_leaves_the_report_incomplete(project: Project) -> None:
    project.tests(TWO.format(statement="pass").replace("shapes=", "shaeps=", 1))
    assert project.report()["complete"] is False


def test_a_worker_that_dies_leaves_the_report_incomplete(project: Project) -> None:
    project.file("test_it.py", "import os\n\ndef test_dies(): os._exit(3)\ndef test_later(): pass")
    assert project.report("-n1", outcomes={"failed": 1, "passed": 1})["complete"] is False


@pytest.mark.parametrize(
    "option", ["--compilecheck-json=report.json", "--compilecheck-warn", "--compilecheck-strict"]
)
def test_an_option_without_the_flag(project: Project, option: str) -> None:
    project.tests(TWO.format(statement="pass"))
    result = project.run(option, check=False)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    name = option.partition("=")[0]
    assert f"ERROR: {name} has no effect without --compilecheck: add it" in result.errlines
    assert not (project.path / "report.json").exists()


def test_ini_keys_without_the_flag(project: Project) -> None:
    project.file("pytest.ini", "[pytest]\ncompilecheck_json = report.json\n")
    project.tests(TWO.format(statement="pass"))
    project.run(check=False).assert_outcomes(passed=2)
    assert not (project.path / "report.json").exists()


def test_no_contract_at_all(project: Project) -> None:
    project.tests("def test_plain(): pass")
    report = project.report()
    jsonschema.validate(report, schema())
    assert (report["complete"], report["contracts"]) == (True, [])


@pytest.mark.parametrize("arguments", [[], ["-q"]])
def test_a_path_that_cannot_be_written(project: Project, arguments: list[str]) -> None:
    project.tests(TWO.format(statement="pass"))
    result = project.run("--compilecheck-json=test_it.py/report.json", *arguments)
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines("the json report could not be written: *test_it.py/report.json*")
    result.stdout.no_fnmatch_line("*report written to*")
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_folders_on_the_way_are_made(project: Project) -> None:
    project.tests(TWO.format(statement="pass"))
    project.run("--compilecheck-json=new/folder/report.json")
    assert json.loads((project.path / "new/folder/report.json").read_text("utf-8"))["complete"]


def test_where_a_relative_path_starts(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """On the command line where the person is, in the ini file where the file is."""
    project.tests(TWO.format(statement="pass"))
    (project.path / "below").mkdir()
    monkeypatch.chdir(project.path / "below")
    project.run("..", "--rootdir=..", "--compilecheck-json=typed.json")
    project.file("pytest.ini", "[pytest]\ncompilecheck_json = written.json\n")
    project.run("..")
    found = {str(path.relative_to(project.path)) for path in project.path.rglob("*.json")}
    assert found == {os.path.join("below", "typed.json"), "written.json"}


def test_ini_twins(project: Project) -> None:
    project.tests(TWO.format(statement="print()"))
    project.file(
        "pytest.ini",
        """
        [pytest]
        compilecheck = true
        compilecheck_json = report.json
        compilecheck_warn = true
        compilecheck_backend = aot_eager
        """,
    )
    result = project.run(check=False)
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines("compilecheck *: torch *, backend aot_eager, *")
    assert project.read_report()["contracts"][0]["violations"] != []
    project.run("--compilecheck-backend=eager").stdout.fnmatch_lines("compilecheck *: * eager, *")


def test_ids_and_places_that_are_not_ascii(project: Project) -> None:
    project.file(
        "Prüfung/test_größe.py",
        """
        import pytest
        from pytest_compilecheck import compile_contract

        @pytest.mark.parametrize("name", ["größe", "日本", "a/b c"])
        @compile_contract(shapes=[(2, 3)])
        def test_länge(x, name):
            print(name)
            return x + 1
        """,
    )
    report = project.report(outcomes={"failed": 3})
    jsonschema.validate(report, schema())
    sites = [contract["observed"]["break_sites"][0] for contract in report["contracts"]]
    assert {Path(site["file"]).as_posix() for site in sites} == {"Prüfung/test_größe.py"}
