"""Every code block of a page is run by a test, or says why not.

A test runs a block that has a name by that name: `blocks(page)["output"]`, or a file by
`written(page, project)`; blocks without one by their language: `blocks_in(page, "yaml")`. Commands
and settings are held here, on all pages. `<!-- not run: why -->` stands above any other block.
"""

from __future__ import annotations

import ast
import configparser
import re
import shlex
from functools import cache
from pathlib import Path

import pytest

from pytest_compilecheck import cli
from pytest_compilecheck.pytest_layer.options import OPTIONS, SETTINGS
from pytest_layer.pages import DOCS, Fence, fences

TESTS = Path(__file__).parents[1]
PAGES = [
    "../README.md",
    *sorted(file.relative_to(DOCS).as_posix() for file in DOCS.rglob("*.md")),
]
HERE = ("shell", "console", "ini")
"""Languages whose blocks are held here."""
INI_KEYS = {*(option.ini for option in OPTIONS), *(setting.name for setting in SETTINGS)}


@cache
def texts_of(file: Path) -> tuple[set[str], str]:
    """The texts in a test module, and its source."""
    source = file.read_text("utf-8")
    constants = {
        node.value
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    return constants, source


def is_run(page: str, fence: Fence) -> bool:
    """Whether a test module that names the page takes the block."""
    for file in TESTS.rglob("test_*.py"):
        texts, source = texts_of(file)
        if page not in texts and "reference/{page}.md" not in source:
            continue
        kind = fence.name.partition("=")[0] + "="
        if fence.name and (fence.name in texts or (kind in texts and "=" in fence.name)):
            return True
        if fence.name.startswith("file=") and f'written("{page}"' in source:
            return True
        if f'blocks_in("{page}", "{fence.language}")' in source:
            return True
    return False


@pytest.mark.parametrize("page", PAGES)
def test_a_block_is_run_or_says_why_not(page: str) -> None:
    left = [
        f"{page}:{each.line}: {each.language} {each.name}"
        for each in fences(page)
        if not (each.why_not_run or is_run(page, each) or each.language in HERE)
    ]
    assert left == []


@pytest.mark.parametrize("page", PAGES)
def test_no_block_is_missed(page: str) -> None:
    text = (DOCS / page).read_text("utf-8")
    assert len(re.findall("^```", text, re.MULTILINE)) == 2 * len(fences(page))


@pytest.mark.parametrize("page", PAGES)
def test_commands_are_taken(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "_run", lambda options: 0)
    options = {option.name for option in OPTIONS}
    for fence in fences(page):
        if fence.language not in ("shell", "console") or fence.why_not_run:
            continue
        for program, *arguments in commands(fence):
            if program == "compilecheck":
                assert cli.main(arguments) == 0
            else:
                assert program == "pytest", f"{page}:{fence.line}: say why {program} is not run"
                ours = {each.partition("=")[0] for each in arguments if "--compilecheck" in each}
                assert ours <= options


def commands(fence: Fence) -> list[list[str]]:
    """The commands of a block; of a console they stand behind `$`, and outputs between them."""
    lines = fence.text.replace("\\\n", " ").splitlines()
    if fence.language == "console":
        lines = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
    parted = [shlex.split(line, comments=True) for line in lines]
    return [words[2:] if words[:2] == ["python", "-m"] else words for words in parted if words]


@pytest.mark.parametrize("page", PAGES)
def test_settings_are_known(page: str) -> None:
    for fence in fences(page):
        if fence.language == "ini":
            settings = configparser.ConfigParser()
            settings.read_string(fence.text)
            keys = set(settings["pytest"])
            assert {key for key in keys if key.startswith("compilecheck")} <= INI_KEYS
