"""The baseline as a file: YAML with one entry a line, sorted, so that git merges it well.

Each entry is a list item in JSON, which is YAML too: read with the fast JSON parser where a line is
as it was written here, and as YAML where somebody wrote it otherwise.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from pytest_compilecheck.baseline.known import Baseline, Entry, Recorded
from pytest_compilecheck.baseline.release import minor_release, order
from pytest_compilecheck.contract.bounded import read_bounded
from pytest_compilecheck.contract.faults import Fault
from pytest_compilecheck.contract.file.compose import compose
from pytest_compilecheck.contract.file.text import UNPRINTABLE, UnreadableError, decode
from pytest_compilecheck.contract.plain import shown
from pytest_compilecheck.judge.findings import Finding
from pytest_compilecheck.report.wording import STEERS, printable_lines

VERSION: Final = 1

_HEAD: Final = f"""\
# What is known not to compile as its contract asks: pytest-compilecheck fails for what is new.
# One entry a line. `{{name}} merge=union` in .gitattributes lets git merge what branches add.
version: {VERSION}
"""
# What YAML takes for the end of a line or has only as an escape, and what steers a terminal. JSON
# has no one escape beyond the first 65,536 that is YAML too.
_ESCAPED: Final = re.compile(f"(?=[\0-\uffff])(?:{STEERS.pattern}|{UNPRINTABLE.pattern})")
_MOST_BYTES: Final = 50_000_000
_MOST_VALUES: Final = 500_000  # of a file that is not as it was written here
_RELEASE: Final = re.compile(r"\d+\.\d+")
_PLACE: Final = ("file", "function", "cause")

FILE_KEYS: Final = {
    "version": "version of the format, 1",
    "recorded": "a list: under which versions figures were recorded, one item for each minor"
    " release of torch",
    "known": "a list: what is known, one item for each finding",
}
RECORDED_KEYS: Final = {
    "torch": "the version of torch",
    "packages": "versions of the packages that the contracts' models are from, by name",
}
ENTRY_KEYS: Final = {
    "contract": "the contract's id; in brackets behind it the name of a block that the fixture"
    " watches",
    "kind": "graph_break, recompile or fallback; or the bound, where a figure without a place is"
    " meant",
    "file": "the file, relative to the rootdir or to the place of installed packages; left out"
    " where torch does not tell it",
    "function": "the function in it; left out where torch does not tell it",
    "cause": "GB id of a graph break (its reason where it has none), what changed for a recompile,"
    " the kind of a fallback, the subject of a bound",
    "count": 'the figure of each minor release of torch, as `{"2.13": 2}`; 0 where the finding is'
    " gone in that release",
    "because": "why it is known; a person adds it, and updates keep it",
}
"""Keys of the file and of its items, each with its meaning."""


class BaselineError(Exception):
    """A baseline cannot be read or written; the message says where, and what to do."""

    def __init__(self, message: str) -> None:
        """Take the lines of the message."""
        super().__init__(printable_lines(message))


class _FaultError(Exception):
    """What is wrong with one item."""


def read_baseline(path: Path) -> Baseline:
    """The baseline in a file.

    Raises:
        BaselineError: it is not there, cannot be read, or holds something else.
    """
    try:
        text = read_bounded(path, _MOST_BYTES).decode()
    except FileNotFoundError:
        raise BaselineError(
            f"there is no baseline {path}: write it with --compilecheck-update=new"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise BaselineError(f"the baseline {path} cannot be read: {error}") from None
    return parse(text, str(path))


def parse(text: str, name: str) -> Baseline:
    """The baseline in a text; `name` is for messages.

    Raises:
        BaselineError: with every fault and its line.
    """
    faults: list[str] = []
    entries, recorded = [], {}
    for section, line, item in _items(text, name):
        try:
            if section == "known":
                entries.append(_entry(item))
            else:
                versions = _versions(item)
                recorded[minor_release(versions.torch)] = versions
        except _FaultError as fault:
            faults.append(f"{name}:{line}: {fault}")
    if faults:
        raise BaselineError("\n".join(faults))
    return Baseline.of(entries, recorded)


def text_of(baseline: Baseline, name: str) -> str:
    """The text of a baseline for a file of this name."""
    lines = [_HEAD.format(name=name) + "recorded:"]
    for release in sorted(baseline.recorded, key=order):
        versions = baseline.recorded[release]
        lines.append(_line({"torch": versions.torch, "packages": dict(versions.packages)}))
    lines.append("known:")
    entries = [entry for each in baseline.contracts.values() for entry in each.values()]
    lines += [_line(_plain(entry)) for entry in sorted(entries, key=lambda each: each.finding)]
    return "\n".join(lines) + "\n"


def _plain(entry: Entry) -> dict[str, Any]:
    found = entry.finding
    data: dict[str, Any] = {"contract": found.contract, "kind": found.kind}
    data |= {key: value for key in _PLACE if (value := getattr(found, key))}
    data["count"] = {each: entry.counts[each] for each in sorted(entry.counts, key=order)}
    return data if entry.because is None else {**data, "because": entry.because}


def _line(data: dict[str, Any]) -> str:
    text = json.dumps(data, ensure_ascii=False)
    return "- " + _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _items(text: str, name: str) -> Iterator[tuple[str, int, Any]]:
    """The items of the lists "recorded" and "known", each with its line."""
    lines = text.split("\n")
    conflict = next((n for n, each in enumerate(lines, 1) if each.startswith("<<<<<<< ")), None)
    if conflict is not None:
        raise BaselineError(
            f"{name}:{conflict}: a merge left its marks: keep the entries of both sides, and put"
            f" `{name} merge=union` into .gitattributes"
        )
    try:
        yield from list(_as_written(lines))
    except (ValueError, RecursionError):
        yield from _as_yaml(text, name)


def _as_written(lines: list[str]) -> Iterator[tuple[str, int, Any]]:
    section = ""
    if f"version: {VERSION}" not in lines:
        raise ValueError  # not as it is written here
    for number, line in enumerate(lines, 1):
        if line.startswith("- ") and section:
            yield section, number, json.loads(line[2:], object_pairs_hook=_each_once)
        elif line in ("recorded:", "known:"):
            section = line[:-1]
        elif line and not line.startswith("#") and line != f"version: {VERSION}":
            raise ValueError


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The entries of a mapping: of a key that is there twice a reader would see only one."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is there twice")
    return found


def _as_yaml(text: str, name: str) -> Iterator[tuple[str, int, Any]]:
    try:
        root, faults = compose(decode(text.encode(), name, most=_MOST_BYTES), most=_MOST_VALUES)
    except UnreadableError as error:
        raise _refused(name, error.faults) from None
    version = root.value.get("version") if isinstance(root.value, dict) else None
    if version is None:
        raise BaselineError(f"{name}:1: no baseline: `version: {VERSION}` is missing")
    if version != VERSION:
        raise BaselineError(
            f"{name}:1: this release reads baselines of version {VERSION}, got {shown(version)}:"
            " read it with the release that wrote it, or record it anew"
        )
    if faults:
        raise _refused(name, faults)
    strange = [key for key in root.value if key not in FILE_KEYS]
    if strange:
        raise BaselineError(f"{name}:1: a baseline has no key {shown(strange[0])}: leave it out")
    sections = root.items()
    for section in ("recorded", "known"):
        written = sections.get(section)
        if written is None or not written.value:
            continue
        if not isinstance(written.value, list):
            line = written.places.place.line
            raise BaselineError(f"{name}:{line}: {section} is a list of entries, `- {{...}}`")
        for item in written.items().values():
            yield section, item.places.place.line, item.value


def _refused(name: str, faults: Iterable[Fault]) -> BaselineError:
    lines = [each.place.line if each.place else 1 for each in faults]
    told = (f"{name}:{at}: {each.message}" for at, each in zip(lines, faults, strict=True))
    return BaselineError("\n".join(told))


def _entry(data: Any) -> Entry:
    """An entry; _FaultError says what is wrong with it."""
    _check_keys(data, tuple(ENTRY_KEYS), ("contract", "kind", "count"))
    for key in ("contract", "kind", *_PLACE, "because"):
        if not isinstance(data.get(key, ""), str):
            raise _FaultError(f"{key} is a text, got {shown(data[key])}")
    counts = data["count"]
    if not isinstance(counts, dict) or not counts:
        raise _FaultError(
            f'count has a figure for each release, as {{"2.13": 1}}, got {shown(counts)}'
        )
    for release, count in counts.items():
        if not isinstance(release, str) or not _RELEASE.fullmatch(release):
            raise _FaultError(
                f'a release of torch is written "2.13", in quotes, got {shown(release)}'
            )
        number = isinstance(count, (int, float)) and not isinstance(count, bool)
        if not number or not 0 <= count < math.inf:
            raise _FaultError(f"the figure of {release} is a number from 0 on, got {shown(count)}")
    place = [data.get(key, "") for key in _PLACE]
    finding = Finding(data["contract"], data["kind"], *place)
    return Entry(finding, dict(counts), data.get("because"))


def _versions(data: Any) -> Recorded:
    _check_keys(data, tuple(RECORDED_KEYS), ("torch",))
    packages = data.get("packages") or {}
    if not isinstance(data["torch"], str) or not isinstance(packages, dict):
        raise _FaultError('versions are written as {"torch": "2.13.0", "packages": {...}}')
    return Recorded(data["torch"], {str(key): str(value) for key, value in packages.items()})


def _check_keys(data: Any, known: tuple[str, ...], needed: tuple[str, ...]) -> None:
    if not isinstance(data, dict):
        raise _FaultError(f"an entry is a mapping, `- {{...}}`, got {shown(data)}")
    strange = [key for key in data if key not in known]
    if strange:
        raise _FaultError(f"an entry has no key {shown(strange[0])}: it has {', '.join(known)}")
    missing = [key for key in needed if key not in data]
    if missing:
        raise _FaultError(f"{missing[0]} is missing: an item here has {', '.join(needed)}")
