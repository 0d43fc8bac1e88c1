"""The exceptions of a contract that excuse what was seen, as their author would write them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from glob import escape
from typing import Final

from pytest_compilecheck.contract.allow import AUTOMATIC_DYNAMIC
from pytest_compilecheck.contract.installed_files import portable
from pytest_compilecheck.observe.values.cures import RESULT_OF_LINE
from pytest_compilecheck.observe.values.observation import BreakSite, Fallback
from pytest_compilecheck.observe.values.recompile import Change, RecompileEvent
from pytest_compilecheck.report.wording import function_name

Written = dict[str, str] | str
"""An exception as its author writes it: matchers, or a word that stands for some."""

AS_IT_WAS: Final = "as it was when the contract was written"
"""Why an exception stands that nobody has explained yet."""

_ABSOLUTE: Final = re.compile("/|[A-Za-z]:/")


def explained(matchers: Written, because: str) -> Written:
    """An exception with the reason that it needs; a word has its own."""
    return matchers if isinstance(matchers, str) else {**matchers, "because": because}


def of_break(site: BreakSite) -> dict[str, str]:
    """The exception for a break site: as narrow as can be, as nobody has looked at it yet."""
    what = {"gb_id": site.gb_id} if site.gb_id else {"reason": site.reason}
    return {**what, **_where(site.file, site.function)}


def of_change(change: Change, event: RecompileEvent) -> Written:
    """The exception for one change of a rebuild; the word where it became a symbol."""
    if change.automatic_dynamic:
        return AUTOMATIC_DYNAMIC
    where = _where(event.file, event.function)
    # What a broken line left behind is named by that line, which may move.
    named = not change.source.startswith(RESULT_OF_LINE)
    return {"source": escape(change.source), **where} if named else where


def of_fallback(fallback: Fallback) -> Written:
    """The exception for a fallback."""
    return {"kind": fallback.kind, **_where(fallback.file, fallback.function)}


def excusable(fallbacks: Iterable[Fallback]) -> list[Fallback]:
    """Those that a contract can allow: one under which nothing was compiled can never pass."""
    return [each for each in fallbacks if each.kind != "nothing_compiled"]


def _where(file: str | None, function: str | None) -> dict[str, str]:
    """The matchers for a place, as far as torch tells it."""
    return {
        **({"file": _pattern(file)} if file else {}),
        **({"function": escape(function_name(function))} if function else {}),
    }


def _pattern(file: str) -> str:
    """A pattern for a file that fits on other machines too."""
    inside = portable(file)
    if inside == file:
        if not _ABSOLUTE.match(file):
            return escape(file)
        # Neither of the project nor installed, such as another checkout.
        inside = "/".join(file.split("/")[-2:])
    return f"*/{escape(inside)}"


def distinct(exceptions: Iterable[Written]) -> list[Written]:
    """Each exception once, in order."""
    found: list[Written] = []
    for each in exceptions:
        if each not in found:
            found.append(each)
    return found
