"""What a report says of graph breaks, one site after the other."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from pytest_compilecheck.observe.values.observation import BreakSite
from pytest_compilecheck.observe.values.place import Frame
from pytest_compilecheck.report.parts.snippet import snippet
from pytest_compilecheck.report.ranges import calls_text
from pytest_compilecheck.report.style import BLANK, Line, Meaning, Span, indent, line, plain
from pytest_compilecheck.report.wording import (
    first_paragraph,
    number,
    place_in,
    plural,
    printable,
    sentence,
)

MEANING = (
    "Graph breaks: torch.compile stops capturing at these lines and runs them as plain Python."
)
_GIVES_UP = "torch gives up the function here: all of it, or all that follows, is not compiled"
_LABEL = len("called from  ")
_OWNERS = {"own": "", "third_party": " (third-party code)", "torch": " (torch's own code)"}


def sites_section(sites: Sequence[BreakSite], *, root: str, verbose: bool) -> list[Line]:
    """All of `sites`, most often run first; advice that several share is given once."""
    if not sites:
        return []
    lines = [line(Span(MEANING, "heading"))]
    advised: dict[str, int] = {}
    for position, site in enumerate(by_weight(sites), start=1):
        advice = list(_advice(site, verbose))
        given_at = advised.setdefault(plain(advice), position)
        lines += [BLANK, _title(site, position, len(sites))]
        lines += indent(_what_and_where(site, root, verbose))
        if given_at != position and advice:
            advice = [_labelled("hint", f"as for graph break {given_at}", "cure")]
        lines += indent(advice)
    return lines


def site_facts(site: BreakSite) -> list[Line]:
    """What there is to say of a site beside its reason and its line: callers, how often, advice."""
    return [*_circumstances(site, verbose=False), *_advice(site, verbose=False)]


def by_weight(sites: Sequence[BreakSite]) -> list[BreakSite]:
    """Sites with the most often run first; those of which it is unknown keep their order, last."""
    return sorted(
        sites,
        key=lambda site: (
            site.executions_per_warm_call is None,
            -(site.executions_per_warm_call or 0),
        ),
    )


def site_place(site: BreakSite) -> str:
    """ "model/mlp.py:14:8 in inner"."""
    where = place_in(site.function, site.file, site.line, site.column)
    return f"{where}{_OWNERS[site.owner]}"


def reason_text(site: BreakSite) -> str:
    """Root reason and GB id: "Data-dependent branching (GB0170)"."""
    reason = sentence(site.reason) or "torch gives no reason"
    return f"{reason} ({printable(site.gb_id)})" if site.gb_id else reason


def left_out_text(site: BreakSite) -> str:
    """Why a site does not count under a contract that names the owners whose breaks do."""
    return f"owners leaves out {site.owner}"


def frequency(site: BreakSite) -> str:
    """How often torch reported the break, and how often it runs once everything is compiled."""
    events = plural(site.events, "event")
    when = f" in {calls_text(site.event_calls)}" if site.event_calls else ""
    return f"{events}{when}; {_in_warm_calls(site.executions_per_warm_call)}"


def _in_warm_calls(times: float | None) -> str:
    if times is None:
        return "how often it runs in a warm call is unknown: none was made, or torch does not tell"
    if times == 0:
        return "runs in start-up only"
    if times == 1:
        return "runs once in every warm call"
    if times == int(times):
        return f"runs {int(times)} times in every warm call"
    return f"runs {number(times)} times in a warm call on average"


def _title(site: BreakSite, position: int, count: int) -> Line:
    return line(f"graph break {position} of {count}  ", Span(site_place(site), "location"))


def _what_and_where(site: BreakSite, root: str, verbose: bool) -> list[Line]:
    lines = [line(Span(reason_text(site), "bad"))]
    if verbose and len(site.gb_ids) > 1:
        lines.append(_labelled("all ids", ", ".join(site.gb_ids)))
    lines += snippet(
        site.code,
        line=site.line,
        column=site.column,
        end_column=site.end_column,
        file=site.file,
        root=root,
    )
    return lines + _circumstances(site, verbose)


def _circumstances(site: BreakSite, verbose: bool) -> list[Line]:
    lines = _callers(site)
    if verbose and site.torch_frame:
        lines.append(_labelled("in torch at", _frame_text(site.torch_frame)))
    lines.append(_labelled("how often", frequency(site)))
    if site.skips_function:
        lines.append(line(Span(_GIVES_UP, "bad")))
    return lines


def _callers(site: BreakSite) -> list[Line]:
    # The chain runs from the outermost caller to the break; a reader starts at the break.
    lines = [
        _labelled("called from", _frame_text(frame) + _way_in(site, frame))
        for frame in reversed(site.chain)
    ]
    own = site.own_frame
    if own and own not in site.chain and (own.file, own.line) != (site.file, site.line):
        lines.append(_labelled("your code", _frame_text(own)))
    return lines


def _way_in(site: BreakSite, frame: Frame) -> str:
    is_way_in = site.owner != "own" and frame == site.own_frame
    return " (nearest line of your code)" if is_way_in else ""


def _frame_text(frame: Frame) -> str:
    return place_in(frame.function, frame.file, frame.line)


def _advice(site: BreakSite, verbose: bool) -> tuple[Line, ...]:
    return _advice_of(site.explanation, site.hints, site.docs, verbose)


@lru_cache(maxsize=1024)  # torch says the same of each site with one reason
def _advice_of(
    explanation: str, hints: tuple[str, ...], docs: str | None, verbose: bool
) -> tuple[Line, ...]:
    lines: list[Line] = []
    if explanation.strip():
        shorten = sentence if verbose else first_paragraph
        lines.append(_labelled("why", shorten(explanation)))
    lines += [_labelled("hint", sentence(hint), "cure") for hint in hints if hint.strip()]
    if docs:
        lines.append(_labelled("docs", printable(docs)))
    return tuple(lines)


def _labelled(label: str, text: str, meaning: Meaning = "dim") -> Line:
    return line(Span(f"{label:<{_LABEL}}", meaning), text)
