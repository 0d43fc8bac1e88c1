"""docs/reports.md shows what happens."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import torch

from pytest_compilecheck.cli import main
from pytest_compilecheck.report.formats import FORMATS
from pytest_layer.pages import DOCS, written
from pytest_layer.projects import Project, assert_shows

pytestmark = pytest.mark.skipif(
    not torch.__version__.startswith("2.13"), reason="the page shows figures of torch 2.13"
)


@pytest.fixture
def page(project: Project) -> dict[str, str]:
    """The blocks of the page; its files are written."""
    return written("reports.md", project)


def assert_is_excerpt(block: str, text: str) -> None:
    """Hold that the text is the block, with anything where it says [...]."""
    pieces = re.split(r"\n?\[\.\.\.\]\n?", block.strip("\n"))
    assert re.search(".*".join(map(re.escape, pieces)), text, re.DOTALL), block


def test_the_excerpts(
    project: Project,
    page: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    monkeypatch.chdir(project.path)
    options = ("--compilecheck-sarif=o.sarif", "--junitxml=o.xml")
    first, *renders = (line.removeprefix("$ ").split() for line in page["render"].splitlines())
    result = project.run(*first[2:], *options, "--compilecheck-annotations=always")
    assert_shows(result, *(line.replace("[...]", "*") for line in page["github"].splitlines()))
    assert_is_excerpt(page["junit"], Path("o.xml").read_text("utf-8").replace("><", ">\n<"))

    sarif = json.loads(Path("o.sarif").read_text("utf-8"))["runs"][0]["results"][0]
    place = sarif["locations"][0]["physicalLocation"]
    shown = json.loads(page["sarif"])
    assert shown == {"ruleId": sarif["ruleId"], "level": sarif["level"], **place}

    capsysbinary.readouterr()
    for command in renders:
        assert main(command[1:]) == 0
    assert_is_excerpt(page["markdown"], Path("report.md").read_text("utf-8"))
    rendered = capsysbinary.readouterr().out.decode()
    assert [line for line in result.outlines if line.startswith("::")] == rendered.splitlines()


def test_the_page_and_the_charts(
    project: Project, page: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project.path)
    result = project.run("--compilecheck-json=report.json", "--compilecheck-html=page.html")
    assert_shows(result, "compilecheck: report written to *page.html")
    text = Path("page.html").read_text("utf-8")
    assert "<h1>1 failed of 1 compile contract</h1>" in text
    assert "if y.mean() &gt; 0:" in text  # the source is read from the rootdir
    for command in page["plot"].splitlines():
        assert main(command.removeprefix("$ ").split()[1:]) == 0
    assert Path("gate.svg").read_text("utf-8").startswith("<svg ")
    assert Path("gate.png").read_bytes().startswith(b"\x89PNG")


def test_a_table_that_is_cut(project: Project, page: dict[str, str]) -> None:
    project.tests(
        """
        @compile_contract(shapes=[(2, 3)])
        def test_fine(x):
            return x + 1
        """
    )
    result = project.run("test_gate.py", "test_it.py", "--compilecheck-top=1")
    assert_shows(result, "failed *test_gate", page["top"].strip())


def test_every_format_is_on_the_page() -> None:
    text = (DOCS / "reports.md").read_text("utf-8")
    assert re.findall(r"`--to (\w+)` \|$", text, re.MULTILINE) == list(FORMATS)
