from __future__ import annotations

from pathlib import Path

import pytest
from report.values import frame, site

from pytest_compilecheck.observe.values.observation import BreakSite
from pytest_compilecheck.report.parts.sites import (
    by_weight,
    frequency,
    reason_text,
    site_place,
    sites_section,
)
from pytest_compilecheck.report.style import plain

UNKNOWN = "how often it runs in a warm call is unknown: none was made, or torch does not tell"


def told(*sites: BreakSite, verbose: bool = False, root: str = "/nowhere") -> str:
    return plain(sites_section(sites, root=root, verbose=verbose))


def test_a_site_says_where_what_how_often_why_and_what_to_do(tmp_path: Path) -> None:
    model = tmp_path / "model" / "mlp.py"
    model.parent.mkdir()
    model.write_text("\n" * 11 + "def inner(x):\n    y = x\n    if y.sum() > 0:\n        y\n")
    broken = site(chain=(frame("tests/test_mlp.py", 3, "test_mlp"), frame(line=7, function="deep")))
    assert told(broken, root=str(tmp_path)) == (
        "Graph breaks: torch.compile stops capturing at these lines and runs them as plain"
        " Python.\n"
        "\n"
        "graph break 1 of 1  model/mlp.py:14:8 in inner\n"
        "  Data-dependent branching (GB0170)\n"
        "    12 | def inner(x):\n"
        "    13 |     y = x\n"
        "  > 14 |     if y.sum() > 0:\n"
        "       |        ^^^^^^^^^^^\n"
        "    15 |         y\n"
        "  called from  model/mlp.py:7 in deep\n"
        "  called from  tests/test_mlp.py:3 in test_mlp\n"
        "  how often    3 events in calls 0, 1; runs once in every warm call\n"
        "  why          Detected data-dependent branching.\n"
        "  hint         Use `torch.cond` to express dynamic control flow.\n"
        "  docs         https://example.org/gb0170.html"
    )


def test_no_site_is_no_section() -> None:
    assert told() == ""


def test_a_bare_site_of_torch_claims_nothing_more() -> None:
    bare = site(
        file="torch/optim/adam.py",
        owner="torch",
        column=None,
        code="",
        reason="",
        explanation="",
        hints=(),
        gb_id=None,
        gb_ids=(),
        docs=None,
        own_frame=None,
        chain=(),
        events=1,
        event_calls=(),
        executions_per_warm_call=None,
    )
    assert told(bare).splitlines()[2:] == [
        "graph break 1 of 1  torch/optim/adam.py:14 in inner (torch's own code)",
        "  torch gives no reason",
        f"  how often    1 event; {UNKNOWN}",
    ]


def test_advice_that_sites_share_is_given_once() -> None:
    text = told(site(), site(line=20, chain=()), site(line=30, hints=("Another.",)))
    assert text.count("why          Detected") == 2
    assert text.count("hint         as for graph break 1") == 1
    assert "graph break 2 of 3  model/mlp.py:20:8 in inner" in text


def test_sites_that_have_no_advice_do_not_refer_to_each_other() -> None:
    text = told(*(site(line=n, explanation="", hints=(), docs=None) for n in (1, 2)))
    assert "as for" not in text


def test_a_function_that_torch_gives_up_is_told_plainly() -> None:
    assert "torch gives up the function here" in told(site(skips_function=True))
    assert "gives up" not in told(site())


def test_a_break_in_a_library_shows_the_way_in() -> None:
    own = frame(line=7, function="deep")
    library = site(
        file="lib/einops.py",
        owner="third_party",
        own_frame=own,
        chain=(own, frame("lib/einops.py", 3, "rearrange")),
    )
    assert told(library).splitlines()[6:8] == [
        "  called from  lib/einops.py:3 in rearrange",
        "  called from  model/mlp.py:7 in deep (nearest line of your code)",
    ]


def test_own_code_that_is_not_in_the_chain_is_named_too() -> None:
    own = frame(line=7, function="deep")
    library = site(file="lib/einops.py", owner="third_party", own_frame=own, chain=())
    assert "  your code    model/mlp.py:7 in deep" in told(library).splitlines()


def test_names_that_torch_invents_are_shown_as_their_authors_wrote_them() -> None:
    resumed = site(
        function="torch_dynamo_resume_in_inner_at_13",
        chain=(frame(function="torch_dynamo_resume_in_deep_at_6"),),
        explanation="call of <function torch_dynamo_resume_in_inner_at_13 at 0x7f00beef>",
    )
    text = told(resumed, verbose=True)
    assert "torch_dynamo" not in text
    assert "0x" not in text
    assert "why          call of <function inner>" in text


def test_verbose_tells_the_whole_explanation_all_ids_and_torchs_line() -> None:
    broken = site(
        explanation="First.\n\nSecond.",
        gb_ids=("GB0124", "GB7000"),
        torch_frame=frame("torch/optim/adam.py", 9, "step"),
    )
    short, long = told(broken), told(broken, verbose=True)
    extra = ["First. Second.", "all ids      GB0124, GB7000", "torch/optim/adam.py:9 in step"]
    assert [text in short for text in extra] == [False] * 3
    assert [text in long for text in extra] == [True] * 3


@pytest.mark.parametrize(
    ("times", "text"),
    [
        (1.0, "runs once in every warm call"),
        (24.0, "runs 24 times in every warm call"),
        (1.5, "runs 1.5 times in a warm call on average"),
        (0.0, "runs in start-up only"),
        (
            None,
            UNKNOWN,
        ),
    ],
)
def test_frequency(times: float | None, text: str) -> None:
    assert frequency(site(executions_per_warm_call=times)) == f"3 events in calls 0, 1; {text}"


def test_the_most_often_run_comes_first_and_the_unknown_last() -> None:
    sites = [
        site(line=n, executions_per_warm_call=t) for n, t in enumerate([None, 0, 2, None, 9], 1)
    ]
    assert [each.line for each in by_weight(sites)] == [5, 3, 2, 1, 4]


def test_place_and_reason() -> None:
    third = site(owner="third_party", column=None, gb_id=None)
    assert site_place(third) == "model/mlp.py:14 in inner (third-party code)"
    assert reason_text(third) == "Data-dependent branching"
