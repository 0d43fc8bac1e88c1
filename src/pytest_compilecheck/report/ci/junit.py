"""The report as JUnit XML: one test case for each contract, with its figures as properties."""

from __future__ import annotations

import re
from operator import attrgetter
from xml.etree import ElementTree as ET

from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.judge.run_report import Layout, RunReport
from pytest_compilecheck.report.ci.properties import properties
from pytest_compilecheck.report.failure import failure_lines, rerun_command
from pytest_compilecheck.report.style import plain
from pytest_compilecheck.report.summary_line import headline
from pytest_compilecheck.report.wording import printable_lines

# What XML 1.0 has no way to write (2.2 Characters), beside controls and lone surrogates.
_NO_XML = re.compile("[\ufffe\uffff]")


def junit_text(report: RunReport) -> str:
    """The report as a JUnit file of one suite."""
    contracts = sorted(report.contracts, key=attrgetter("name"))
    outcomes = [record.outcome for record in contracts]
    suites = ET.Element("testsuites")
    suite = ET.SubElement(
        suites,
        "testsuite",
        name="compilecheck",
        tests=str(len(contracts)),
        failures=str(outcomes.count("failed")),
        errors=str(outcomes.count("error")),
        skipped=str(sum(outcomes.count(each) for each in ("skipped", "xfailed"))),
        time=f"{sum(map(_seconds, contracts)):.3f}",
    )
    about = {
        "torch": report.torch,
        "python": report.python,
        "complete": str(report.complete).lower(),
        "missing": " ".join(sorted(report.missing)),
    }
    _properties(suite, list(about.items()))
    for record in contracts:
        _case(suite, record, report.layout)
    ET.indent(suites, " ")
    told = ET.tostring(suites, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{told}\n'


def _case(suite: ET.Element, record: ContractRecord, layout: Layout) -> None:
    file, _, names = record.name.partition("::")
    case = ET.SubElement(
        suite,
        "testcase",
        classname=xml_text(file.removesuffix(".py").replace("/", ".")),
        name=xml_text(names or file),
        file=xml_text(file),
        time=f"{_seconds(record):.3f}",
    )
    _properties(case, properties(record))
    tag = _TAGS.get(record.outcome)
    if tag is not None:
        ET.SubElement(case, tag, message=xml_text(headline(record))).text = (
            xml_text(_failure(record, layout)) if tag != "skipped" else None
        )
    elif record.outcome == "warned":
        ET.SubElement(case, "system-out").text = xml_text(_failure(record, layout))


_TAGS = {
    "failed": "failure",
    "error": "error",
    "skipped": "skipped",
    "xfailed": "skipped",
}


def _failure(record: ContractRecord, layout: Layout) -> str:
    return plain(failure_lines(record, root=layout.root, rerun=rerun_command(record.id)))


def _seconds(record: ContractRecord) -> float:
    return sum(entry.seconds for entry in record.observed.timeline) if record.observed else 0.0


def _properties(parent: ET.Element, values: list[tuple[str, str]]) -> None:
    found = ET.SubElement(parent, "properties")
    for name, value in values:
        ET.SubElement(found, "property", name=xml_text(name), value=xml_text(value))


def xml_text(text: str) -> str:
    """The text with escapes in place of what XML cannot hold, and of what steers a terminal."""
    return _NO_XML.sub(
        lambda found: found[0].encode("unicode_escape").decode(), printable_lines(text)
    )
