from __future__ import annotations

import html
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from markdown_it import MarkdownIt
from report.drawn import reports
from report.values import (
    change,
    fallback,
    observation,
    recompile,
    record,
    run,
    site,
    violation,
)

from pytest_compilecheck.judge.audited import AuditedTest
from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.judge.run_report import Layout, RunReport
from pytest_compilecheck.judge.told import told_change, told_site
from pytest_compilecheck.judge.verdict import Allowed
from pytest_compilecheck.report.ci.markdown import markdown_blocks, markdown_text, markdown_within

PARSER = MarkdownIt("commonmark").enable("table")


def broken(**fields: Any) -> ContractRecord:
    seen = observation(break_sites=(site(),), recompile_events=(recompile(),))
    return record(violation("max_graph_breaks", 0, 1), **{"observed": seen, **fields})


def held(**fields: Any) -> ContractRecord:
    return record(**{"id": "tests/test_mlp.py::test_held", "observed": observation(), **fields})


def test_what_is_broken_comes_first() -> None:
    text = markdown_text(run(held(), broken(outcome="warned", id="w"), broken()))
    assert text.startswith(
        "## 1 failed, 1 warned of 3 compile contracts\n"
        "\n"
        "1 failed, 1 warned, 1 passed; torch 2.13.0, Python 3.11.7\n"
        "\n"
        "| outcome | breaks | recompiles | fallbacks | contract |\n"
        "| --- | ---: | ---: | ---: | --- |\n"
        "| failed | 1/0 | 1/0 | 0/0 | `tests/test_mlp.py::test_mlp` |\n"
        "| warned | 1/0 | 1/0 | 0/0 | `w` |\n"
        "\n"
        "<details><summary><code>tests/test_mlp.py::test_mlp</code>: 1 graph break, 0 allowed:"
        " model/mlp.py:14 Data-dependent branching</summary>\n"
    )
    assert (
        "<details><summary>1 passed</summary>\n"
        "\n"
        "| outcome | breaks | recompiles | fallbacks | contract |\n"
        "| --- | ---: | ---: | ---: | --- |\n"
        "| passed | 0/0 | 0/0 | 0/0 | `tests/test_mlp.py::test_held` |\n"
        "\n"
        "</details>\n"
    ) in text
    assert text.count("<details>") == text.count("</details>") == 4


def test_the_details_of_a_failure(tmp_path: Path) -> None:
    (tmp_path / "mlp.py").write_text("def inner(x):\n    if x.sum() > 0:\n        return x\n")
    seen = observation(
        break_sites=(
            site(file="mlp.py", line=2, column=8, end_column=19, code="if x.sum() > 0:", chain=()),
        )
    )
    layout = Layout(root=str(tmp_path))
    text = markdown_text(run(broken(observed=seen), layout=layout))
    details = text.partition("</summary>\n\n")[2].partition("\n\n</details>")[0]
    assert details == (
        "**1 graph break, 0 allowed**  \\[max_graph_breaks\\]\n"
        "\n"
        "**Graph breaks: torch.compile stops capturing at these lines and runs them as plain"
        " Python.**\n"
        "\n"
        "graph break 1 of 1  `mlp.py:2:8 in inner`\n"
        "\n"
        "- **Data-dependent branching (GB0170)**\n"
        "  ```text\n"
        "    1 | def inner(x):\n"
        "  > 2 |     if x.sum() > 0:\n"
        "      |        ^^^^^^^^^^^\n"
        "    3 |         return x\n"
        "  ```\n"
        "- *your code:* model/mlp.py:14 in inner\n"
        "- *how often:* 3 events in calls 0, 1; runs once in every warm call\n"
        "- *why:* Detected data-dependent branching.\n"
        "- *hint:* Use \\`torch.cond\\` to express dynamic control flow.\n"
        "- *docs:* <https://example.org/gb0170.html>\n"
        "\n"
        "**calls:** 0 compile, 1 hit\n"
        "\n"
        'to accept it: `allow_breaks=[{"gb_id": "GB0170", "file": "mlp.py",'
        ' "function": "inner", "because": "why it may stay"}]`\n'
        "\n"
        "-v shows every call and every guard\n"
        "\n"
        "run it alone: `pytest --compilecheck tests/test_mlp.py::test_mlp`"
    )


def test_recompiles_and_fallbacks_have_their_sections() -> None:
    seen = observation(
        recompile_events=(recompile(changes=(change(source="self.a_b"),)),),
        fallbacks=(fallback(),),
    )
    failed = record(violation("max_recompiles", 0, 1), violation("fallback", 0, 1), observed=seen)
    text = markdown_text(run(failed))
    assert "- **self.a_b: 128 -&gt; 129**  (shape, argument)\n" in text
    assert "- *guard:* tensor 'x' size mismatch at index 1. expected 128, actual 129\n" in text
    assert "| failed | 0/0 | 1/0 | 1/0 |" in text
    assert "**calls 8-10: torch's limit of rebuilds is reached**\n\n- `model/mlp.py:9 in" in text


def test_when_nothing_is_broken() -> None:
    assert markdown_text(run(held())).startswith("## 1 compile contract, none broken\n\n1 passed;")
    assert markdown_text(run()) == (
        "## 0 compile contracts, none broken\n\ntorch 2.13.0, Python 3.11.7\n"
    )


def test_an_incomplete_run_says_so() -> None:
    stopped = markdown_text(run(held(), complete=False))
    assert "**incomplete: the run was stopped or tests could not be collected, so " in stopped
    missing = markdown_text(run(held(), complete=False, missing=("a.py::test_*",)))
    assert "**incomplete: 1 contract did not run to the end: a.py::test\\_\\***" in missing
    assert "incomplete" not in markdown_text(run(held()))


