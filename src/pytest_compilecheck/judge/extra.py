"""Bounds that plugins add: what they are, and how an observation is held to them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from traceback import walk_tb

from pytest_compilecheck.contract.bounds import Bound
from pytest_compilecheck.contract.fields import FIELDS
from pytest_compilecheck.contract.installed_files import portable
from pytest_compilecheck.contract.plain import shown
from pytest_compilecheck.contract.raised import line_below
from pytest_compilecheck.judge.limits import at_least, at_most
from pytest_compilecheck.judge.unknown import why_any_unknown
from pytest_compilecheck.judge.verdict import Number, Violation
from pytest_compilecheck.observe.values.observation import Observation

Figure = Callable[[Observation], Number | None]
"""What was observed; None where it is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtraBound:
    """A bound that a plugin adds; contracts set it as `extra={"max_matmuls": 3}`.

    Attributes:
        name: what contracts call it. It begins with "max_" where the figure may not be above the
            number of the contract, with "min_" where it may not be below.
        about: the figure in words, as "matrix products in a graph".
        figure: takes what was observed and gives the figure, None where it is not known: then the
            contract fails.
        plugin: who declares it, for messages: a module, or the file of a conftest.py; filled in
            when the hook is called.

    Raises:
        ValueError: the name is none of a bound.
        TypeError: a part has another type.
    """

    name: str
    about: str
    figure: Figure
    plugin: str = ""

    def __post_init__(self) -> None:
        texts: tuple[object, ...] = (self.name, self.about)
        if not all(isinstance(text, str) for text in texts):
            raise TypeError(f"name and about of a bound are texts, got {shown(texts)}")
        if not callable(self.figure):
            raise TypeError(f"the figure of {self.name} is no function: {shown(self.figure)}")
        if not re.fullmatch(r"(max|min)_\w+", self.name):
            raise ValueError(f"{self.name!r} is no name of a bound: begin it with max_ or min_")
        if self.name in FIELDS:
            raise ValueError(f"{self.name!r} is a field of every contract: choose another name")


def extra_violations(
    bounds: Mapping[str, Bound],
    declared: Mapping[str, ExtraBound],
    seen: Observation,
    torch_version: str,
) -> Iterator[Violation]:
    """Those of a contract that do not hold; one whose figure is not known is among them.

    Raises:
        BoundError: a version map does not tell which of its bounds applies.
    """
    for name, bound in bounds.items():
        allowed = bound.at(torch_version)
        if allowed is None:
            continue
        known = declared.get(name)
        observed, why = (None, "no plugin declares it") if known is None else _figure(known, seen)
        check = at_most if name.startswith("max_") else at_least
        yield from check(name, allowed, observed, name if known is None else known.about, why)


def _figure(declared: ExtraBound, seen: Observation) -> tuple[Number | None, str]:
    """The figure, or None and why it is not known."""
    why = why_any_unknown(seen)
    if why:  # nobody knows of which figures a plugin makes its own
        return None, why
    whose = f"the plugin {declared.plugin}" if declared.plugin else "its plugin"
    try:
        figure: object = declared.figure(seen)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001 - anybody's code; pytest.skip() is no Exception
        return None, f"{whose} raised {type(error).__name__}: {error}{_place(declared, error)}"
    if figure is None:
        return None, f"{whose} does not know it"
    if not isinstance(figure, (int, float)) or isinstance(figure, bool) or not _is_finite(figure):
        return None, f"{whose} gave {shown(figure)}, which is no number"
    return figure, ""


def _place(declared: ExtraBound, error: BaseException) -> str:
    """The line that raised; the same on every machine, so that reports of several can be merged."""
    caught_in = next(walk_tb(error.__traceback__))[0]
    found = line_below(caught_in.f_code, error)
    if found is None:
        return ""
    file, line = found
    name = os.path.basename(file)
    if os.path.basename(declared.plugin) == name:
        return f" ({declared.plugin}:{line})"
    return f" ({name if portable(file) == file else portable(file)}:{line})"


def _is_finite(figure: Number) -> bool:
    try:
        return isfinite(figure)
    except OverflowError:  # an integer beyond all floats
        return False
