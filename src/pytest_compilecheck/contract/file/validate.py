"""Checks contract files, one by one and in folders."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_compilecheck.contract.faults import ContractError, Fault
from pytest_compilecheck.contract.file.find import (
    SUFFIXES,
    contract_files,
    misnamed,
    told_misnamed,
)
from pytest_compilecheck.contract.file.load import load_contracts
from pytest_compilecheck.contract.file.values import FileContract

_PATTERNS: Final = " or ".join(f"*{suffix}" for suffix in SUFFIXES)


@dataclass(frozen=True, slots=True)
class Checked:
    """What came of it: how many files and contracts, and a text for each thing that is wrong.

    `faults` counts single faults, `faulty` the files that have some; `notices` are of files that
    were passed over.
    """

    files: int
    contracts: int
    faulty: int
    faults: int
    errors: tuple[str, ...]
    notices: tuple[str, ...] = ()

    def summary(self) -> str:
        """One line for a person."""
        files = _counted(self.files, "contract file")
        if not self.files:
            return f"{files}: nothing was checked"
        if self.faulty:
            return f"{files}: {_counted(self.faults, 'fault')} in {self.faulty}"
        return f"{files}, {_counted(self.contracts, 'contract')}: no faults"


def check(paths: Iterable[str], releases: Sequence[str] = ()) -> Checked:
    """Check files, and all contract files in folders; neither torch nor a target is imported.

    Of each bound by release there must be exactly one entry for each of these releases of torch.
    """
    files: dict[str, None] = {}
    errors: list[str] = []
    passed_over: dict[str, None] = {}
    for path in paths:
        is_folder = os.path.isdir(path)
        found = contract_files(path) if is_folder else [path]
        files |= dict.fromkeys(map(os.path.normpath, found))
        passed_over |= dict.fromkeys(map(os.path.normpath, misnamed(found) if is_folder else ()))
        if not found:
            errors.append(f"{path}: there is no {_PATTERNS} in this folder")
    contracts = faults = faulty = 0
    for file in files:
        try:
            found_here = load_contracts(file).contracts
            contracts += len(found_here)
            _check_releases(file, found_here, releases)
        except ContractError as error:
            errors.append(str(error))
            faulty += 1
            faults += len(error.faults)
    notices = tuple(told_misnamed([file for file in passed_over if file not in files]))
    return Checked(len(files), contracts, faulty, faults, tuple(errors), notices)


def _check_releases(file: str, contracts: Iterable[FileContract], releases: Sequence[str]) -> None:
    """Raise with what is wrong under one of the releases, each thing once."""
    faults: dict[Fault, None] = {}
    for contract in contracts:
        for release in releases:
            try:
                contract.contract(torch_version=release)
            except ContractError as error:
                faults |= dict.fromkeys(error.faults)
    if faults:
        raise ContractError(faults, file)


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
