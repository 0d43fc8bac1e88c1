"""Exceptions of a contract: what is excused, and why."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Final, Literal

from pytest_compilecheck.contract.causes import CAUSES
from pytest_compilecheck.contract.faults import Report, did_you_mean, inside
from pytest_compilecheck.contract.installed_files import portable
from pytest_compilecheck.contract.parsers import OWNERS
from pytest_compilecheck.contract.plain import shown
from pytest_compilecheck.contract.specifiers import (
    SPECIFIER_PATTERN,
    is_specifier,
    matches_release,
)

AllowanceKind = Literal["break", "recompile", "fallback"]

FALLBACK_KINDS: Final = ("disabled", "recompile_limit", "suppressed_error", "skipped_frame")
"""Kinds of fallback that a contract can allow."""

AUTOMATIC_DYNAMIC: Final = "automatic_dynamic"
"""Stands in `allow_recompiles` for the rebuilds in which a size becomes a symbol."""

_GB_ID = re.compile(r"GB[0-9]{4,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """One exception. It excuses what all the matchers that are given agree on.

    `reason` and `guard` are parts of torch's text (`reason` in any case), `file`, `function` and
    `source` (the author's name of what changed) glob patterns; the `*` of a file pattern crosses
    `/` too, and the pattern may begin at the package of an installed file. `gb_id` is the root
    reason's. `automatic_dynamic` stands for the rebuilds in which torch makes a size that changed
    a symbol. `torch` limits it to these releases.
    """

    kind: AllowanceKind
    because: str
    reason: str | None = None
    gb_id: str | None = None
    guard: str | None = None
    cause: str | None = None
    source: str | None = None
    automatic_dynamic: bool | None = None
    fallback_kind: str | None = None
    file: str | None = None
    function: str | None = None
    owner: str | None = None
    torch: str | None = None

    def holds_for(self, torch_version: str) -> bool:
        """Whether it is there under a release of torch."""
        return matches_release(self.torch, torch_version)

    def excuses(self, subject: Any) -> bool:
        """Whether a BreakSite, RecompileEvent or Fallback (that of our kind) is excused.

        Of an event with several changes only the first is looked at: ask with each by itself.
        """
        return all(fits for _, _, fits in self._compared(subject))

    def only_misfit(self, subject: Any) -> tuple[str, Any] | None:
        """The one key that a subject does not fit, and what the subject has; None if not just one.

        Of a single key nothing is told: that something is other than it says does not astonish.
        """
        compared = list(self._compared(subject))
        other = [(key, value) for key, value, fits in compared if not fits]
        return other[0] if len(other) == 1 < len(compared) else None

    def _compared(self, subject: Any) -> Iterator[tuple[str, Any, bool]]:
        """Each key that is given, what a subject has of it, and whether that fits."""
        matchers: tuple[tuple[object, str, Callable[[Any, Any], bool]], ...] = (
            (self.reason, "reason", _has_part_in_any_case),
            (self.gb_id, "gb_id", _equal),
            (self.guard, "guard", _has_part),
            (self.cause, "cause", _equal),
            (self.source, "source", _fits),
            (self.automatic_dynamic, "automatic_dynamic", _equal),
            (self.fallback_kind, "kind", _equal),
            (self.file, "file", _fits_path),
            (self.function, "function", _fits),
            (self.owner, "owner", _equal),
        )
        for wanted, attribute, matches in matchers:
            if wanted is not None:
                value = getattr(subject, attribute)
                yield attribute, value, matches(wanted, value)

    def describe(self) -> str:
        """One line for a report: "graph break GB0059 in models/*.py"."""
        if self.automatic_dynamic:
            return "automatic dynamic"
        name = {"break": "graph break", "recompile": "recompile", "fallback": "fallback"}[self.kind]
        clauses = (
            (self.gb_id, "{}"),
            (self.fallback_kind, "{}"),
            (self.owner, "in {} code"),
            (self.reason, "with reason {!r}"),
            (self.cause, "by {}"),
            (self.source, "of {}"),
            (self.guard, "by guard {!r}"),
            (self.function, "in function {}"),
            (self.file, "in {}"),
        )
        return " ".join([name, *(text.format(value) for value, text in clauses if value)])

    def to_dict(self) -> dict[str, str] | str:
        """JSON-able form, as a person writes it in the contract."""
        if self.automatic_dynamic:
            return AUTOMATIC_DYNAMIC
        data = {}
        for key, attribute in _ATTRIBUTES[self.kind].items():
            value = getattr(self, attribute)
            if value is not None:
                data[key] = value
        return data


# Keys that match nothing by themselves.
_OF_ALL: Final = ("torch", "because")

# For each kind the keys that a person writes, with the attribute of Allowance that holds each.
_ATTRIBUTES: Final[Mapping[AllowanceKind, Mapping[str, str]]] = {
    "break": {key: key for key in ("reason", "gb_id", "file", "function", "owner", *_OF_ALL)},
    "recompile": {key: key for key in ("cause", "source", "guard", "file", "function", *_OF_ALL)},
    "fallback": {
        "kind": "fallback_kind",
        **{key: key for key in ("reason", "file", "function", *_OF_ALL)},
    },
}


def parse_allowances(
    value: object, report: Report, *, kind: AllowanceKind
) -> tuple[Allowance, ...]:
    """Exceptions from the list of dicts that a person wrote; None has none."""
    if value is None:
        return ()
    if not isinstance(value, (list, tuple)):
        report(f"expected a list of dicts such as [{_EXAMPLES[kind]}], got {shown(value)}")
        return ()
    made = [_parse_one(entry, inside(f"[{at}]", report), kind) for at, entry in enumerate(value)]
    return tuple(allowance for allowance in made if allowance is not None)


def allowance_schema(kind: AllowanceKind) -> dict[str, Any]:
    """A JSON schema of what `parse_allowances` takes beside None."""
    text = {"type": "string", "pattern": r"\S"}
    keys = {
        key: {
            "description": _MEANINGS[attribute],
            **(_NARROWED[attribute][1] if attribute in _NARROWED else text),
        }
        for key, attribute in _ATTRIBUTES[kind].items()
    }
    entry: dict[str, Any] = {
        "type": "object",
        "properties": keys,
        "required": ["because"],
        "anyOf": [{"required": [key]} for key in _matchers(kind)],
        "additionalProperties": False,
    }
    if kind == "recompile":
        entry = {"anyOf": [{"const": AUTOMATIC_DYNAMIC}, entry]}
    return {"type": "array", "items": entry}


def _matchers(kind: AllowanceKind) -> list[str]:
    return [key for key in _ATTRIBUTES[kind] if key not in _OF_ALL]


def _parse_one(entry: object, report: Report, kind: AllowanceKind) -> Allowance | None:
    if kind == "recompile" and isinstance(entry, str):
        return _parse_word(entry, report)
    if not isinstance(entry, Mapping):
        report(f"expected a dict such as {_EXAMPLES[kind]}, got {shown(entry)}")
        return None
    attributes = _ATTRIBUTES[kind]
    found: dict[str, Any] = {}
    for key, value in entry.items():
        if key not in attributes:
            hint = did_you_mean(key, attributes) or f" (known are {', '.join(attributes)})"
            report(f"a {kind} is not matched by {shown(key)}{hint}")
        elif not isinstance(value, str) or not value.strip():
            report(f"{key!r} takes a text that is not empty, got {shown(value)}")
        else:
            check = _NARROWED.get(attributes[key])
            found[attributes[key]] = check[0](value, report) if check else value
    if "because" not in entry:
        report("say why it is allowed: add 'because': '...'")
    if set(entry) <= set(_OF_ALL):
        report(f"say what is allowed, by one or more of {', '.join(_matchers(kind))}")
    return Allowance(kind=kind, because=found.pop("because", ""), **found)


def _parse_word(word: str, report: Report) -> Allowance | None:
    if word != AUTOMATIC_DYNAMIC:
        hint = (
            did_you_mean(word, (AUTOMATIC_DYNAMIC,)) or f": write {AUTOMATIC_DYNAMIC!r} or a dict"
        )
        report(f"{word!r} stands for no kind of recompile{hint}")
        return None
    return Allowance(
        kind="recompile", because="torch makes a size that changes dynamic", automatic_dynamic=True
    )


_EXAMPLES: Final = {
    "break": "{'gb_id': 'GB0059', 'file': 'models/*.py', 'because': '...'}",
    "recompile": "{'source': 'self.step', 'because': '...'}",
    "fallback": "{'kind': 'recompile_limit', 'because': '...'}",
}


def _check_gb_id(value: str, report: Report) -> str:
    gb_id = value.strip().upper()
    if not _GB_ID.fullmatch(gb_id):
        report(f"'gb_id' takes an id such as 'GB0059', got {value!r}")
    return gb_id


def _check_cause(value: str, report: Report) -> str:
    if value not in CAUSES:
        hint = did_you_mean(value, CAUSES) or f" (causes are {', '.join(CAUSES)})"
        report(f"{value!r} is no cause{hint}")
    return value


def _check_owner(value: str, report: Report) -> str:
    if value not in OWNERS:
        hint = did_you_mean(value, OWNERS) or f" (owners are {', '.join(OWNERS)})"
        report(f"{value!r} is no owner{hint}")
    return value


def _check_fallback_kind(value: str, report: Report) -> str:
    if value == "nothing_compiled":
        report(
            "a contract under which nothing was compiled can never pass: leave this exception out"
        )
    elif value not in FALLBACK_KINDS:
        hint = did_you_mean(value, FALLBACK_KINDS) or f" (kinds are {', '.join(FALLBACK_KINDS)})"
        report(f"{value!r} is no kind of fallback{hint}")
    return value


def _check_torch(value: str, report: Report) -> str:
    is_specifier(value, report)
    return value


# Attributes that take certain texts only: their check, and what a JSON schema says of them.
_NARROWED: Final[Mapping[str, tuple[Callable[[str, Report], str], Mapping[str, Any]]]] = {
    "gb_id": (_check_gb_id, {"type": "string", "pattern": r"^\s*[Gg][Bb][0-9]{4,}\s*$"}),
    "owner": (_check_owner, {"enum": list(OWNERS)}),
    "cause": (_check_cause, {"enum": list(CAUSES)}),
    "fallback_kind": (_check_fallback_kind, {"enum": list(FALLBACK_KINDS)}),
    "torch": (_check_torch, {"type": "string", "pattern": SPECIFIER_PATTERN}),
}

# What each attribute asks of a break, a rebuild or a fallback, for a JSON schema.
_MEANINGS: Final = {
    "because": "why it is allowed",
    "reason": "a part of torch's reason, in any case",
    "gb_id": "id of the root reason in torch's registry of graph breaks",
    "guard": "a part of torch's text of the guard",
    "cause": "what kind of thing changed",
    "source": "what changed, as the code names it: a glob pattern",
    "fallback_kind": "why it ran eagerly",
    "file": "its source file, as reports name it or, of an installed package, from the package on:"
    " a glob pattern whose * crosses /",
    "function": "its function: a glob pattern",
    "owner": "whose code it is in",
    "torch": "the releases of torch in which it is allowed: a version specifier",
}


def _equal(wanted: object, value: object) -> bool:
    return wanted == value


def _has_part(wanted: str, value: str | None) -> bool:
    return value is not None and wanted in value


def _has_part_in_any_case(wanted: str, value: str | None) -> bool:
    return value is not None and wanted.casefold() in value.casefold()


def _fits(pattern: str, value: str | None) -> bool:
    return value is not None and fnmatchcase(value, pattern)


def _fits_path(pattern: str, value: str | None) -> bool:
    """Whether a path fits as it is named, or, of an installed file, from its package on."""
    if value is None:
        return False
    path = value.replace("\\", "/")
    return fnmatchcase(path, pattern) or fnmatchcase(portable(path), pattern)
