"""A run does not pass in silence because it held none of the contracts that are there."""

from __future__ import annotations

import pytest

from pytest_layer.projects import Project, assert_shows

MODEL = "def twice(x):\n    return x * 2\n"
CONTRACT = """
version: 1
contracts:
  twice: {target: "models_looked_for:twice", inputs: {x: "2 3"}}
"""
OUTSIDE = "contracts/a.contract.yaml"
NONE = "no contract was held"


@pytest.fixture
def models(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project with a test in a folder of tests, and a contract file outside of it."""
    project.file("models_looked_for.py", MODEL)
    project.file("tests/test_plain.py", "def test_plain():\n    pass\n")
    project.file(OUTSIDE, CONTRACT)
    monkeypatch.syspath_prepend(project.path)
    return project


def ini(project: Project, *lines: str) -> None:
    project.file("pytest.ini", "\n".join(["[pytest]", *lines, ""]))


def ids(project: Project, *arguments: str) -> list[str]:
    report = project.report(*arguments)
    return [each["id"] for each in report["contracts"]]


@pytest.mark.slow
@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_files_outside_of_testpaths_are_held(models: Project, workers: tuple[str, ...]) -> None:
    ini(models, "testpaths = tests")
    models.file("tests/contracts/b.contract.yaml", CONTRACT)
    report = models.report_apart(*workers, outcomes={"passed": 3})
    assert sorted(each["id"] for each in report["contracts"]) == [
        f"{OUTSIDE}::twice",
        "tests/contracts/b.contract.yaml::twice",
    ]
    assert report["complete"] is True


@pytest.mark.parametrize(
    "arguments",
    [
        ("tests",),
        ("--ignore=contracts",),
        ("--ignore-glob=contracts/*",),
        ("-k", "plain"),
        ("-o", "norecursedirs=contr*"),
    ],
)
def test_what_a_call_asks_for_is_left_as_it_is(models: Project, arguments: tuple[str, ...]) -> None:
    ini(models, "testpaths = tests")
    result = models.run(*arguments)
    result.assert_outcomes(passed=1, deselected=1 if "-k" in arguments else 0)
    assert_shows(result, NONE)


def test_a_file_that_is_named_is_held_alone(models: Project) -> None:
    ini(models, "testpaths = tests")
    assert ids(models, OUTSIDE) == [f"{OUTSIDE}::twice"]


def test_where_nothing_runs_nothing_is_said(models: Project) -> None:
    ini(models, "testpaths = tests")
    result = models.run("--collect-only", "-q")
    assert_shows(result, f"{OUTSIDE}::twice")
    assert NONE not in result.stdout.str()


def test_a_call_from_a_folder_below_holds_what_lies_there(
    models: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    ini(models, "testpaths = tests")
    monkeypatch.chdir(models.path / "tests")
    result = models.run()
    result.assert_outcomes(passed=1)
    assert_shows(result, NONE)


def test_without_the_flag_testpaths_say_it_all(models: Project) -> None:
    ini(models, "testpaths = tests")
    result = models.run(check=False)
    result.assert_outcomes(passed=1)
    assert NONE not in result.stdout.str()


def test_installed_and_foreign_folders_are_not_looked_into(models: Project) -> None:
    ini(models, "testpaths = tests")
    models.file("env/pyvenv.cfg", "")
    for folder in ("env", "node_modules", ".hidden", "build"):
        models.file(f"{folder}/contracts/b.contract.yaml", CONTRACT)
    assert ids(models) == [f"{OUTSIDE}::twice"]


def test_a_pattern_that_fits_no_file_is_told(models: Project) -> None:
    ini(models, "compilecheck_files = contracts/**/*.contract.yaml models/*/contract.yaml")
    told = "compilecheck_files: no file fits 'models/*/contract.yaml'"
    assert_shows(models.run(), told)
    assert_shows(models.run("-q"), told)
    assert told not in models.run("contracts").stdout.str()
    assert told not in models.run(check=False).stdout.str()
    models.file("models/one/contract.yaml", CONTRACT)
    result = models.run()
    result.assert_outcomes(passed=3)
    assert "no file fits" not in result.stdout.str()


def test_the_usual_patterns_need_no_file(project: Project) -> None:
    project.tests("@compile_contract(shapes=[(2, 3)])\ndef test_it(x):\n    return x + 1\n")
    result = project.run()
    assert "no file fits" not in result.stdout.str()
    assert NONE not in result.stdout.str()


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [(), ("contracts",), ("-q",), ("-n", "2")])
def test_a_contract_file_of_another_name_is_told(
    models: Project, arguments: tuple[str, ...]
) -> None:
    models.file("contracts/ranker.yaml", CONTRACT)
    models.file("contracts/base.yaml", CONTRACT.replace("twice:", "_twice:"))
    models.file("elsewhere/ranker.yaml", CONTRACT)
    result = models.run_apart(*arguments)
    assert_shows(
        result,
        "contracts/ranker.yaml has contracts and is passed over, because it fits no pattern of"
        " compilecheck_files (contracts/**/*.contract.yaml contracts/**/*.contract.yml): rename it",
    )
    assert result.stdout.str().count("is passed over") == 1


def test_a_file_that_is_named_is_not_passed_over(models: Project) -> None:
    models.file("contracts/ranker.yaml", CONTRACT)
    result = models.run("contracts", "contracts/ranker.yaml")
    result.assert_outcomes(passed=2)
    assert "is passed over" not in result.stdout.str()


def test_a_lonely_file_of_another_name_is_told(models: Project) -> None:
    (models.path / OUTSIDE).rename(models.path / "contracts" / "a.yaml")
    result = models.run("-q")
    assert_shows(result, "contracts/a.yaml has contracts and is passed over", NONE)


@pytest.mark.parametrize("arguments", [("-q",), ("-qq",), ("-n", "2")])
def test_a_run_that_held_nothing_says_so(models: Project, arguments: tuple[str, ...]) -> None:
    result = models.run_apart("tests", *arguments)
    assert_shows(result, NONE)
    assert f"{NONE}:" not in result.stdout.str()


def test_why_nothing_was_held(models: Project) -> None:
    skipped = CONTRACT.replace('"2 3"}', '"2 3"}, skip: later')
    models.file("contracts/b.contract.yaml", skipped)
    assert_shows(models.run("-k", "plain"), f"{NONE}: 2 left out by the call")
    assert_shows(models.run("contracts/b.contract.yaml"), f"{NONE}: 1 skipped")
