"""The exceptions of a contract that excuse what was seen, as their author would write them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from glob import escape
from typing import Final

from pytest_compilecheck.contract.allow import AUTOMATIC_DYNAMIC
from pytest_compilecheck.observe.values.cures import RESULT_OF_LINE
from pytest_compilecheck.observe.values.observation import BreakSite, Fallback
from pytest_compilecheck.observe.values.recompile import Change, RecompileEvent
from pytest_compilecheck.report.wording import function_name

Written = dict[str, str] | str
"""An exception as its author writes it: matchers, or a word that stands for some."""

AS_IT_WAS: Final = "as it was when the contract was written"
"""Why an exception stands that nobody has explained yet."""


def explained(matchers: Written, because: str) -> Written:
    """An exception with the reason that it needs; a word has its own."""
    return matchers if isinstance(matchers, str) else {**matchers, "because": because}


def of_break(site: BreakSite) -> dict[str, str]:
    """The exception for a break site."""
    what = {"gb_id": site.gb_id} if site.gb_id else {"reason": site.reason}
    # The path of an installed package is that of one machine.
    whose = {"file": escape(site.file)} if site.owner == "own" else {"owner": site.owner}
    return {**what, **whose}


def of_change(change: Change, event: RecompileEvent) -> Written:
    """The exception for one change of a rebuild; the word where it became a symbol."""
    if change.automatic_dynamic:
        return AUTOMATIC_DYNAMIC
    # What a broken line left behind is named by that line, which may move.
    whose = {"function": escape(function_name(event.function))}
    named = not change.source.startswith(RESULT_OF_LINE)
    return {"source": escape(change.source), **whose} if named else whose


def of_fallback(fallback: Fallback) -> Written:
    """The exception for a fallback."""
    where = {"file": _pattern(fallback.file)} if fallback.file else {}
    return {"kind": fallback.kind, **where}


def excusable(fallbacks: Iterable[Fallback]) -> list[Fallback]:
    """Those that a contract can allow: one under which nothing was compiled can never pass."""
    return [each for each in fallbacks if each.kind != "nothing_compiled"]


def without_home(file: str) -> str:
    """A file of an installed package from its package on: what lies before is of one machine."""
    return re.split("/(?:site|dist)-packages/", file)[-1]


def _pattern(file: str) -> str:
    inside = without_home(file)
    return escape(file) if inside == file else f"*/{escape(inside)}"


def distinct(exceptions: Iterable[Written]) -> list[Written]:
    """Each exception once, in order."""
    found: list[Written] = []
    for each in exceptions:
        if each not in found:
            found.append(each)
    return found
