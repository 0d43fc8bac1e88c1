"""The text of what differs between two reports: short, the worst first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pytest_compilecheck.judge.comparison import ContractDiff, Figure, ReportDiff, total
from pytest_compilecheck.judge.findings import Finding
from pytest_compilecheck.report.disjoint import disjoint_lines
from pytest_compilecheck.report.finding_text import finding_text, kind_text
from pytest_compilecheck.report.policies.changes import policy_changes_lines
from pytest_compilecheck.report.wording import number, plural, printable, sentence

_KINDS = ("graph_break", "recompile", "fallback")
_FIGURES = {
    "graphs": "graphs",
    "captured_ops": "captured operations",
    "hit_rate": "hit rate",
    "graph_launches_per_call": "launches per warm call",
    "fragile_guards": "fragile guards",
}


def diff_text(diff: ReportDiff, *, verbose: bool = False) -> str:
    """Lines of text: the sums, what is worse or costs more, and with `verbose` all that differ."""
    ordered = sorted(diff.contracts, key=_rank)
    shown = [each for each in ordered if verbose or each.worse or each.costlier]
    lines = [
        _headline(diff),
        *disjoint_lines(diff),
        *(line for each in shown for line in _contract(each, diff)),
    ]
    return "\n".join([*lines, *_rest(diff, hidden=len(ordered) - len(shown))]) + "\n"


def _headline(diff: ReportDiff) -> str:
    if diff.torch_before == diff.torch_after:
        versions = printable(f"torch {diff.torch_after}")
    else:
        versions = printable(f"torch {diff.torch_before} against {diff.torch_after}")
    told = [text for kind in _KINDS if (text := _sum(diff, kind))]
    return f"{versions}: {', '.join(told) or 'the findings are the same'}"


def _sum(diff: ReportDiff, kind: str) -> str:
    counts = total(diff, kind)
    told = [f"{counts[what]} {what}" for what in ("gone", "new", "moved") if counts[what]]
    return f"{kind_text(kind)}s: {', '.join(told)}" if told else ""


def _rank(contract: ContractDiff) -> tuple[int, str]:
    """Worst first: what fails now, has something new, costs more, is moved, better, the rest."""
    if contract.worse:
        return (0 if contract.before != contract.after else 1), contract.contract
    ranks = (contract.costlier, contract.moved, contract.better, True)
    return 2 + [bool(each) for each in ranks].index(True), contract.contract


def _contract(contract: ContractDiff, diff: ReportDiff) -> Iterator[str]:
    reasons = diff.reasons
    yield f"{_mark(contract)} {sentence(contract.contract)}: {_outcome(contract)}"
    for change in sorted(contract.changes, key=lambda each: each.after <= each.before):
        more = change.after - change.before
        had = f" (had {change.before})" if change.before and change.after else ""
        yield f"    {more:+} {_several(more, change.finding, reasons)}{had}"
    for pair in contract.moved:
        now = finding_text(pair.after, reasons)
        yield f"    moved: {pair.count} {_several(pair.count, pair.before, reasons)}, now {now}"
    if contract.figures:
        yield f"    {', '.join(map(_figure, contract.figures))}"
    if contract.captures_more:
        why = ": this torch traces further" if diff.torch_before != diff.torch_after else ""
        yield f"    more breaks, and more is captured{why}"
    if contract.policies:
        yield from (f"    {told}" for told in policy_changes_lines(contract.policies))


def _several(count: int, finding: Finding, reasons: Mapping[str, str]) -> str:
    text, kind = finding_text(finding, reasons), kind_text(finding.kind)
    return text if abs(count) == 1 else f"{kind}s{text.removeprefix(kind)}"


def _mark(contract: ContractDiff) -> str:
    return "worse " if contract.worse else "better" if contract.better else "      "


def _outcome(contract: ContractDiff) -> str:
    if contract.before is None:
        return f"{contract.after}, only in the second report"
    if contract.after is None:
        return f"{contract.before}, only in the first report"
    if contract.before == contract.after:
        return contract.before
    return f"{contract.before}, now {contract.after}"


def _figure(figure: Figure) -> str:
    before, after = (_value(figure.name, value) for value in (figure.before, figure.after))
    return f"{_FIGURES[figure.name]} {before} -> {after}"


def _value(name: str, value: float | None) -> str:
    return f"{value:.0%}" if name == "hit_rate" and value is not None else number(value)


def _rest(diff: ReportDiff, *, hidden: int) -> Iterator[str]:
    for which, complete in (("first", diff.complete_before), ("second", diff.complete_after)):
        if not complete:
            yield f"the {which} report is not complete: contracts that it lacks may be there"
    counts = {
        "with another cheapest policy or a dearer one": sum(
            each.costlier for each in diff.contracts
        ),
        "better": sum(each.better for each in diff.contracts),
        "only in the first report": sum(each.after is None for each in diff.contracts),
        "only in the second report": sum(each.before is None for each in diff.contracts),
    }
    worse = sum(each.worse for each in diff.contracts)
    told = [f"{count} {what}" for what, count in counts.items() if count]
    sums = ", ".join([f"{plural(worse, 'contract')} worse", *told, f"{diff.same} the same"])
    yield sums + ("; -v shows all that differ" if hidden else "")
