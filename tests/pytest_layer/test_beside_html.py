"""The page of pytest-html holds what a failed contract says."""

from __future__ import annotations

import html
import json
import re

import pytest

from pytest_layer.projects import ONE_OF_TWO_BREAKS, Project


@pytest.mark.slow
@pytest.mark.parametrize("workers", [[], ["-n1"]], ids=["alone", "workers"])
def test_a_page_in_one_file(project: Project, workers: list[str]) -> None:
    project.beside = ("html", "html_fixtures", "metadata")
    project.tests(ONE_OF_TWO_BREAKS)
    result = project.run_apart("--html=page.html", "--self-contained-html", *workers)
    result.assert_outcomes(passed=1, failed=1)
    page = (project.path / "page.html").read_text("utf-8")
    blob = re.search(r'data-jsonblob="([^"]*)"', page)
    assert blob is not None
    tests = json.loads(html.unescape(blob[1]))["tests"]
    (failed,) = [each for (each,) in tests.values() if each["result"] == "Failed"]
    log = html.unescape(failed["log"])
    assert "1 graph break" in log
    assert "test_it.py:6" in log
    assert 'print("break")' in log.replace('\\"', '"')
