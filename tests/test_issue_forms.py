"""The forms for issues are forms: GitHub shows one with a fault to nobody, and says so nowhere."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

FOLDER = Path(__file__).parents[1] / ".github" / "ISSUE_TEMPLATE"
FORMS = sorted(set(FOLDER.glob("*.yml")) - {FOLDER / "config.yml"})
# What each is to ask for, whatever else it has.
NEEDED = {
    "bug": {"happened", "program", "compilecheck", "torch"},
    "wrong-count": {"program", "seen", "right", "logs", "versions"},
    "feature": {"want", "today"},
}
TYPES = {"markdown", "textarea", "input", "dropdown", "checkboxes"}


def form(path: Path) -> dict[str, Any]:
    data: dict[str, Any] = yaml.safe_load(path.read_text("utf-8"))
    return data


def asked(path: Path) -> list[dict[str, Any]]:
    """What a form asks for; prose is no question."""
    return [each for each in form(path)["body"] if each["type"] != "markdown"]


def test_there_is_a_form_for_each_kind_of_issue() -> None:
    assert {path.stem for path in FORMS} == NEEDED.keys()
    assert form(FOLDER / "config.yml").keys() <= {"blank_issues_enabled", "contact_links"}


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_a_form_is_one(path: Path) -> None:
    data = form(path)
    assert data.keys() <= {"name", "description", "title", "labels", "assignees", "body"}
    assert all(data[key] and isinstance(data[key], str) for key in ("name", "description"))
    for each in data["body"]:
        assert each.keys() <= {"type", "id", "attributes", "validations"}
        assert each["type"] in TYPES
        texts = each["attributes"].values()
        assert all(isinstance(text, str) for text in texts), "a text that YAML took for another"
    ids = Counter(each["id"] for each in asked(path))
    labels = Counter(each["attributes"]["label"] for each in asked(path))
    assert set(ids.values()) == set(labels.values()) == {1}


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_what_is_needed_is_required(path: Path) -> None:
    required = {each["id"] for each in asked(path) if each["validations"]["required"] is True}
    assert required == NEEDED[path.stem]


def test_a_bug_asks_for_the_report_and_says_how_to_make_it_small() -> None:
    (report,) = (each for each in asked(FOLDER / "bug.yml") if each["id"] == "report")
    assert "--compilecheck-json=" in report["attributes"]["description"]
    assert "--contract" in report["attributes"]["description"]
