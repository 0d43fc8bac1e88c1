"""Pages for whoever changes the plugin: what they name is there, and what they show works."""

from __future__ import annotations

import ast
import dataclasses
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import test_architecture
from cases import releases
from pytest_layer.pages import blocks
from report.values import observation, recompile, record, run

from pytest_compilecheck.contract import fields, model
from pytest_compilecheck.contract.bounds import Bound
from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.judge import judge as judge_module
from pytest_compilecheck.judge import unknown
from pytest_compilecheck.judge.case import Case
from pytest_compilecheck.judge.verdict import Violation
from pytest_compilecheck.observe import sources
from pytest_compilecheck.observe.values.doubt import FIGURES
from pytest_compilecheck.report import formats
from pytest_compilecheck.report.document import schema
from pytest_compilecheck.report.parts import violations

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "pytest_compilecheck"
PAGES = [
    "../CONTRIBUTING.md",
    "architecture.md",
    "add-a-bound.md",
    "add-a-report-format.md",
    "support-a-torch-release.md",
    "release-checklist.md",
    "compatibility.md",
]
MADE = {"CHANGELOG.md", "report.html", "12.bugfix.md", "+seed.feature.md"}
"""What a step of a page makes, and names of files as they could be."""
_FILE = r"[\w./*+-]+\.(?:py|json|ya?ml|toml|md|svg|html|css|js)"
_NAMED = re.compile(rf"`(?P<file>{_FILE}|[\w.][\w./-]*/)(?:: (?P<name>[\w.]+))?`")


def named(page: str) -> list[tuple[str, str]]:
    """What a page names in backticks: files and folders, each with a name in it or ""."""
    text = (ROOT / "docs" / page).read_text("utf-8")
    shown = {each.removeprefix("file=") for each in blocks(page)}
    found = [(each["file"], each["name"] or "") for each in _NAMED.finditer(text)]
    return [(file, name) for file, name in found if file not in shown | MADE]


def place(file: str) -> Path | None:
    """The file or folder, or the first that fits a pattern; from the root or the package."""
    places = (each for base in (ROOT, PACKAGE) for each in base.glob(file.rstrip("/")))
    return next(places, None)


@cache
def names_in(file: Path) -> set[str]:
    """What a module defines: functions, classes with what they define, values."""
    return set(_defined(ast.parse(file.read_text("utf-8")), ""))


def _defined(tree: ast.Module | ast.ClassDef, before: str) -> list[str]:
    found: list[str] = []
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.append(before + node.name)
        if isinstance(node, ast.ClassDef):
            found += _defined(node, f"{node.name}.")
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        found += [before + each.id for each in targets if isinstance(each, ast.Name)]
    return found


@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_names_is_there(page: str) -> None:
    found = named(page)
    assert found
    missing = []
    for file, name in found:
        there = place(file)
        if there is None or (name and name not in names_in(there)):
            missing.append(f"{file}: {name}" if name else file)
    assert missing == []


def test_every_folder_of_the_package_is_in_the_table() -> None:
    section = (ROOT / "docs" / "architecture.md").read_text("utf-8").partition("## The folders")[2]
    told = set(re.findall(r"`([\w/]+)/`", section.partition("\n## ")[0]))
    folders = {each.parent for each in PACKAGE.rglob("__init__.py")} - {PACKAGE}
    assert told == {each.relative_to(PACKAGE).as_posix() for each in folders}


def test_the_table_of_layers_is_the_one_that_is_held() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    section = text.partition("## What may import what")[2].partition("\n## ")[0]
    told = {}
    for parts, others in re.findall(r"^\| (`.*) \| (.*) \|$", section, re.MULTILINE):
        for part in re.findall(r"`(\w+)`", parts):
            told[part] = set(re.findall(r"`(\w+)`", others))
    held = {
        part: {each.partition(".")[0] for each in others}
        for part, others in test_architecture.ALLOWED.items()
    }
    assert told == held


# Each piece of code of a walk, in the module that it is for.

BOUND = blocks("add-a-bound.md")
NAME = "max_rebuilt_functions"


def value(code: str, module: Any) -> Any:
    """What an expression is in a module."""
    return eval(code, vars(module))


def rebuilt(allowed: int) -> list[Violation]:
    """What the new check says of two functions that were compiled again."""
    names: dict[str, Any] = dict(vars(judge_module))
    exec(BOUND["judge"], names)
    _, kind, default = re.split(r": | = ", BOUND["attribute"].strip())
    grown = dataclasses.make_dataclass(
        "Grown",
        [(NAME, value(kind, model), value(default, model))],
        bases=(Contract,),
        frozen=True,
        kw_only=True,
    )
    assert getattr(grown(), NAME) == Bound()
    seen = observation(recompile_events=(recompile(), recompile(line=30)))
    return names["_rebuilt_functions"](Case(grown(**{NAME: Bound(allowed)}), seen, "2.13.0"))


def test_the_field_of_the_walk_is_a_field() -> None:
    field = value(BOUND["field"], fields)
    faults: list[str] = []
    assert (field.name, field.parse(3, faults.append), faults) == (NAME, Bound(3), [])


def test_the_check_of_the_walk_checks() -> None:
    assert rebuilt(2) == []
    (violation,) = rebuilt(1)
    assert (violation.bound, violation.observed) == (NAME, 2)


def test_the_figure_and_the_words_of_the_walk(monkeypatch: pytest.MonkeyPatch) -> None:
    assert value(f"{{{BOUND['unknown']}}}", unknown)[NAME] in FIGURES
    words = value(BOUND["words"], violations)
    monkeypatch.setattr(violations, "BOUNDS", {**violations.BOUNDS, NAME: words})
    broken = dataclasses.replace(rebuilt(1)[0], observed=1, allowed=0)
    assert violations.violation_text(broken) == BOUND["output"].strip()


def test_the_schema_of_the_walk_is_as_those_of_other_bounds() -> None:
    added = json.loads(f"{{{BOUND['schema']}}}")
    others = schema()["$defs"]["contract"]["properties"]
    assert {**added[NAME], "description": ""} == {**others["max_graphs"], "description": ""}


def test_the_format_of_the_walk_renders() -> None:
    page = blocks("add-a-report-format.md")
    names: dict[str, Any] = {}
    exec(page["file=report/csv_table.py"], names)
    row = value(f"{{{page['row']}}}", formats)["csv"]
    assert row.renderer == "pytest_compilecheck.report.csv_table:csv_text"
    report = run(record(id="tests/test_mlp.py::test_mlp", observed=observation()), record(id="=a"))
    header, formula, told = names["csv_text"](report).splitlines()
    assert [header, told] == page["output"].splitlines()
    assert formula == f"'=a,passed{9 * ',?'}"
    stopped = dataclasses.replace(report, complete=False, missing=("b.py::t",))
    assert "b.py::t" in names["csv_text"](stopped).splitlines()[-1]


def test_the_entry_of_the_walk_is_one_of_the_table() -> None:
    shown = ast.literal_eval(blocks("support-a-torch-release.md")["since"])
    name = "b29_setattr_global_side_effect"
    assert shown == {name: releases._SINCE["2.14"][name]}


def test_the_silence_of_the_walk_is_one_of_the_self_check() -> None:
    told = blocks("support-a-torch-release.md")["silence"].strip()
    known = [sources.doubt((), each.silence, "2.16.0").why for each in sources._SOURCES]
    assert any(each.startswith(told) for each in known)
