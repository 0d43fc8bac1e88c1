from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pytest_compilecheck.report.formats import FORMATS, Format
from pytest_compilecheck.report.installed_formats import (
    FormatError,
    chosen_format,
    declared_text,
    overruled,
)
from report.values import run

MODULE = """
from pytest_compilecheck.report.formats import Format

LINES = Format("lines", lambda report: "a line")
WRONG = "no format"
"""
ENTRIES = """
[pytest_compilecheck.formats]
lines = {module}:LINES
wrong = {module}:WRONG
missing = {module}:MISSING
json = {module}:WRONG
"""


def install(folder: Path, package: str) -> None:
    """A package, as the import system finds an installed one."""
    module = package.replace("-", "_")
    (folder / f"{module}.py").write_text(MODULE)
    metadata = folder / f"{module}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(ENTRIES.format(module=module))


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a package that declares formats."""
    install(tmp_path, "acme-reports")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "acme_reports", raising=False)
    return tmp_path


@pytest.mark.usefixtures("installed")
def test_a_format_of_a_package() -> None:
    assert chosen_format("lines").render(run()) == "a line"


@pytest.mark.usefixtures("installed")
def test_a_built_in_one_stays_what_it_is() -> None:
    assert chosen_format("json") is FORMATS["json"]


def test_others_are_given_by_name() -> None:
    mine = Format("mine", lambda _: "")
    assert chosen_format("mine", {"mine": mine}) is mine


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("line", "there is no report format 'line' (did you mean 'lines'?)"),
        ("xyz", "there is no report format 'xyz' (known are "),
        ("wrong", "the format 'wrong' of the package acme-reports: acme_reports:WRONG is 'no form"),
        ("missing", "the format 'missing' of the package acme-reports: AttributeError: "),
    ],
)
def test_what_is_no_format(name: str, message: str) -> None:
    with pytest.raises(FormatError) as raised:
        chosen_format(name)
    assert str(raised.value).startswith(message)


@pytest.mark.usefixtures("installed")
def test_they_are_named_without_an_import() -> None:
    told = declared_text().split(", ")
    assert "lines of the package acme-reports" in told
    assert "missing of the package acme-reports" in told
    assert not any(each.startswith("json of") for each in told)
    assert "acme_reports" not in sys.modules


def test_a_name_that_is_built_in_is_told(installed: Path) -> None:
    (told,) = overruled(["json", "html", "lines"])
    assert told == (
        "the package acme-reports declares a report format 'json', which is never used: one of"
        " that name is built in, so it has to choose another"
    )
    assert overruled(["html", "lines"]) == []


def test_two_of_one_name(installed: Path) -> None:
    install(installed, "other-reports")
    with pytest.raises(FormatError, match=r"more than once, by the package .+ and the package"):
        chosen_format("lines")


@pytest.mark.usefixtures("installed")
def test_one_of_a_package_and_one_of_the_project() -> None:
    with pytest.raises(FormatError, match=r"by the package acme-reports and a hook of this run:"):
        chosen_format("lines", {"lines": Format("mine", lambda _: "")})
