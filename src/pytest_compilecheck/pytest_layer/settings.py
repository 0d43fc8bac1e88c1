"""Options, parsed once into one frozen value."""

from __future__ import annotations

import ast
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast, get_args

import pytest

from pytest_compilecheck.baseline.modes import IN_CI, Update, is_ci
from pytest_compilecheck.pytest_layer.options import OPTIONS

# Options that do something by themselves, and those that say how an audit is shown.
_ALONE = ("--compilecheck", "--compilecheck-audit")
_OF_AUDITS = (
    *(each.name for each in OPTIONS if each.kind in ("report", "reports")),
    "--compilecheck-top",
)
_POLICIES = "--compilecheck-policies"

Annotations = Literal["auto", "always", "never"]


@dataclass(frozen=True, slots=True)
class Settings:
    """What the command line and the ini file ask for.

    `reports` are the files to write, by format, `trace` the folder for torch's traces, `top` is the
    number of rows of a table (0 for all, None for the usual one); warm calls of a policy are
    repeated for `policies_seconds` at most, its process is ended after `policies_timeout` seconds;
    `defaults` are fields for every contract, `files` patterns of contract files, `modules` those
    whose functions may have contracts.
    """

    active: bool = False
    reports: Mapping[str, Path] = field(default_factory=dict)
    annotations: Annotations = "auto"
    top: int | None = None
    backend: str = "eager"
    warn: bool = False
    strict: bool = False
    baseline: Path | None = None
    update: Update | None = None
    trace: Path | None = None
    audit: bool = False
    policies: bool = False
    policies_inprocess: bool = False
    policies_seconds: float = 5.0
    policies_timeout: float = 1800.0
    files: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    defaults: dict[str, object] = field(default_factory=dict)
    defaults_place: tuple[str, int] = ("", 1)


KEY = pytest.StashKey[Settings]()


def read(config: pytest.Config) -> Settings:
    """The settings of a run.

    Raises:
        pytest.UsageError: an option has a value that it does not take, or none, or has no effect
            without another, two files have one path, a line of `compilecheck_defaults` is no
            `name = value` or names a field again, or CI may not write the baseline.
    """
    values = {option.ini: _value(config, option.ini) for option in OPTIONS}
    given = {each.name: config.getoption(each.ini) for each in OPTIONS}
    _check_given({name: value for name, value in given.items() if value is not None}, values)
    reports, baseline = _reports(config), _path(config, "compilecheck_baseline")
    _check_paths(reports, baseline)
    return Settings(
        active=bool(values["compilecheck"]),
        reports=reports,
        annotations=_annotations(values),
        top=_rows(values["compilecheck_top"]),
        backend=values["compilecheck_backend"] or "eager",
        warn=bool(values["compilecheck_warn"]),
        strict=bool(values["compilecheck_strict"]),
        baseline=baseline,
        update=_update(values),
        trace=_path(config, "compilecheck_trace"),
        audit=bool(values["compilecheck_audit"]),
        policies=bool(values["compilecheck_policies"]),
        policies_inprocess=bool(values["compilecheck_policies_inprocess"]),
        policies_seconds=_seconds(values, "policies_seconds"),
        policies_timeout=_seconds(values, "policies_timeout"),
        files=tuple(config.getini("compilecheck_files")),
        modules=tuple(config.getini("compilecheck_modules")),
        defaults=_defaults(config.getini("compilecheck_defaults")),
        defaults_place=_defaults_place(config),
    )


def _check_given(given: Mapping[str, Any], values: Mapping[str, Any]) -> None:
    """Refuse options of the command line that would be dropped without a word."""
    idle = [name for name in given if name not in _ALONE]
    if values["compilecheck_audit"]:
        idle = [name for name in idle if name not in _OF_AUDITS]
    _check_effect(idle, "--compilecheck", values["compilecheck"])
    of_policies = [name for name in given if name.startswith(f"{_POLICIES}-")]
    _check_effect(of_policies, _POLICIES, values["compilecheck_policies"])
    for name, value in given.items():
        if isinstance(value, str) and not value.strip():
            why = "has an empty value, as a variable of the shell has that is not set"
            raise pytest.UsageError(f"{name} {why}: give it one, or leave the option out")


def _check_effect(options: list[str], needed: str, is_there: object) -> None:
    if options and not is_there:
        raise pytest.UsageError(f"{options[0]} has no effect without {needed}: add it")


