"""Options, parsed once into one frozen value; each is declared once, with its ini twin."""

from __future__ import annotations

import ast
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, cast, get_args

import pytest

from pytest_compilecheck.baseline.modes import IN_CI, Update, is_ci


class _Option(NamedTuple):
    name: str  # "--compilecheck-json"; the ini twin is compilecheck_json
    kind: str  # "bool", "string", "path", "report": a path, for the format of the option's name;
    # or "reports": several, each "format:path"
    help: str
    metavar: str | None = None

    @property
    def ini(self) -> str:
        return self.name.removeprefix("--").replace("-", "_")

    @property
    def format(self) -> str:
        return self.name.removeprefix("--compilecheck-")


_OPTIONS = (
    _Option(
        "--compilecheck",
        "bool",
        "run contracts under torch.compile and fail those that do not hold; without it they run"
        " eagerly, as ordinary tests",
    ),
    _Option(
        "--compilecheck-audit",
        "bool",
        "watch every test, marked or not, without a verdict; rank what breaks and recompiles",
    ),
    _Option("--compilecheck-warn", "bool", "report broken contracts, but do not fail their tests"),
    _Option("--compilecheck-strict", "bool", "fail exceptions of a contract that match nothing"),
    _Option(
        "--compilecheck-backend",
        "string",
        "torch.compile backend of contracts that name none (default: eager)",
        "NAME",
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
    _Option(
        "--compilecheck-json", "report", "write all that was seen as JSON to this file", "PATH"
    ),
    _Option(
        "--compilecheck-markdown",
        "report",
        "write a report in GitHub's Markdown to this file",
        "PATH",
    ),
    _Option(
        "--compilecheck-sarif",
        "report",
        "write a SARIF 2.1.0 log, for code scanning, to this file",
        "PATH",
    ),
    _Option(
        "--compilecheck-report",
        "reports",
        "write a report in a format by its name, also one of a plugin; may be repeated",
        "NAME:PATH",
    ),
    _Option(
        "--compilecheck-annotations",
        "string",
        "print GitHub's annotations (default: auto, which is in GitHub Actions only)",
        "auto|always|never",
    ),
    _Option(
        "--compilecheck-top",
        "string",
        "rows of a table in the summary, 0 for all (default: 50 contracts, 15 places of an audit)",
        "N",
    ),
)

# Type and default of the ini twin by kind of option, where it is no single text.
_INI: Final[dict[str, tuple[Any, object]]] = {"bool": ("bool", False), "reports": ("linelist", [])}

# Options that do something by themselves, and those that say what is told of an audit.
_ALONE = ("--compilecheck", "--compilecheck-audit")
_OF_AUDITS = (
    *(each.name for each in _OPTIONS if each.kind in ("report", "reports")),
    "--compilecheck-top",
)

Annotations = Literal["auto", "always", "never"]


@dataclass(frozen=True, slots=True)
class Settings:
    """What the command line and the ini file ask for.

    `reports` are the files to write, by format, `top` is the number of rows of a table (0 for all,
    None for the usual one); `defaults` are fields for every contract, `files`
    patterns of contract files, `modules` those whose functions may have contracts.
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
            action = "append" if option.kind == "reports" else "store"
            group.addoption(option.name, action=action, metavar=option.metavar, **arguments)
        kind, default = _INI.get(option.kind, ("string", ""))
        parser.addini(option.ini, option.help, type=kind, default=default)
    parser.addini(
        "compilecheck_files",
        "patterns of contract files, relative to the rootdir or to any folder in it",
        type="args",
        default=["contracts/**/*.contract.yaml", "contracts/**/*.contract.yml"],
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
        idle = [name for name in idle if name not in _OF_AUDITS]
    if idle and not values["compilecheck"]:
        raise pytest.UsageError(f"{idle[0]} has no effect without --compilecheck: add it")
    return Settings(
        active=bool(values["compilecheck"]),
        reports=_reports(config),
        annotations=_annotations(values["compilecheck_annotations"] or "auto"),
        top=_rows(values["compilecheck_top"]),
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


def _annotations(asked: str) -> Annotations:
    if asked not in get_args(Annotations):
        choices = ", ".join(get_args(Annotations))
        raise pytest.UsageError(f"--compilecheck-annotations={asked}: choose one of {choices}")
    return cast("Annotations", asked)


def _rows(asked: str) -> int | None:
    """A number of rows; None where none is asked for."""
    if not asked:
        return None
    if not (asked.isascii() and asked.isdigit()):
        raise pytest.UsageError(
            f"--compilecheck-top={asked}: a number of rows is needed, such as 20, or 0 for all"
        )
    return int(asked)


def _reports(config: pytest.Config) -> dict[str, Path]:
    """Paths by format.

    Raises:
        pytest.UsageError: no NAME:PATH, or a format that is asked for twice.
    """
    paths = {each.format: _path(config, each.ini) for each in _OPTIONS if each.kind == "report"}
    found = {name: path for name, path in paths.items() if path is not None}
    option = "compilecheck_report"
    for text in _value(config, option):
        name, _, path = (part.strip() for part in text.partition(":"))
        if not (name and path):
            raise pytest.UsageError(f"--compilecheck-report: expected NAME:PATH, got {text!r}")
        if name in found:
            why = f"{name} is asked for twice: leave one out"
            raise pytest.UsageError(f"--compilecheck-report: {why}")
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
