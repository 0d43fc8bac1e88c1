"""How many rows the tables at the end of a run show."""

from __future__ import annotations

import pytest

from pytest_layer.projects import Project

TESTS = """
@pytest.mark.parametrize("number", range(4))
@compile_contract(shapes=[(2, 3)])
def test_it(x, number):
    if number == 3:
        print()
    return x + 1
"""


def rows(result: pytest.RunResult) -> list[str]:
    """The rows of the table of contracts, by their outcomes, and what stands under it."""
    lines = result.outlines
    start = next(i for i, line in enumerate(lines) if line.startswith("outcome  "))
    return [line.split()[0] for line in lines[start + 2 : start + 7]]


@pytest.mark.parametrize(
    ("arguments", "ini", "shown"),
    [
        (["--compilecheck-top=2"], "", ["failed", "passed", "and"]),
        (["--compilecheck-top=2", "-v"], "", ["passed", "passed", "passed", "failed"]),
        (
            ["--compilecheck-top=0"],
            "compilecheck_top = 2",
            ["passed", "passed", "passed", "failed"],
        ),
        ([], "compilecheck_top = 1", ["failed", "and"]),
        ([], "", ["passed", "passed", "passed", "failed"]),
    ],
)
def test_contracts(project: Project, arguments: list[str], ini: str, shown: list[str]) -> None:
    project.file("pytest.ini", f"[pytest]\n{ini}\n")
    project.tests(TESTS)
    assert rows(project.run(*arguments))[: len(shown)] == shown


def test_a_markdown_file_keeps_to_the_same_rows(project: Project) -> None:
    project.tests(TESTS)
    for arguments, cut in ([], 1), (["-v"], 0):
        project.run("--compilecheck-top=2", "--compilecheck-markdown=report.md", *arguments)
        text = (project.path / "report.md").read_text("utf-8")
        assert text.count("and 1 more (1 passed): -v or --compilecheck-top=0 shows all") == cut


def test_places_of_an_audit(project: Project) -> None:
    project.tests(
        """
        def test_a():
            torch.compile(lambda x: x + 1, backend="eager")(torch.ones(3))

        def test_b():
            torch.compile(lambda x: x + 2, backend="eager")(torch.ones(3))
        """
    )
    result = project.run("--compilecheck-audit", "--compilecheck-top=1", check=False)
    result.stdout.fnmatch_lines("and 1 more: -v or --compilecheck-top=0 shows all")
    result = project.run("--compilecheck-audit", "--compilecheck-top=1", "-v", check=False)
    result.stdout.no_fnmatch_line("and 1 more: *")


def test_it_needs_a_flag(project: Project) -> None:
    result = project.run("--compilecheck-top=1", check=False)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
