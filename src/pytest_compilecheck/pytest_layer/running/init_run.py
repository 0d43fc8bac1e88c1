"""Runs one contract, as its item would be run, and writes the file that holds what was seen."""

from __future__ import annotations

import platform
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_compilecheck.contract.faults import ContractError
from pytest_compilecheck.contract.file.document import read_document
from pytest_compilecheck.contract.file.load import load_contracts
from pytest_compilecheck.contract.file.values import FileContract
from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.judge.judge import judge
from pytest_compilecheck.pytest_layer import settings
from pytest_compilecheck.pytest_layer.collecting.collection import default_layer, no_backend
from pytest_compilecheck.pytest_layer.collecting.contract_file import make, missing
from pytest_compilecheck.pytest_layer.collecting.made_item import unmade
from pytest_compilecheck.pytest_layer.collecting.required import import_paths, inputs_of, required
from pytest_compilecheck.pytest_layer.extra_bounds import declared_bounds, names_for
from pytest_compilecheck.pytest_layer.installed import torch_version
from pytest_compilecheck.pytest_layer.running.compiler_error import users_traceback
from pytest_compilecheck.pytest_layer.running.execution import unknown_backend
from pytest_compilecheck.pytest_layer.running.inductor_cache import (
    may_use_inductor,
    temporary_directory,
)
from pytest_compilecheck.pytest_layer.running.log_capture import is_pytest_handler
from pytest_compilecheck.pytest_layer.running.made_inputs import input_asker
from pytest_compilecheck.pytest_layer.running.surroundings import surroundings
from pytest_compilecheck.pytest_layer.running.violation_report import seen_text
from pytest_compilecheck.report.suggested.contract_file import contract_file
from pytest_compilecheck.report.suggested.seen_bounds import seen_bounds
from pytest_compilecheck.report.wording import plural

if TYPE_CHECKING:
    from pytest_compilecheck.observe.running.driver import Run
    from pytest_compilecheck.observe.running.target import Callee
    from pytest_compilecheck.observe.values.observation import Observation

HOLDS_NOTHING, FAILED = 1, 2
"""Exit statuses: nothing was seen that a contract could hold; the contract cannot be run."""


class InitError(Exception):
    """No file can be written; `status` is the exit status that says so."""

    def __init__(self, message: str, status: int) -> None:
        """Take the message and the status."""
        self.status = status
        super().__init__(message, status)

    def __str__(self) -> str:
        return str(self.args[0])


class InitRun:
    """A pytest plugin that runs one contract in place of a session.

    pytest brings what the contract's item would have: the root directory, `pythonpath`, conftest.py
    and the project's defaults. `text` is the file that was made, None with an `error`.
    """

    def __init__(self, file: str, data: bytes) -> None:
        """Take a contract file of one contract, and its name."""
        self._file = file
        self._data = data
        self.text: str | None = None
        self.error: InitError | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_cmdline_main(self, config: pytest.Config) -> int:
        """Run the contract; gives the exit status."""
        config.stash[settings.KEY] = settings.read(config)
        try:
            self.text = self._written(config)
        except InitError as error:
            self.error = error
            return error.status
        except ContractError as error:
            self.error = InitError(str(error), FAILED)
            return FAILED
        except (pytest.skip.Exception, pytest.fail.Exception) as error:
            self.error = InitError(f"the model's code ends the run: {error.msg}", FAILED)
            return FAILED
        return 0

    def _written(self, config: pytest.Config) -> str:
        source = self._read(config, self._data)
        lacks = missing(source)
        if lacks:
            raise InitError(lacks, FAILED)
        contract, run = _run(source, config, self._file)
        given = read_document(self._file, self._data).contracts[source.name].values
        fields = {key: written.value for key, written in given.items()}
        if "requires" not in fields:
            packages = _packages(source, contract, config)
            fields = {**({"requires": packages} if packages else {}), **fields}
        bounds = seen_bounds(contract, run.observation, torch_version(), fields)
        text = contract_file(source.name, fields, bounds, _header(run.observation))
        self._check(config, text, run.observation)
        return text

    def _read(self, config: pytest.Config, data: bytes) -> FileContract:
        (source,) = load_contracts(self._file, data).contracts
        return replace(source, layers=(*default_layer(config), *source.layers))

    def _check(self, config: pytest.Config, text: str, seen: Observation) -> None:
        """The file holds what was seen, or there is nothing that a file could hold."""
        source = self._read(config, text.encode())
        known = names_for(source.layers, config, source.id)
        contract = source.contract(torch_version=torch_version(), extra_bounds=known)
        declared = declared_bounds(config) if contract.extra else {}
        verdict = judge(contract, seen, torch_version(), declared=declared)
        if not verdict.holds:
            why = [f"  {violation.message}" for violation in verdict.violations]
            told = ["no contract was written, because it would not hold:", *why]
            shown = seen_text(seen, str(config.rootpath))
            raise InitError("\n".join([*told, "", shown]), HOLDS_NOTHING)