def _check_paths(reports: Mapping[str, Path], baseline: Path | None) -> None:
    """Refuse two files with one path, of which only the last would be left."""
    files = [(f"the {name} report", path) for name, path in reports.items()]
    files += [("the baseline", baseline)] if baseline is not None else []
    taken: dict[str, str] = {}
    for what, path in files:
        if path.exists() and not path.is_file():
            continue  # /dev/stdout, /dev/null, a pipe: what is written there replaces nothing
        try:
            place = os.path.realpath(path)
        except ValueError:  # a NUL in it: that it cannot be written is told where it is
            continue
        other = taken.setdefault(place, what)
        if other != what:
            raise _refused(f"{other} and {what} have one path, {path}: give each its own")


def _annotations(values: Mapping[str, Any]) -> Annotations:
    asked = values["compilecheck_annotations"] or "auto"
    _check_choice("--compilecheck-annotations", asked, get_args(Annotations))
    return cast("Annotations", asked)


def _check_choice(option: str, asked: str, choices: tuple[str, ...]) -> None:
    if asked not in choices:
        raise _refused(f"{option}={asked}: choose one of {', '.join(choices)}")


def _refused(message: str) -> pytest.UsageError:
    """An error that shows what was typed; what that needs is loaded for it alone."""
    from pytest_compilecheck.report.wording import printable

    return pytest.UsageError(printable(message))


def _rows(asked: str) -> int | None:
    """A number of rows; None where none is asked for."""
    if not asked:
        return None
    from pytest_compilecheck.report.top import rows_of

    try:
        return rows_of(asked)
    except ValueError as error:
        raise _refused(f"--compilecheck-top={asked}: {error}") from None


def _seconds(values: Mapping[str, Any], setting: str) -> float:
    """A time limit, by the name of its setting."""
    usual: float = getattr(Settings(), setting)
    asked = values[f"compilecheck_{setting}"]
    if not asked:
        return usual
    try:
        seconds = float(asked)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < math.inf:
        raise _refused(
            f"--compilecheck-{setting.replace('_', '-')}={asked}: a number of seconds"
            f" is needed, such as {usual:g}"
        )
    return seconds


def _reports(config: pytest.Config) -> dict[str, Path]:
    """Paths by format.

    Raises:
        pytest.UsageError: no NAME:PATH, or a format that is asked for twice.
    """
    paths = {each.format: _path(config, each.ini) for each in OPTIONS if each.kind == "report"}
    found = {name: path for name, path in paths.items() if path is not None}
    option = "compilecheck_report"
    for text in _value(config, option):
        name, _, path = (part.strip() for part in text.partition(":"))
        if not (name and path):
            raise pytest.UsageError(f"--compilecheck-report: expected NAME:PATH, got {text!r}")
        if name in found:
            why = f"{name} is asked for twice: leave one out"
            raise _refused(f"--compilecheck-report: {why}")
        found[name] = _base(config, option) / path
    return found


def _path(config: pytest.Config, name: str) -> Path | None:
    path = _value(config, name)
    return _base(config, name) / path if path else None


def _base(config: pytest.Config, name: str) -> Path:
    """A path of the command line starts where it was typed, one of an ini file at the rootdir."""
    typed = config.getoption(name) is not None
    return config.invocation_params.dir if typed else config.rootpath


def _update(values: Mapping[str, Any]) -> Update | None:
    asked = values["compilecheck_update"]
    if not asked:
        return None
    _check_choice("--compilecheck-update", asked, get_args(Update))
    if not values["compilecheck_baseline"]:
        raise pytest.UsageError("--compilecheck-update needs --compilecheck-baseline=FILE")
    if is_ci(os.environ) and not values["compilecheck_update_in_ci"]:
        refused = IN_CI.format("--compilecheck-update-in-ci")
        raise pytest.UsageError(f"--compilecheck-update {refused}")
    return cast("Update", asked)


def _value(config: pytest.Config, name: str) -> Any:
    given = config.getoption(name)
    return config.getini(name) if given is None else given


def _defaults(lines: list[str]) -> dict[str, object]:
    found: dict[str, object] = {}
    for name, value in map(_default, lines):
        if name in found:
            raise _refused(f"compilecheck_defaults: {name!r} is there twice: leave one out")
        found[name] = value
    return found


def _default(text: str) -> tuple[str, object]:
    name, _, value = (piece.strip() for piece in text.partition("="))
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError, MemoryError, RecursionError):  # nested beyond all measure
        raise pytest.UsageError(
            f"compilecheck_defaults: {text!r} is no `name = value` with a Python literal, "
            "such as `max_recompiles = 1` or `backend = 'inductor'`"
        ) from None


def _defaults_place(config: pytest.Config) -> tuple[str, int]:
    """Where `compilecheck_defaults` stands, for messages."""
    if config.inipath is None:
        return "compilecheck_defaults", 1
    lines = config.inipath.read_text(encoding="utf-8", errors="replace").splitlines()
    found = (number for number, text in enumerate(lines, 1) if "compilecheck_defaults" in text)
    return str(config.inipath), next(found, 1)
