"""Contract files in YAML: collected as test items, one for each contract and matrix cell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_compilecheck.contract.faults import ContractError, Fault, Place
from pytest_compilecheck.contract.file.find import has_contracts
from pytest_compilecheck.contract.file.load import load_contracts
from pytest_compilecheck.contract.file.values import Excuse, FileContract
from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.contract.specifiers import matches_release
from pytest_compilecheck.judge.violation import ContractViolation
from pytest_compilecheck.observe.running.parameters import optional_names
from pytest_compilecheck.pytest_layer import settings
from pytest_compilecheck.pytest_layer.collecting.collection import default_layer
from pytest_compilecheck.pytest_layer.collecting.file_patterns import fits
from pytest_compilecheck.pytest_layer.collecting.made_item import MadeItem
from pytest_compilecheck.pytest_layer.collecting.named_paths import named_paths
from pytest_compilecheck.pytest_layer.extra_bounds import names_for
from pytest_compilecheck.pytest_layer.installed import compile_keywords, torch_version
from pytest_compilecheck.report.wording import printable

if TYPE_CHECKING:
    from pytest_compilecheck.observe.running.target import Callee


def collects(path: Path, config: pytest.Config) -> bool:
    """Whether a YAML file is one of contracts: by its place, or because it is named in the call."""
    try:
        relative = path.relative_to(config.rootpath).as_posix()
    except ValueError:
        relative = path.as_posix()
    patterns = config.stash[settings.KEY].files
    if any(fits(relative, pattern) for pattern in patterns):
        return True
    return path in named_paths(config) and has_contracts(path)


class ContractFileCollector(pytest.File):
    """A contract file."""

    def collect(self) -> Iterable[pytest.Item]:
        """An item for each contract of the file, in order.

        Raises:
            CollectError: with every fault of the file.
        """
        try:
            contracts = load_contracts(self.path).contracts
            return list(self._items(contracts))
        except ContractError as error:
            raise self.CollectError(str(ContractError(error.faults, self.nodeid))) from None

    def _items(self, contracts: Iterable[FileContract]) -> Iterator[FileItem]:
        faults: list[Fault] = []
        for source in contracts:
            whole = replace(source, layers=(*default_layer(self.config), *source.layers))
            try:
                contract = whole.contract(
                    compile_keywords=compile_keywords(),
                    torch_version=torch_version(),
                    extra_bounds=names_for(whole.layers, self, whole.id),
                )
            except ContractError as error:
                faults += error.faults
                continue
            yield FileItem.from_parent(self, name=whole.id, source=whole, contract=contract)
        if faults:
            raise ContractError(dict.fromkeys(faults), str(self.path))


class FileItem(MadeItem):
    """One contract of a file."""

    def __init__(self, *, source: FileContract, contract: Contract, **of_pytest: Any) -> None:
        """Take the contract as the file says it, and as it is under the installed torch."""
        super().__init__(contract=contract, **of_pytest)
        self._source = source
        for name in source.marks:
            self.add_marker(name)
        if source.skip is not None and _applies(source.skip):
            self.add_marker(pytest.mark.skip(reason=printable(source.skip.reason)))
        if source.xfail is not None and _applies(source.xfail):
            self._expect_violation(printable(source.xfail.reason))

    def _expect_violation(self, reason: str) -> None:
        """Nothing but a broken contract is expected: a misspelled target stays an error.

        One that holds fails in strict mode, as an exception that matches nothing does.
        """
        asked = self.config.stash[settings.KEY]
        if asked.active:
            strict = {"strict": True} if asked.strict else {}  # else pytest's setting says it
            self.add_marker(pytest.mark.xfail(reason=reason, raises=ContractViolation, **strict))

    def reportinfo(self) -> tuple[Path, int, str]:
        """The line of the contract's name."""
        return self.path, self._source.place.line - 1, self.name

    def setup(self) -> None:
        """Make the target; what the contract may do without, and is missing, skips it."""
        lacks = missing(self._source)
        if not lacks and self._source.skip_without_device:
            lacks = _lacking_device(self._source.target.device)
        if lacks:
            raise pytest.skip.Exception(printable(lacks), _use_item_location=True)
        super().setup()

    def make(self) -> tuple[Callee, Contract]:
        """The target, and the contract with its inputs checked against what it takes."""
        return make(self._source, self.contract.seed)

    def place_of(self, part: str) -> Place:
        """Where the value of a key is written; that of the name for one that is not there."""
        return self._source.places.get(part, self._source.place)


def make(source: FileContract, seed: int) -> tuple[Callee, Contract]:
    """What a contract calls, and the contract with its inputs checked against the call.

    Raises:
        TargetError: the target cannot be made.
        ContractError: the inputs are not those that it takes.
    """
    from pytest_compilecheck.observe.running.target import make_callee

    callee = make_callee(source.target, seed)
    parameters = callee.parameters
    contract = source.contract(
        parameters=None if parameters is None else tuple(parameters),
        optional=optional_names((parameters or {}).values()),
        compile_keywords=compile_keywords(),
        torch_version=torch_version(),
        called=callee.method,
        advice=f"; {callee.advice}" if callee.advice else "",
    )
    return callee, contract


def _applies(excuse: Excuse) -> bool:
    return matches_release(excuse.torch, torch_version())


def _lacking_device(device: str | None) -> str:
    """Why torch cannot use the device; or ""."""
    import torch

    try:
        torch.empty(0, device=device)
    except Exception as error:  # noqa: BLE001 - each device has its own
        return f"the device {device!r} cannot be used: {str(error).splitlines()[0]}"
    return ""


def missing(source: FileContract) -> str:
    """Why the contract cannot run: the packages that are not there as it requires; or ""."""
    lacks = []
    for package, wanted in source.requires.items():
        try:
            found = torch_version() if package == "torch" else version(package)
        except PackageNotFoundError:
            lacks.append(f"{package}{wanted} is not installed")
            continue
        # As everywhere in a contract, a nightly of torch counts as its release.
        fits = matches_release if package == "torch" else _is_within
        if not fits(wanted, found):
            lacks.append(f"{package}{wanted} is required, {found} is installed")
    return ", ".join(lacks)


def _is_within(specifier: str, found: str) -> bool:
    from packaging.specifiers import SpecifierSet

    return found in SpecifierSet(specifier, prereleases=True)