def _run(source: FileContract, config: pytest.Config, file: str) -> tuple[Contract, Run]:
    """Make the target and run the trace on it, isolated as a contract item is."""
    from pytest_compilecheck.observe.running.driver import run_watched
    from pytest_compilecheck.observe.running.isolation import settings_kept
    from pytest_compilecheck.observe.running.target import compiled_target, run_target

    backend = config.stash[settings.KEY].backend
    with ExitStack() as stack:
        stack.enter_context(settings_kept(is_pytest_handler))
        callee, contract = _made(source, file)
        unknown = unknown_backend(contract, backend)
        if unknown is not None:
            raise InitError(no_backend(*unknown), FAILED)
        _own_cache(contract, backend, stack)
        run = run_watched(
            compiled_target(contract),
            run_target,
            callee.arguments,
            default_backend=backend,
            around=surroundings(config),
            ask_input=input_asker(config, callee.function),
        )
    if run.error is not None:
        if not isinstance(run.error, Exception):
            raise run.error
        raise InitError(_why_failed(source, run.error, file, config), FAILED)
    return contract, run


def _why_failed(source: FileContract, error: Exception, file: str, config: pytest.Config) -> str:
    """What the target raises without torch.compile, which says it better; else the error."""
    from pytest_compilecheck.observe.running.driver import run_eagerly
    from pytest_compilecheck.observe.running.target import run_target

    callee, contract = _made(source, file)
    head = f"{source.target.path} cannot be compiled:"
    try:
        ask = input_asker(config, callee.function)
        run_eagerly(contract, run_target, callee.arguments, ask_input=ask)
    except Exception as own:  # noqa: BLE001 - it is anybody's, and told
        head, error = f"{source.target.path} fails when it is called:", own
    return "\n".join([head, *users_traceback(error)])


def _made(source: FileContract, file: str) -> tuple[Callee, Contract]:
    from pytest_compilecheck.observe.running.target import TargetError

    try:
        return make(source, source.contract(torch_version=torch_version()).seed)
    except TargetError as error:
        place = source.places.get(error.at, source.place)
        raise InitError(unmade(error, place, file), FAILED) from None


def _own_cache(contract: Contract, default: str, stack: ExitStack) -> None:
    """Keep Inductor's files in a temporary directory, unless the user chose one."""
    from pytest_compilecheck.observe.running.inductor_cache import cache_in, chosen_directory

    if may_use_inductor(contract, default) and chosen_directory() is None:
        stack.enter_context(cache_in(stack.enter_context(temporary_directory())))


def _packages(source: FileContract, contract: Contract, config: pytest.Config) -> dict[str, str]:
    target = source.target
    made = [*(target.arguments or {}).values(), *target.keywords.values()]
    paths = import_paths([*made, *inputs_of(contract.trace)])
    return required([target.path, *paths], str(config.rootpath))


def _header(seen: Observation) -> list[str]:
    versions = f"torch {torch_version()}, Python {platform.python_version()}"
    calls = plural(len(seen.timeline), "call")
    return [
        f"Written by `compilecheck init` under {versions}: bounds hold what {calls} showed.",
        'Where another torch gives another figure write both: {"<2.14": 2, ">=2.14": 1}.',
    ]
