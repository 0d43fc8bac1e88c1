"""Reports of a large suite stay cheap; benchmarks/report_scale.py has the figures of one ten times
as large."""

from __future__ import annotations

import time
import tracemalloc
from pathlib import Path

import pytest

from pytest_compilecheck.files import write_whole
from pytest_compilecheck.report.ci.sarif import MOST, sarif_text
from pytest_compilecheck.report.document import read_report
from pytest_compilecheck.report.formats import FORMATS
from pytest_compilecheck.report.html.page import html_text
from report.many import many_contracts
from report.values import observation, record, run, site

SECONDS, PAGE_SECONDS = 3.0, 12.0
"""CPU time for all texts but the page, and for the page: several times what it takes."""
TIMES, MEGABYTES = 5, 25.0
"""What rendering a format may take beside the records: so much, or so many times its text."""
TEXTS = [name for name in FORMATS if name not in ("svg", "png", "pdf")]  # those are of one contract

REPORT = many_contracts(1000)


def test_all_formats_and_reading_back(tmp_path: Path) -> None:
    start = time.process_time()
    for name in TEXTS:
        if name != "html":
            write_whole(tmp_path / name, FORMATS[name].render(REPORT))
    found = read_report(tmp_path / "json")
    assert time.process_time() - start < SECONDS
    assert found == run(*REPORT.contracts_by_id)


def test_the_page() -> None:
    start = time.process_time()
    html_text(REPORT)
    assert time.process_time() - start < PAGE_SECONDS


@pytest.mark.slow
@pytest.mark.parametrize("name", TEXTS)
def test_a_text_is_made_without_the_data_of_all_contracts(name: str) -> None:
    tracemalloc.start()
    try:
        text = FORMATS[name].render(REPORT)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < max(MEGABYTES * 1e6, TIMES * len(text))


@pytest.mark.slow
def test_a_sarif_log_holds_no_more_than_github_takes() -> None:
    sites = tuple(site(line=line) for line in range(1, MOST + 2))
    text = sarif_text(run(record(observed=observation(break_sites=sites))))
    assert text.count('"ruleId"') == MOST
    assert f"The log holds {MOST} results, the most that GitHub takes" in text
    fewer = sarif_text(run(record(observed=observation(break_sites=sites[:3]))))
    assert "the most that GitHub takes" not in fewer
