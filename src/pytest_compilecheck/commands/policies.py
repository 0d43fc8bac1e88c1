"""`compilecheck policies`: which way to live with changing shapes costs the least."""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pytest_compilecheck.commands.refusal import refused
from pytest_compilecheck.commands.running import run_pytest
from pytest_compilecheck.commands.target_options import (
    TARGET_OPTIONS,
    add_target_options,
    target_document,
    target_fields,
)
from pytest_compilecheck.contract.file.compose import compose
from pytest_compilecheck.contract.file.find import SUFFIX
from pytest_compilecheck.contract.file.options import OptionError, contract_name
from pytest_compilecheck.contract.file.text import UnreadableError, decode

ABOUT = "measure shape policies of a contract or a model, and say which costs the least"
_USUAL = ("static", "auto", "dynamic", "pow2")
_EXAMPLE = """\
examples:
  compilecheck policies contracts/bert.contract.yaml::bert --policies static auto 'multiple(64)'
  compilecheck policies models:MLP --inputs 'x=B S 64' --dims B=8 S=128,129,256,257
"""
# The question is what a policy costs, not whether it keeps to bounds that nobody gave.
_UNBOUND = {"max_graph_breaks": "null", "max_recompiles": "null"}


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.epilog = _EXAMPLE
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    add(
        "target",
        help="a contract by its id (file::name), or package.module:attr with --inputs and --dims;"
        " the backend of the latter is inductor, if --backend names no other",
    )
    add(
        "--policies",
        nargs="+",
        default=[],
        action="extend",
        metavar="POLICY",
        help="static, auto, dynamic, marked, pow2, 'multiple(64)', '[128, 256]' or a bucket in YAML"
        f" (default: those of the contract; for a model {' '.join(_USUAL)})",
    )
    add_target_options(parser)
    add("-o", "--output", metavar="FILE", help="write all that was measured as JSON to this file")
    add("--html", metavar="PATH", help="write a page to this file")
    add("--markdown", metavar="PATH", help="write a report in GitHub's Markdown to this file")
    add("--inprocess", action="store_true", help="measure in one process, without memory")
    add("--seconds", metavar="SECONDS", help="repeat warm calls for so long, at most")
    add("--timeout", metavar="SECONDS", help="end the process of a policy after so long")
    add("-q", "--quiet", action="store_true", help="show no progress, and no tables")


def run(options: argparse.Namespace) -> int:
    """Run the command; gives its exit status: that of pytest, 2 for options that are wrong."""
    from pytest_compilecheck.pytest_layer.policies.chosen import ChosenPolicies

    try:
        policies = [_policy(text) for text in options.policies]
        with _contract(options) as (named, usual):
            chosen = policies or usual
            plugins = [ChosenPolicies(chosen)] if chosen else []
            return run_pytest([*_arguments(options), named], plugins)
    except OptionError as error:
        return refused(error)


def _arguments(options: argparse.Namespace) -> list[str]:
    """pytest's arguments, without what to run."""
    paths = {"json": options.output, "html": options.html, "markdown": options.markdown}
    reports = [f"--compilecheck-report={name}:{path}" for name, path in paths.items() if path]
    limits = {"seconds": options.seconds, "timeout": options.timeout}
    given = [f"--compilecheck-policies-{name}={limit}" for name, limit in limits.items() if limit]
    asked = {
        "--compilecheck-policies-inprocess": options.inprocess,
        "-q": options.quiet,
    }
    switches = [name for name, wanted in asked.items() if wanted]
    return ["--compilecheck", "--compilecheck-policies", *switches, *given, *reports]


@contextmanager
def _contract(options: argparse.Namespace) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What pytest is to run, and the policies that are compared where none are named.

    Raises:
        OptionError: the options do not go together, or one does not have its form.
    """
    target: str = options.target
    if os.path.exists(target.split("::", maxsplit=1)[0]):
        _refuse_fields(options)
        yield target, ()
        return
    if "::" in target or ":" not in target:
        raise OptionError(f"{target}: no such file, and no package.module:attr")
    given = target_fields(options)
    names = {name for name, _ in given}
    defaults = {**_UNBOUND, "backend": "inductor"}
    fields = [*given, *((name, text) for name, text in defaults.items() if name not in names)]
    text = target_document(options, fields)
    # Below the current folder, so that pytest finds the project's settings.
    with tempfile.TemporaryDirectory(prefix=".compilecheck-", dir=".") as folder:
        file = Path(folder) / f"{options.name or contract_name(target)}{SUFFIX}"
        file.write_text(text, encoding="utf-8", errors="surrogateescape")
        yield str(file), () if "policies" in names else _USUAL


def _refuse_fields(options: argparse.Namespace) -> None:
    for name in TARGET_OPTIONS:
        if getattr(options, name):
            raise OptionError(
                f"--{name} is for a model, and {options.target} is a contract already: leave it out"
            )


def _policy(text: str) -> object:
    """A policy as a contract has it; a list is that of a bucket.

    Raises:
        OptionError: it is no YAML.
    """
    if not text.startswith(("[", "{")):
        return text
    try:
        written, faults = compose(decode(text.encode(errors="surrogateescape"), "--policies"))
    except UnreadableError as error:
        faults = list(error.faults)
    if faults:
        raise OptionError(f"--policies: {text!r} is no YAML such as '[128, 256]'")
    value: object = written.value
    return {"bucket": value} if isinstance(value, list) else value
