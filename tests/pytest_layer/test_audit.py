"""--compilecheck-audit: every test is watched, none is judged."""

from __future__ import annotations

import pytest

from pytest_compilecheck.cli import main
from pytest_layer.projects import Project

SUITE = """
    def plain(x):
        return x + 1

    def broken(x):
        y = x + 1
        print("here")
        return y * 2

    @pytest.fixture(scope="module")
    def compiled():
        return torch.compile(plain, backend="eager")

    def test_first(compiled):
        compiled(torch.ones(3))
        compiled(torch.ones(4))

    def test_warm(compiled):
        compiled(torch.ones(5))

    def test_broken():
        torch.compile(broken, backend="eager")(torch.ones(3))

    def test_plain():
        assert plain(1) == 2

    def test_wrong():
        assert plain(1) == 1

    @pytest.mark.skip
    def test_later():
        pass
"""
OUTCOMES = {"passed": 4, "failed": 1, "skipped": 1}


def audited(project: Project, *arguments: str) -> dict[str, dict]:
    result = project.run_apart(
        "--compilecheck-audit", "--compilecheck-json=report.json", *arguments, check=False
    )
    result.assert_outcomes(**OUTCOMES)
    report = project.read_report()
    assert report["contracts"] == []
    return {each["id"].partition("::")[2]: each for each in report["audit"]}


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [(), ("-n2", "--dist=loadfile")], ids=["alone", "workers"])
def test_every_test_is_watched_and_none_is_judged(
    project: Project, arguments: tuple[str, ...]
) -> None:
    project.tests(SUITE)
    seen = audited(project, *arguments)
    figures = {
        name: (
            each["outcome"],
            len(each["observed"]["break_sites"]),
            each["observed"]["recompiles"],
            each["observed"]["graphs"],
            [entry["call"] for entry in each["observed"]["timeline"]],
        )
        for name, each in seen.items()
    }
    assert figures == {
        "test_first": ("passed", 0, 1, 2, [0, 1]),
        "test_warm": ("passed", 0, 0, 0, [0]),
        "test_broken": ("passed", 1, 0, 2, [0]),
        "test_plain": ("passed", 0, 0, 0, []),
        "test_wrong": ("failed", 0, 0, 0, []),
        "test_later": ("skipped", 0, 0, 0, []),
    }
    assert seen["test_warm"]["observed"]["warm_graphs"] == 1


def test_the_end_ranks_places_and_tests(project: Project) -> None:
    project.tests(SUITE)
    result = project.run("--compilecheck-audit", check=False)
    result.stdout.fnmatch_lines(
        [
            "*compile audit*",
            "6 tests, 3 compiled something",
            "graph breaks, by place",
            "     1      1  test_it.py:9  Failed to trace builtin operator (GB0059)",
            "recompiles, by place",
            "         1      1  test_it.py:4 in plain  x.size(0) (shape)",
            "tests",
            "     1 *test_it.py::test_broken",
            "2 tests compiled nothing",
            "  2 tests of test_it.py",
        ]
    )
    verbose = project.run("--compilecheck-audit", "-v", check=False)
    verbose.stdout.fnmatch_lines(["2 tests compiled nothing", "  test_it.py::test_plain"])


def test_contracts_keep_their_verdict_beside_an_audit(project: Project) -> None:
    project.tests("""
        @compile_contract(shapes=(3,))
        def test_held(x):
            return x + 1

        def test_free():
            torch.compile(lambda x: x + 2, backend="eager")(torch.ones(3))
    """)
    report = project.report("--compilecheck-audit", outcomes={"passed": 2})
    assert [each["id"] for each in report["contracts"]] == ["test_it.py::test_held"]
    assert [each["id"] for each in report["audit"]] == ["test_it.py::test_free"]


def test_an_audit_leaves_torch_as_it_was(project: Project) -> None:
    project.tests("""
        import torch._dynamo.eval_frame as eval_frame

        def test_it():
            torch.compile(lambda x: x + 1, backend="eager")(torch.ones(3))
    """)
    from torch._dynamo import convert_frame, eval_frame

    before = eval_frame.OptimizeContext.__init__, convert_frame.CatchErrorsWrapper.__call__
    project.run("--compilecheck-audit", check=False).assert_outcomes(passed=1)
    after = eval_frame.OptimizeContext.__init__, convert_frame.CatchErrorsWrapper.__call__
    assert after == before


@pytest.mark.slow
def test_suggestions_hold_what_the_report_saw(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    project.tests(SUITE)
    audited(project)
    capsys.readouterr()
    assert main(["suggest", str(project.path / "report.json")]) == 0
    written = capsys.readouterr().out
    assert "test_plain" not in written
    assert (
        "# test_it.py::test_broken\n"
        "@compile_contract(watch_only=True, max_graph_breaks=1)\n"
        "def test_broken(...): ...\n"
    ) in written
    assert "@compile_contract(watch_only=True, max_recompiles=1)\ndef test_first(" in written
    assert "# met graphs of an earlier test" in written.partition("::test_warm")[2]


def test_figures_after_an_earlier_test_of_the_same_code_are_marked(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    project.tests("""
        def plain(x):
            return x + 1

        def test_first():
            torch.compile(plain, backend="eager")(torch.ones(3))

        def test_second():
            torch.compile(plain, backend="eager")(torch.ones(3, dtype=torch.float64))
    """)
    project.run("--compilecheck-audit", "--compilecheck-json=report.json", check=False)
    first, second = project.read_report()["audit"]
    assert [each["observed"]["earlier_codes"] for each in (first, second)] == [0, 1]
    capsys.readouterr()
    main(["suggest", str(project.path / "report.json")])
    written = capsys.readouterr().out
    assert "# met graphs" not in written.partition("test_second")[0]
    assert "# met graphs" in written.partition("test_second")[2]


def test_what_is_no_report_is_refused(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    project.file("other.json", "[]")
    assert main(["suggest", str(project.path / "other.json")]) == 2
    assert "is no report of this version" in capsys.readouterr().err
    assert main(["suggest", str(project.path / "none.json")]) == 2
    assert "cannot be read" in capsys.readouterr().err
