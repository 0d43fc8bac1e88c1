"""Values of the expressions that guards speak of, in the frame at hand."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from pytest_compilecheck.observe.errors import message_of

# The last step of an expression: an attribute, an item by a plain string or a number.
_STEP = re.compile(
    r"""(?:\.(?P<attribute>[A-Za-z_]\w*) | \[(?P<key>'[^'\\]*'|"[^"\\]*"|\d+)\])$""",
    re.VERBOSE,
)

# The part of an expression that attributes and items lead along, from a local or a global on.
REACHED = re.compile(
    r"""[LG]\['[^']*'\](?:\.[A-Za-z_]\w* | \[(?:'[^'\\]*'|"[^"\\]*"|\d+)\])*""", re.VERBOSE
)

Step = Callable[[Any], Any]


class Missing(LookupError):
    """What an expression names is not there."""


class Scope:
    """The names that guards use ("L" the frame's locals, "G" its globals), and what they lead to.

    Each part of an expression is evaluated once. That runs code of the user's classes
    (properties), as torch's own check of a guard does.
    """

    def __init__(self, names: Mapping[str, Any]) -> None:
        self._names = dict(names)
        self._known: dict[str, Any] = dict(names)

    def value(self, source: str) -> Any:
        """What an expression stands for.

        Raises:
            Missing: it, or something on the way to it, is not there.
        """
        known = self._known.get(source, self)
        if known is self:
            try:
                known = self._find(source)
            except Exception as error:  # noqa: BLE001 - user code may raise anything
                known = Missing(f"{source}: {message_of(error)}")
            self._known[source] = known
        if isinstance(known, Missing):
            raise known
        return known

    def has(self, source: str) -> bool:
        """Whether what an expression names is there."""
        try:
            self.value(source)
        except Missing:
            return False
        return True

    def path(self, source: str) -> Iterator[tuple[str, Any]]:
        """The expressions that an expression leads through, with their values, itself left out."""
        parent, _ = _split(source)
        while parent:
            if parent not in ("L", "G") and self.has(parent):
                yield parent, self.value(parent)
            parent, _ = _split(parent)

    def evaluate(self, expression: str) -> Any:
        """What any expression of torch's gives here; raises whatever it raises.

        Raises:
            Missing: something that it names is not there.
        """
        for part in REACHED.findall(expression):
            self.value(part)
        return eval(expression, dict(self._names))  # noqa: S307 - torch's own guard text

    def _find(self, source: str) -> Any:
        parent, step = _split(source)
        return self.evaluate(source) if step is None else step(self.value(parent))


@lru_cache(maxsize=4096)
def _split(source: str) -> tuple[str, Step | None]:
    """An expression without its last step, and that step; "" and None where there is none."""
    match = _STEP.search(source)
    if match is None:
        return "", None
    parent = source[: match.start()]
    if match["attribute"] is not None:
        attribute = match["attribute"]
        return parent, lambda value: getattr(value, attribute)
    key = ast.literal_eval(match["key"])
    return parent, lambda value: _item(value, key)


def _item(value: Any, key: Any) -> Any:
    if not isinstance(value, dict):
        return value[key]
    # As torch does it: a defaultdict would come to hold what is only looked for.
    if not dict.__contains__(value, key):
        raise KeyError(key)
    return dict.__getitem__(value, key)
