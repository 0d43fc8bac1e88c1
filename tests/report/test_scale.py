"""Reports of a large suite stay cheap; benchmarks/report_scale.py has the figures of one ten times
as large."""

from __future__ import annotations

import time
import tracemalloc
from pathlib import Path

import pytest

from pytest_compilecheck.report.document import read_report
from pytest_compilecheck.report.formats import FORMATS
from pytest_compilecheck.report.sarif import MOST, sarif_text
from report.many import many_contracts
from report.values import observation, record, run, site

SECONDS = 3.0
"""CPU time for everything, several times what it takes."""
MEGABYTES = 25.0
"""What rendering one format may take beside the records: several times the text."""

REPORT = many_contracts(1000)


def test_all_formats_and_reading_back(tmp_path: Path) -> None:
    start = time.process_time()
    texts = {name: each.render(REPORT) for name, each in FORMATS.items()}
    path = tmp_path / "report.json"
    path.write_text(texts["json"], "utf-8")
    found = read_report(path)
    assert time.process_time() - start < SECONDS
    assert found == run(*REPORT.contracts_by_id)


@pytest.mark.parametrize("name", FORMATS)
def test_a_text_is_made_without_the_data_of_all_contracts(name: str) -> None:
    tracemalloc.start()
    try:
        FORMATS[name].render(REPORT)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < MEGABYTES * 1e6


def test_a_sarif_log_holds_no_more_than_github_takes() -> None:
    sites = tuple(site(line=line) for line in range(1, MOST + 2))
    text = sarif_text(run(record(observed=observation(break_sites=sites))))
    assert text.count('"ruleId"') == MOST
    assert f"The log holds {MOST} results, the most that GitHub takes" in text
    fewer = sarif_text(run(record(observed=observation(break_sites=sites[:3]))))
    assert "the most that GitHub takes" not in fewer
