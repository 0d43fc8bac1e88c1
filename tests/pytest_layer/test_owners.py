"""Owners of files that a plugin tells."""

from __future__ import annotations

import json

import pytest

from pytest_layer.projects import Project, assert_shows

LABELS = """
def pytest_compilecheck_owner(file):
    with open("asked.txt", "a") as asked:
        print(file.name, file=asked)
    return {answer} if "vendored" in file.parts else None
"""
BREAKS = """
from vendored.lib import shown

@compile_contract(shapes=[(2, 3)], owners=["own"])
def test_first(x):
    return shown(x)

@compile_contract(watch_only=True, owners=["own"])
def test_second():
    torch.compile(shown, backend="eager")(torch.ones(3))

def test_block(compilecheck):
    with compilecheck.watch(owners=["own"]):
        torch.compile(shown, backend="eager")(torch.ones(3))
"""


@pytest.fixture
def vendored(project: Project) -> Project:
    """A project with a package of others in it that breaks."""
    project.file("pytest.ini", "[pytest]\npythonpath = .\n")
    project.file("vendored/lib.py", "def shown(x):\n    print('here')\n    return x.sin()\n")
    project.tests(BREAKS)
    return project


def label(project: Project, answer: str = "'third_party'") -> None:
    project.file("conftest.py", LABELS.format(answer=answer))


def test_what_a_plugin_calls_third_party_is_not_own(vendored: Project) -> None:
    vendored.run().assert_outcomes(failed=3)
    label(vendored)
    report = vendored.report(outcomes={"passed": 3})
    sites = [site for each in report["contracts"] for site in each["observed"]["break_sites"]]
    assert [site["owner"] for site in sites] == ["third_party"] * 3
    assert sites[0]["own_frame"]["file"] == "test_it.py"


def test_each_file_is_asked_for_once(vendored: Project) -> None:
    label(vendored)
    vendored.run()
    asked = (vendored.path / "asked.txt").read_text().split()
    assert asked.count("lib.py") == asked.count("test_it.py") == 1
    assert len(asked) == len(set(asked) | {name for name in asked if name == "__init__.py"})


def test_contract_files_and_unittest(vendored: Project) -> None:
    label(vendored)
    vendored.file(
        "contracts/lib.contract.yaml",
        """
        version: 1
        contracts:
          shown: {target: "vendored.lib:shown", inputs: {x: "2 3"}, owners: [own]}
        """,
    )
    vendored.tests(
        """
        import unittest
        from vendored.lib import shown

        class TestIt(unittest.TestCase):
            @compile_contract(watch_only=True, owners=["own"])
            def test_it(self):
                torch.compile(shown, backend="eager")(torch.ones(3))
        """
    )
    vendored.run().assert_outcomes(passed=2)


def test_an_audit_tells_it_too(vendored: Project) -> None:
    label(vendored)
    arguments = ("--compilecheck-audit", "--compilecheck-json=report.json")
    vendored.run(*arguments, check=False).assert_outcomes(passed=3)
    data = json.loads((vendored.path / "report.json").read_text("utf-8"))
    sites = [site for each in data["audit"] for site in each["observed"]["break_sites"]]
    assert {site["owner"] for site in sites} == {"third_party"}


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("1 // 0", "conftest.py raised in its pytest_compilecheck_owner: ZeroDivisionError"),
        ("'vendored'", "pytest_compilecheck_owner gave 'vendored' for *lib.py, and none of 'own'"),
        ("['own']", "pytest_compilecheck_owner gave ['own'] for *lib.py, and none of 'own'"),
        ("__import__('pytest').skip('no')", "in its pytest_compilecheck_owner: Skipped: no"),
    ],
)
def test_a_mistake_fails_each_contract_with_code_of_the_file(
    vendored: Project, answer: str, message: str
) -> None:
    label(vendored, answer)
    vendored.file("test_other.py", "")
    vendored.tests("@compile_contract(shapes=[(2, 3)])\ndef test_o(x): return x + 1", "test_o.py")
    result = vendored.run()
    result.assert_outcomes(passed=1, failed=3)
    assert_shows(result, f"the owner of vendored/lib.py is not known: *{message}")


def test_an_innocent_plugin_is_not_named(vendored: Project) -> None:
    label(vendored, "None")
    vendored.file(
        "other.py",
        """
        def pytest_compilecheck_owner(file):
            return "mine" if "vendored" in file.parts else None
        """,
    )
    vendored.file("pytest.ini", "[pytest]\npythonpath = .\naddopts = -p other\n")
    told = "pytest_compilecheck_owner gave 'mine' for *"
    assert_shows(vendored.run(), f"*not known: the plugin other: {told}")


def test_a_mistake_is_told_by_an_audit(vendored: Project) -> None:
    label(vendored, "'vendored'")
    result = vendored.run("--compilecheck-audit", check=False)
    result.assert_outcomes(passed=3)
    assert_shows(result, "the owner of vendored/lib.py is not known: *gave 'vendored' for ")