def test_a_test_that_was_not_run() -> None:
    text = markdown_text(run(record(outcome="error")))
    assert "| error | ?/0 | ?/0 | ?/0 |" in text
    assert "test_mlp</code>: the test was not run</summary>" in text


def test_tables_have_as_many_rows_as_are_asked_for() -> None:
    contracts = [broken(id=f"b{number}") for number in range(3)]
    contracts += [held(id=f"h{number}") for number in range(3)]
    text = markdown_text(run(*contracts, layout=Layout(top=2)))
    assert len(re.findall(r"^\| (?:failed|passed) ", text, re.MULTILINE)) == 4
    assert "and 1 more (1 failed): -v or --compilecheck-top=0 shows all" in text
    assert "and 1 more (1 passed): -v or --compilecheck-top=0 shows all" in text
    # Each broken one is told nevertheless.
    assert text.count("</code>: ") == 3


def test_what_is_said_beside_the_table() -> None:
    stale = Allowed(rule="a *rule*", because="b", matched=())
    text = markdown_text(run(held(leaks=("t left x = 1",), verdict={"allowed": (stale,)})))
    assert (
        "<details><summary>2 notes</summary>\n\n"
        "- exception that matched nothing: tests/test_mlp.py::<!-- -->test_held: a \\*rule\\*\n"
        "- setting leaked: t left x = 1\n\n</details>"
    ) in text


def test_what_exceptions_excuse_and_why_has_its_section() -> None:
    first, second = recompile(call=1), recompile(call=3)
    told = [told_change(each.call, each.changes[0]) for each in (first, first, second, second)]
    rules = (
        Allowed(
            rule="graph break GB0170", because="a *log* | of ours", matched=(told_site(site()),)
        ),
        Allowed(rule="automatic dynamic", because="sizes", matched=tuple(told)),
    )
    seen = observation(break_sites=(site(),), recompile_events=(first, first, second, second))
    verdict = {"allowed": rules, "excused_sites": (0,), "excused_recompiles": (0, 1, 2, 3)}
    accepting = held(observed=seen, verdict=verdict)
    text = markdown_text(run(accepting))
    assert "| passed | 0/0 (1 accepted) | 0/0 (4 accepted) | 0/0 |" in text
    name = "`tests/test_mlp.py::test_held`"
    assert (
        "## Accepted\n\n"
        "| exception | because | excused | met in calls | contract |\n"
        "| --- | --- | --- | --- | --- |\n"
        f"| graph break GB0170 | a \\*log\\* \\| of ours | 1 graph break | 0, 1 | {name} |\n"
        f"| automatic dynamic | sizes | 4 recompiles | 1, 3 | {name} |\n"
    ) in text
    assert "and 1 more: -v" in markdown_text(run(accepting, layout=Layout(top=1)))
    assert "Accepted" not in markdown_text(run(held()))


def test_an_audit_has_its_tables() -> None:
    seen = observation(break_sites=(site(),))
    audited = AuditedTest(id="test_a.py::test_a", outcome="passed", observed=seen)
    text = markdown_text(run(audit=(audited,)))
    assert "## Compile audit\n\n**1 test, 1 compiled something**\n" in text
    assert "```text\nbreaks  tests  place" in text


NAMES = ["a|b", "`x`", "@everyone #1", "<script>", "a\nb", "\x1b[2J", "*x*", "| |", "``"]


@pytest.mark.parametrize("name", NAMES)
def test_names_of_tests_are_shown_as_they_are(name: str) -> None:
    rendered = PARSER.render(markdown_text(run(held(id=name), broken(id=name))))
    cells = [html.unescape(cell) for cell in re.findall("<td><code>(.*?)</code></td>", rendered)]
    shown = name.encode("unicode_escape").decode() if not name.isprintable() else name
    assert cells == [shown, shown]
    assert "<script" not in rendered
    assert "@everyone" not in re.sub("<code>.*?</code>", "", rendered)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(reports)
def test_any_report_is_a_page_whose_details_close(report: RunReport) -> None:
    rendered = PARSER.render(markdown_text(report))
    bare = re.sub("<(code|pre)[^>]*>.*?</\\1>", "", rendered, flags=re.DOTALL)
    assert bare.count("<details>") == bare.count("</details>")
    accepted = sum(bool(rule.matched) for each in report.contracts for rule in each.verdict.allowed)
    assert rendered.count("<table>") <= 2 + bool(accepted)
    rows = len(report.contracts) + accepted
    assert rendered.count("<tr>") == rows + rendered.count("<table>")


def test_as_much_as_fits() -> None:
    report = run(*(broken(id=f"test_{number}") for number in range(20)), held())
    whole = markdown_text(report)
    assert markdown_within(report, len(whole.encode()) + 200) == whole
    cut = markdown_within(report, 8000)
    assert len(cut.encode()) <= 8000
    assert cut.startswith(whole[:300])
    assert cut.count("<details>") == cut.count("</details>") > 2
    left_out = 20 + 1 - cut.count("<details>")
    assert cut.endswith(
        f"\n\n{left_out} sections of this report did not fit in here:"
        " --compilecheck-markdown=PATH writes all of it to a file.\n"
    )


def test_a_piece_that_does_not_fit_is_left_out_whole() -> None:
    report = replace(run(broken()), complete=True)
    blocks = list(markdown_blocks(report))
    assert markdown_within(report, 10).count("\n\n") == 0
    assert str(len(blocks)) in markdown_within(report, 10)
