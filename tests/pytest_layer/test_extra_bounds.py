"""Bounds that plugins declare, in every kind of contract."""

from __future__ import annotations

import pytest

from pytest_layer.projects import Project, assert_shows

DECLARED = """
from pytest_compilecheck import ExtraBound

def pytest_compilecheck_bounds():
    return [ExtraBound(name="max_ops", about="captured operations",
                       figure=lambda seen: {figure})]
"""
OPS = "seen.captured_ops"
TWO = """
@compile_contract(shapes=[(2, 3)], extra={extra})
def test_two(x):
    return x.sin().cos()
"""


def declare(project: Project, figure: str = OPS, folder: str = "") -> None:
    project.file(f"{folder}conftest.py", DECLARED.format(figure=figure))


def test_a_violation_is_in_every_report(project: Project) -> None:
    declare(project)
    project.tests(TWO.format(extra={"max_ops": 1}))
    result = project.run("--compilecheck-json=report.json")
    told = "captured operations: 2, at most 1 allowed"
    assert_shows(result, f"{told}  [max_ops]", f"FAILED test_it.py::test_two - {told}")
    (contract,) = project.read_report()["contracts"]
    assert contract["contract"]["extra"] == {"max_ops": 1}
    (violation,) = contract["violations"]
    expected = {"bound": "max_ops", "allowed": 1, "observed": 2, "message": told}
    assert violation.items() >= expected.items()


@pytest.mark.parametrize("allowed", [2, {"<2.14": 2, ">=2.14": 2}, None])
def test_a_bound_that_holds(project: Project, allowed: object) -> None:
    declare(project)
    project.tests(TWO.format(extra={"max_ops": allowed}))
    project.run().assert_outcomes(passed=1)
    project.run(check=False).assert_outcomes(passed=1)


def test_every_kind_of_contract(project: Project) -> None:
    declare(project)
    project.file("pytest.ini", "[pytest]\npythonpath = .\ncompilecheck_modules = lib\n")
    project.file(
        "lib.py",
        """
        from pytest_compilecheck import compile_contract

        @compile_contract(shapes=[(2, 3)], extra={"max_ops": 1})
        def two(x):
            return x.sin().cos()
        """,
    )
    project.file(
        "contracts/two.contract.yaml",
        """
        version: 1
        contracts:
          two: {target: "lib:two", inputs: {x: "2 3"}, extra: {max_ops: 1}}
        """,
    )
    project.tests(
        """
        from lib import two

        @pytest.mark.compile_contract(shapes=[(2, 3)], extra={"max_ops": 1})
        def test_mark(x):
            return two(x)

        def test_block(compilecheck):
            with compilecheck.watch(extra={"max_ops": 1}):
                torch.compile(two, backend="eager")(torch.ones(2, 3))
        """
    )
    report = project.report(outcomes={"failed": 4})
    bounds = [each["violations"][0]["bound"] for each in report["contracts"]]
    assert bounds == ["max_ops"] * 4


def test_unknown_names_are_faults_at_collection(project: Project) -> None:
    declare(project)
    project.tests(TWO.format(extra={"max_opps": 1}))
    project.file(
        "contracts/two.contract.yaml",
        """
        version: 1
        contracts:
          two:
            target: "math:sin"
            extra:
              min_ops: 1
        """,
    )
    result = project.run()
    result.assert_outcomes(errors=2)
    undeclared = "no plugin that is loaded declares this bound"
    assert_shows(
        result,
        f"two.contract.yaml:6:16: extra['min_ops']: {undeclared} (did you mean 'max_ops'?)",
        f"test_it.py:4: extra['max_opps']: {undeclared} (did you mean 'max_ops'?)",
    )


