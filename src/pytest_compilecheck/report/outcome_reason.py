"""Why a contract was not held: its test was skipped, or is expected to fail."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pytest_compilecheck.judge.outcome import Outcome
from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.report.wording import first_line, sentence

_NAMED = 3
_XPASSED = "passed, though it is expected to fail"
_WORDS: dict[Outcome, str] = {
    "skipped": "skipped",
    "xfailed": "expected to fail",
    "xpassed": _XPASSED,
    "failed": _XPASSED,  # with strict=True
}


def outcome_reason(record: ContractRecord) -> str:
    """ "skipped: no kernel"; without a reason "skipped", of any other record ""."""
    words = _WORDS.get(record.outcome)
    if record.reason is None or words is None:
        return ""
    told = sentence(record.reason)
    return f"{words}: {told}" if told else words


def outcome_reasons(records: Iterable[ContractRecord]) -> Iterator[str]:
    """Each reason once, with contracts that it is of: "skipped: no kernel: a.py::t and 2 more"."""
    found: dict[str, list[str]] = {}
    for record in records:
        told = outcome_reason(record)
        if told:
            found.setdefault(told, []).append(sentence(record.name))
    for told, names in found.items():
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        yield f"{told}: {', '.join(names[:_NAMED])}{more}"


def raised_itself(record: ContractRecord) -> bool:
    """Whether what the test raised is more than pytest's way to skip it, or to let it fail."""
    if record.error is None:
        return False
    reason = first_line(record.reason or "")
    return record.reason is None or record.error not in (f"Skipped: {reason}", f"XFailed: {reason}")
