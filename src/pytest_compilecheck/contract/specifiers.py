"""Version specifiers of torch: which releases they fit, and where they begin and end."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pytest_compilecheck.contract.faults import Report
from pytest_compilecheck.contract.plain import shown

_ONE: Final = r"(===\s*[^\s,]+|(~=|==|!=|<=|>=|<|>)\s*[vV]?[0-9][^\s,]*)\s*"
SPECIFIER_PATTERN: Final = rf"^[\s,]*{_ONE}(,[\s,]*{_ONE})*[\s,]*$"
"""What a version specifier looks like; which versions it can name is not in it."""

_PARTS: Final = 3
_MANY: Final = 9999


def is_specifier(specifier: object, report: Report) -> bool:
    """Whether a version specifier tells some releases from others; a fault is reported."""
    # The empty specifier matches every release: it cannot tell one from another.
    valid = names_versions(specifier, any_version=False)
    if not valid:
        report(f"{shown(specifier)} is no version specifier: write e.g. '<2.14' or '>=2.12,<2.14'")
    return valid


def names_versions(specifier: object, *, any_version: bool) -> bool:
    """Whether this is a version specifier; with `any_version` also the empty one."""
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    try:
        return isinstance(specifier, str) and (len(SpecifierSet(specifier)) > 0 or any_version)
    except InvalidSpecifier:
        return False


def matches_release(specifier: str | None, torch_version: str) -> bool:
    """Whether a version specifier fits the release segment of a version of torch; None does."""
    from packaging.specifiers import SpecifierSet
    from packaging.version import Version

    if specifier is None:
        return True
    release = ".".join(str(part) for part in Version(torch_version).release)
    return SpecifierSet(specifier).contains(release)


def edges(specifiers: Iterable[str]) -> list[str]:
    """Releases among which is one of each kind that the specifiers tell apart.

    A specifier begins or ends at the release that it names, or at the next one of its parts
    ("==2.8.*" at 2.9): these, those just after, and those just before.
    """
    from packaging.specifiers import SpecifierSet
    from packaging.version import InvalidVersion, Version

    found: set[tuple[int, ...]] = set()
    for specifier in specifiers:
        for each in SpecifierSet(specifier):
            try:
                named = Version(each.version.removesuffix(".*")).release
            except InvalidVersion:  # any text may stand behind ===
                continue
            found |= {named, *((*named[:at], named[at] + 1) for at in range(len(named)))}
    ordered = sorted(found)
    points = [*ordered, *map(_just_after, ordered), *map(_just_before, ordered)]
    return [".".join(map(str, point)) for point in points]


def _just_after(release: tuple[int, ...]) -> tuple[int, ...]:
    return (*release, *[0] * (_PARTS - len(release)), 1)


def _just_before(release: tuple[int, ...]) -> tuple[int, ...]:
    last = max((at for at, number in enumerate(release) if number), default=0)
    return (*release[:last], max(release[last] - 1, 0), _MANY)