def test_a_conftest_is_asked_for_the_tests_below_it(project: Project) -> None:
    declare(project, folder="one/")
    for folder in ("one", "two"):
        (project.path / folder).mkdir(exist_ok=True)
        project.tests(TWO.format(extra={"max_ops": 2}), f"{folder}/test_{folder}.py")
    result = project.run("--continue-on-collection-errors")
    result.assert_outcomes(passed=1, errors=1)
    assert_shows(result, "ERROR two/test_two.py")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("raise KeyError('x')", "conftest.py raised in its pytest_compilecheck_bounds: KeyError:"),
        ("return 3", "pytest_compilecheck_bounds gave 3, and not a list of ExtraBound"),
        ("return ['max_ops']", "pytest_compilecheck_bounds gave 'max_ops', and not a list of"),
        ("pytest.skip('no')", "conftest.py raised in its pytest_compilecheck_bounds: Skipped: no"),
        (
            "return 2 * [ExtraBound(name='max_ops', about='', figure=len)]",
            "pytest_compilecheck_bounds gave two bounds of the name 'max_ops': rename one of them",
        ),
    ],
)
def test_mistakes_of_a_plugin_fail_the_collection(
    project: Project, body: str, message: str
) -> None:
    head = "import pytest\nfrom pytest_compilecheck import ExtraBound\n"
    project.file("conftest.py", f"{head}def pytest_compilecheck_bounds():\n    {body}\n")
    project.tests(TWO.format(extra={"max_ops": 1}))
    for check in (True, False):
        result = project.run(check=check)
        result.assert_outcomes(errors=1)
        assert_shows(result, f"test_it.py:4: extra: the plugin *{message}")


def test_a_figure_that_cannot_be_had_fails_the_contract(project: Project) -> None:
    (project.path / "one").mkdir()
    declare(project, figure="1 // 0", folder="one/")
    project.tests(TWO.format(extra={"max_ops": 100}), "one/test_it.py")
    result = project.run()
    result.assert_outcomes(failed=1)
    why = "the plugin one/conftest.py raised ZeroDivisionError: * (one/conftest.py:5), at most 100"
    assert_shows(result, f"captured operations: unknown, because {why} allowed")


OTHER = """
from pytest_compilecheck import ExtraBound

def pytest_compilecheck_bounds():
    yield ExtraBound(name="{name}", about="b", figure=lambda seen: None)
"""


def test_a_wrong_answer_is_of_the_one_that_gave_it(project: Project) -> None:
    (project.path / "one").mkdir()
    project.file("conftest.py", "def pytest_compilecheck_bounds():\n    return 3\n")
    project.file("one/conftest.py", OTHER.format(name="max_other"))
    project.tests(TWO.format(extra={"max_other": 1}), "one/test_it.py")
    (told,) = [line for line in project.run().outlines if "gave 3, and not a list" in line]
    assert "conftest.py: pytest_compilecheck_bounds" in told
    assert "one/conftest.py" not in told.partition("extra:")[2]


def test_a_name_that_two_declare_is_of_both(project: Project) -> None:
    (project.path / "one").mkdir()
    declare(project)
    project.file("one/conftest.py", OTHER.format(name="max_ops"))
    project.tests(TWO.format(extra={"max_ops": 1}), "one/test_it.py")
    result = project.run()
    result.assert_outcomes(errors=1)
    both = "the plugin */one/conftest.py and the plugin */conftest.py"
    assert_shows(result, f"*extra: {both}: *gave two bounds of the name 'max_ops': rename one*")


def test_a_bound_that_is_yielded(project: Project) -> None:
    project.file("conftest.py", OTHER.format(name="max_ops"))
    project.tests(TWO.format(extra={"max_ops": 1}))
    assert_shows(project.run(), "b: unknown, because the plugin conftest.py does not know it*")


def test_nobody_is_asked_for_contracts_without_one(project: Project) -> None:
    project.file("conftest.py", "def pytest_compilecheck_bounds():\n    raise ValueError\n")
    project.tests("@compile_contract(shapes=[(2, 3)])\ndef test_it(x):\n    return x.sin()\n")
    project.run().assert_outcomes(passed=1)
