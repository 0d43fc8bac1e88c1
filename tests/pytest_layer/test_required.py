from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import hypothesis
import pytest
import report.values
from packaging.specifiers import SpecifierSet

from pytest_compilecheck.contract.trace.inputs import (
    InputDict,
    InputSequence,
    MadeObject,
    PythonValue,
)
from pytest_compilecheck.pytest_layer.collecting.required import from_minor, import_paths, required


@pytest.mark.parametrize(
    ("installed", "specifier"),
    [
        ("5.24.1", ">=5.24"),
        ("2024", ">=2024"),
        ("1.2+cu128", ">=1.2"),
        ("5.25.0.dev0", ">=5.25.0.dev0"),
        ("1!2.3.4", ">=1!2.3"),
        ("odd", ""),
    ],
)
def test_what_is_installed_fits(installed: str, specifier: str) -> None:
    assert from_minor(installed) == specifier
    if specifier:
        assert SpecifierSet(specifier, prereleases=True).contains(installed)


def test_packages_of_others_are_required() -> None:
    paths = ["hypothesis:given", "torch.nn:Linear", "json:loads", "report.values:site", "no:such"]
    major, minor = version("hypothesis").split(".")[:2]
    # The environment may lie in the project.
    for root in (Path(__file__).parents[2], Path(hypothesis.__file__).anchor):
        assert required(paths, root=str(root)) == {"hypothesis": f">={major}.{minor}"}


def test_own_code_is_not_required_though_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {"report": ["hypothesis"]}
    monkeypatch.setattr(
        "pytest_compilecheck.pytest_layer.collecting.required.packages_distributions", lambda: known
    )
    tests = Path(report.values.__file__).parents[1]
    assert required(["report.values:site"], root=str(tests)) == {}
    assert list(required(["report.values:site"], root=str(tests / "elsewhere"))) == ["hypothesis"]


def test_paths_are_found_in_whatever_is_made() -> None:
    inner = MadeObject("a:B", {"x": PythonValue(1), "y": MadeObject("a:C", {})})
    made = [PythonValue({"make": "not:this"}), InputSequence("list", (InputDict({"k": inner}),))]
    assert list(import_paths(made)) == ["a:B", "a:C"]
