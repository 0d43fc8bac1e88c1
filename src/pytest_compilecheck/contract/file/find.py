"""Finds contract files, and those that are meant as such but have another name."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from pytest_compilecheck.contract.bounded import read_bounded
from pytest_compilecheck.contract.file.text import MOST_BYTES

SUFFIX: Final = ".contract.yaml"
"""How the name of a contract file ends that is made."""

SUFFIXES: Final = (SUFFIX, ".contract.yml")
"""How the names of those end that are found."""

YAML_SUFFIXES: Final = (".yaml", ".yml")

PASSED_OVER: Final = ("__pycache__", "node_modules", "site-packages")
"""Folders that are not looked into, beside hidden ones."""


def contract_files(folder: str) -> list[str]:
    """The contract files in a folder and those below it, but for hidden and installed ones."""
    found: list[str] = []
    for where, folders, names in os.walk(folder):
        folders[:] = [
            name for name in folders if not name.startswith(".") and name not in PASSED_OVER
        ]
        found += [os.path.join(where, name) for name in names if name.endswith(SUFFIXES)]
    return sorted(filter(os.path.isfile, found))  # a pipe may have any name


def misnamed(files: Iterable[str]) -> list[str]:
    """The YAML files with contracts that lie beside these contract files under another name."""
    folders = sorted({os.path.dirname(file) for file in files})
    beside = (
        os.path.join(folder, name)
        for folder in folders
        for name in sorted(os.listdir(folder))
        if name.endswith(YAML_SUFFIXES) and not name.endswith(SUFFIXES)
    )
    return [file for file in beside if os.path.isfile(file) and makes_contracts(file)]


def has_contracts(path: Path) -> bool:
    """Whether a file says of itself that it is one of contracts, by its name or its text."""
    if path.name.endswith(SUFFIXES):
        return True
    try:
        return (
            re.search(rb"^contracts\s*:", read_bounded(path, MOST_BYTES), re.MULTILINE) is not None
        )
    except OSError:
        return False


def makes_contracts(file: str) -> bool:
    """Whether a file would be more than a base for others, were it looked at."""
    if not has_contracts(Path(file)):
        return False
    from pytest_compilecheck.contract.faults import ContractError
    from pytest_compilecheck.contract.file.load import load_contracts

    try:
        return bool(load_contracts(file).contracts)
    except ContractError:
        return True  # it is not known, and its author should see why


def told_misnamed(files: Sequence[str]) -> Iterator[str]:
    """A sentence for each file that is passed over for its name."""
    for file in files:
        better = re.sub(r"\.ya?ml$", "", file) + SUFFIX
        yield f"{file} has contracts and is passed over for its name: rename it to {better}"
