"""The options of the command line, each declared once, with its ini twin."""

from __future__ import annotations

from typing import Any, Final, Literal, NamedTuple

import pytest

Kind = Literal["bool", "string", "path", "report", "reports"]
"""A report is a path, for the format of the option's name; reports are several "format:path"."""


class Option(NamedTuple):
    """An option, "--compilecheck-json", whose ini twin is compilecheck_json."""

    name: str
    kind: Kind
    help: str
    metavar: str | None = None

    @property
    def ini(self) -> str:
        """Name of the ini twin, and of the value."""
        return self.name.removeprefix("--").replace("-", "_")

    @property
    def format(self) -> str:
        """The format of a report."""
        return self.name.removeprefix("--compilecheck-")


OPTIONS: Final = (
    Option(
        "--compilecheck",
        "bool",
        "run contracts under torch.compile and fail those that do not hold; without it they run"
        " eagerly, as ordinary tests",
    ),
    Option(
        "--compilecheck-audit",
        "bool",
        "watch every test, marked or not, without a verdict; rank what breaks and recompiles",
    ),
    Option("--compilecheck-warn", "bool", "report broken contracts, but do not fail their tests"),
    Option(
        "--compilecheck-strict",
        "bool",
        "fail exceptions that match nothing, a contract of a file whose xfail is not needed, and"
        " what is better than the baseline has it",
    ),
    Option(
        "--compilecheck-backend",
        "string",
        "torch.compile backend of contracts that name none (default: eager)",
        "NAME",
    ),
    Option(
        "--compilecheck-baseline",
        "path",
        "fail only for what is new or worse than this file knows",
        "FILE",
    ),
    Option(
        "--compilecheck-update",
        "string",
        "write the baseline: `new` adds, `tighten` lowers and drops, `all` also raises",
        "new|tighten|all",
    ),
    Option(
        "--compilecheck-update-in-ci", "bool", "let --compilecheck-update write though CI is set"
    ),
    Option(
        "--compilecheck-policies",
        "bool",
        "measure the shape policies that contracts name, each in a process of its own, and compare"
        " what they cost",
    ),
    Option(
        "--compilecheck-policies-inprocess",
        "bool",
        "measure policies in this process, without their memory (default: one process each)",
    ),
    Option(
        "--compilecheck-policies-seconds",
        "string",
        "seconds in which the warm calls of a policy are repeated, at most (default: 5)",
        "SECONDS",
    ),
    Option(
        "--compilecheck-policies-timeout",
        "string",
        "seconds after which the process of a policy is ended (default: 1800)",
        "SECONDS",
    ),
    Option(
        "--compilecheck-trace",
        "path",
        "keep torch's own structured trace of each contract in this folder, a file each: tlparse"
        " reads it",
        "DIR",
    ),
    Option("--compilecheck-json", "report", "write all that was seen as JSON to this file", "PATH"),
    Option(
        "--compilecheck-markdown",
        "report",
        "write a report in GitHub's Markdown to this file",
        "PATH",
    ),
    Option(
        "--compilecheck-sarif",
        "report",
        "write a SARIF 2.1.0 log, for code scanning, to this file",
        "PATH",
    ),
    Option(
        "--compilecheck-html",
        "report",
        "write a report as one HTML page, with charts, to this file",
        "PATH",
    ),
    Option(
        "--compilecheck-report",
        "reports",
        "write a report in a format by its name, also a plugin's; makes folders; may be repeated",
        "NAME:PATH",
    ),
    Option(
        "--compilecheck-annotations",
        "string",
        "print GitHub's annotations (default: auto, which is in GitHub Actions only)",
        "auto|always|never",
    ),
    Option(
        "--compilecheck-top",
        "string",
        "rows of a table in the summary, 0 for all (default: 50 contracts, 15 places of an audit)",
        "N",
    ),
)


class Setting(NamedTuple):
    """A key of the ini file that has no option."""

    name: str
    type: Literal["args", "linelist"]
    default: tuple[str, ...]
    help: str


SETTINGS: Final = (
    Setting(
        "compilecheck_files",
        "args",
        ("contracts/**/*.contract.yaml", "contracts/**/*.contract.yml"),
        "patterns of contract files, relative to the rootdir or to any folder in it",
    ),
    Setting(
        "compilecheck_modules",
        "args",
        (),
        "modules of library code with contracts; package.* stands for all modules in a package",
    ),
    Setting(
        "compilecheck_defaults",
        "linelist",
        (),
        "fields of every contract, one `name = value` a line, values as Python literals",
    ),
)

# Type and default of the ini twin by kind of option, where it is no single text.
_INI: Final[dict[Kind, tuple[Any, object]]] = {"bool": ("bool", False), "reports": ("linelist", [])}


def add_options(parser: pytest.Parser) -> None:
    """Declare all options and ini keys."""
    group = parser.getgroup("compilecheck", "torch.compile contracts")
    for option in OPTIONS:
        arguments: dict[str, Any] = {"dest": option.ini, "default": None, "help": option.help}
        if option.kind == "bool":
            group.addoption(option.name, action="store_true", **arguments)
        else:
            action = "append" if option.kind == "reports" else "store"
            group.addoption(option.name, action=action, metavar=option.metavar, **arguments)
        kind, default = _INI.get(option.kind, ("string", ""))
        parser.addini(option.ini, option.help, type=kind, default=default)
    for each in SETTINGS:
        parser.addini(each.name, each.help, type=each.type, default=list(each.default))
