"""When a contract runs: `requires`, `marks`, `skip` and `xfail`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_compilecheck.contract.faults import Report, did_you_mean, inside
from pytest_compilecheck.contract.file.objects import NAME
from pytest_compilecheck.contract.file.values import Excuse
from pytest_compilecheck.contract.kinds import Kind
from pytest_compilecheck.contract.plain import shown
from pytest_compilecheck.contract.specifiers import SPECIFIER_PATTERN, names_versions

_EXCUSE_KEYS: Final = ("reason", "torch")

# Marks that have a key of their own, or that need arguments.
_OTHER_MARKS: Final = {
    "skip": "write the key skip",
    "skipif": "write the key skip with 'torch', or requires",
    "xfail": "write the key xfail",
    "parametrize": "write the key matrix",
    "compile_contract": "the contract is this file's",
    "usefixtures": "a contract of a file takes no fixtures",
    "filterwarnings": "it needs arguments, and a mark here has none",
}


def parse_requires(value: object, report: Report) -> Any:
    """Packages with version specifiers, "" for any version."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        report(f"expected a mapping such as {{transformers: '>=5'}}, got {shown(value)}")
        return {}
    for package, specifier in value.items():
        if not package.strip():
            report("a package has a name, got ''")
        _check_specifier(specifier, inside(f"[{package!r}]", report))
    return dict(value)


def parse_marks(value: object, report: Report) -> Any:
    """Names of pytest marks."""
    if value is None:
        return ()
    if not isinstance(value, list):
        report(f"expected a list of marks such as [slow], got {shown(value)}")
        return ()
    for index, mark in enumerate(value):
        if not isinstance(mark, str) or not mark.isidentifier():
            report(f"[{index}]: expected the name of a pytest mark, got {shown(mark)}")
        elif mark in _OTHER_MARKS:
            report(f"[{index}]: {mark!r} cannot be given here: {_OTHER_MARKS[mark]}")
    return tuple(value)


def parse_excuse(value: object, report: Report) -> Any:
    """A reason, or a mapping with a reason and the releases of torch that it is for."""
    if value is None:
        return None
    given = {"reason": value} if isinstance(value, str) else value
    if not isinstance(given, Mapping):
        report(f"expected a reason, or {{reason: ..., torch: '<2.9'}}, got {shown(value)}")
        return None
    for key in given:
        if key not in _EXCUSE_KEYS:
            # As exceptions have it.
            hint = " (did you mean 'reason'?)" if key == "because" else ""
            report(f"{key!r} is no key here{hint or did_you_mean(key, _EXCUSE_KEYS)}")
    reason, torch = given.get("reason"), given.get("torch")
    if "reason" not in given:
        if "because" not in given:
            report("say why: add reason: '...'")
    elif not isinstance(reason, str) or not reason.strip():
        part = "['reason']: " if given is value else ""
        report(f"{part}say why, in a text that is not empty, got {shown(reason)}")
    if "torch" in given:
        _check_specifier(torch, inside("['torch']", report), any_version=False)
    return Excuse(str(reason), torch if isinstance(torch, str) else None)


_SPECIFIER: Final = {"type": "string", "pattern": SPECIFIER_PATTERN}
_REASON: Final = {"type": "string", "pattern": r"\S"}

REQUIRES: Final = Kind(
    parse_requires,
    {
        "type": ["object", "null"],
        "propertyNames": {"pattern": r"\S"},
        "additionalProperties": {"anyOf": [_SPECIFIER, {"type": "string", "pattern": r"^[\s,]*$"}]},
    },
)
MARKS: Final = Kind(
    parse_marks,
    {
        "type": ["array", "null"],
        "items": {"type": "string", "pattern": f"^{NAME}$", "not": {"enum": list(_OTHER_MARKS)}},
    },
)
EXCUSE: Final = Kind(
    parse_excuse,
    {
        "anyOf": [
            {"type": "null"},
            _REASON,
            {
                "type": "object",
                "properties": {
                    "reason": {"description": "why", **_REASON},
                    "torch": {"description": "the releases of torch it is for", **_SPECIFIER},
                },
                "required": ["reason"],
                "additionalProperties": False,
            },
        ]
    },
)


def _check_specifier(specifier: object, report: Report, *, any_version: bool = True) -> None:
    if not names_versions(specifier, any_version=any_version):
        others = ", or '' for any version" if any_version else ""
        report(f"expected a version specifier such as '>=5'{others}, got {shown(specifier)}")
