"""Options, parsed once into one frozen value; each is declared once, with its ini twin."""

from __future__ import annotations

import ast
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, cast, get_args

import pytest

from pytest_compilecheck.baseline.modes import IN_CI, Update, is_ci


class _Option(NamedTuple):
    name: str  # "--compilecheck-json"; the ini twin is compilecheck_json
    kind: str  # "bool", "string", "path", or "report": a path, for the format of the option's name
    help: str
    metavar: str | None = None

    @property
    def ini(self) -> str:
        return self.name.removeprefix("--").replace("-", "_")

    @property
    def format(self) -> str:
        return self.name.removeprefix("--compilecheck-")


_OPTIONS = (
    _Option("--compilecheck", "bool", "hold the compile contracts of marked tests"),
    _Option(
        "--compilecheck-json",
        "report",
        "write the report of all contracts as JSON to this file",
        "PATH",
    ),
    _Option(
        "--compilecheck-backend",
        "string",
        "torch.compile backend of contracts that name none (default: eager)",
        "NAME",
    ),
    _Option(
        "--compilecheck-audit",
        "bool",
        "watch every test, marked or not, without a verdict; rank what breaks and recompiles",
    ),
    _Option(
        "--compilecheck-baseline",
        "path",
        "fail only for what is new or worse than this file knows",
        "FILE",
    ),
    _Option(
        "--compilecheck-update",
        "string",
        "write the baseline: `new` adds, `tighten` lowers and drops, `all` also raises",
        "new|tighten|all",
    ),
    _Option(
        "--compilecheck-update-in-ci", "bool", "let --compilecheck-update write though CI is set"
    ),
    _Option("--compilecheck-warn", "bool", "report broken contracts, but do not fail their tests"),
    _Option("--compilecheck-strict", "bool", "fail exceptions of a contract that match nothing"),
)

# Options that do something by themselves.
_ALONE = ("--compilecheck", "--compilecheck-audit")


@dataclass(frozen=True, slots=True)
class Settings:
    """What the command line and the ini file ask for.

    `reports` are the files to write, by format; `defaults` are fields for every contract, `files`
    patterns of contract files, `modules` those whose functions may have contracts.
    """

    active: bool = False
    reports: Mapping[str, Path] = field(default_factory=dict)
    backend: str = "eager"
    warn: bool = False
    strict: bool = False
    baseline: Path | None = None
    update: Update | None = None
    audit: bool = False
    files: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    defaults: dict[str, object] = field(default_factory=dict)
    defaults_place: tuple[str, int] = ("", 1)


KEY = pytest.StashKey[Settings]()


def add_options(parser: pytest.Parser) -> None:
    """Declare all options and ini keys."""
    group = parser.getgroup("compilecheck", "torch.compile contracts")
    for option in _OPTIONS:
        arguments: dict[str, Any] = {"dest": option.ini, "default": None, "help": option.help}
        if option.kind == "bool":
            group.addoption(option.name, action="store_true", **arguments)
        else:
            group.addoption(option.name, metavar=option.metavar, **arguments)
        kind: Any = "bool" if option.kind == "bool" else "string"
        default: object = False if option.kind == "bool" else ""
        parser.addini(option.ini, option.help, type=kind, default=default)
    parser.addini(
        "compilecheck_files",
        "patterns of contract files, relative to the rootdir or to any folder in it",
        type="args",
        default=["contracts/**/*.contract.yaml"],
    )
    parser.addini(
        "compilecheck_modules",
        "modules of library code with contracts; package.* stands for all modules in a package",
        type="args",
        default=[],
    )
    parser.addini(
        "compilecheck_defaults",
        "fields of every contract, one `name = value` a line, values as Python literals",
        type="linelist",
        default=[],
    )


def read(config: pytest.Config) -> Settings:
    """The settings of a run.

    Raises:
        pytest.UsageError: a line of `compilecheck_defaults` is no `name = value`, or an option is
            given that has no effect without --compilecheck.
    """
    values = {option.ini: _value(config, option.ini) for option in _OPTIONS}
    given = [option.name for option in _OPTIONS if config.getoption(option.ini) is not None]
    idle = [name for name in given if name not in _ALONE]
    if values["compilecheck_audit"]:
        idle = [name for name in idle if name != "--compilecheck-json"]
    if idle and not values["compilecheck"]:
        raise pytest.UsageError(f"{idle[0]} has no effect without --compilecheck: add it")
    return Settings(
        active=bool(values["compilecheck"]),
        reports=_reports(config),
        backend=values["compilecheck_backend"] or "eager",
        warn=bool(values["compilecheck_warn"]),
        strict=bool(values["compilecheck_strict"]),
        baseline=_path(config, "compilecheck_baseline"),
        update=_update(values),
        audit=bool(values["compilecheck_audit"]),
        files=tuple(config.getini("compilecheck_files")),
        modules=tuple(config.getini("compilecheck_modules")),
        defaults=dict(_default(text) for text in config.getini("compilecheck_defaults")),
        defaults_place=_defaults_place(config),
    )


def _reports(config: pytest.Config) -> dict[str, Path]:
    paths = {each.format: _path(config, each.ini) for each in _OPTIONS if each.kind == "report"}
    return {name: path for name, path in paths.items() if path is not None}


def _path(config: pytest.Config, name: str) -> Path | None:
    """A path of the command line starts where it was typed, one of an ini file at the rootdir."""
    typed = config.getoption(name)
    base = config.rootpath if typed is None else config.invocation_params.dir
    path = _value(config, name)
    return base / path if path else None


def _update(values: Mapping[str, Any]) -> Update | None:
    asked: Any = values["compilecheck_update"] or None
    if asked is None:
        return None
    if asked not in get_args(Update):
        choices = ", ".join(get_args(Update))
        raise pytest.UsageError(f"--compilecheck-update={asked}: choose one of {choices}")
    if not values["compilecheck_baseline"]:
        raise pytest.UsageError("--compilecheck-update needs --compilecheck-baseline=FILE")
    if is_ci(os.environ) and not values["compilecheck_update_in_ci"]:
        refused = IN_CI.format("--compilecheck-update-in-ci")
        raise pytest.UsageError(f"--compilecheck-update {refused}")
    return cast("Update", asked)


def _value(config: pytest.Config, name: str) -> Any:
    given = config.getoption(name)
    return config.getini(name) if given is None else given


def _default(text: str) -> tuple[str, object]:
    name, _, value = (piece.strip() for piece in text.partition("="))
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
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
