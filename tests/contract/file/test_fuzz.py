"""Whatever a contract file holds: contracts, or a ContractError whose faults have their places.

Each property runs for a moment. COMPILECHECK_FUZZ_SECONDS=300 makes each run that long, and with -s
tells how many files it read.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
import yaml
from contract.file.drawn import documents, written
from contract.file.loading import PATH
from contract.file.mutated import LONG, mutated
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_compilecheck.contract.faults import ContractError
from pytest_compilecheck.contract.file.load import load_contracts
from pytest_compilecheck.contract.file.values import FileContract

SECONDS = float(os.environ.get("COMPILECHECK_FUZZ_SECONDS", "0"))

pytestmark = pytest.mark.timeout(SECONDS + 300)


@pytest.fixture(params=["C", "Python"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """PyYAML's two parsers; that in C is not everywhere."""
    if request.param == "Python":
        monkeypatch.delattr(yaml, "CSafeLoader")
    return str(request.param)


def read(data: bytes) -> None:
    """Read a file as collection and a run do."""
    try:
        contracts = load_contracts(PATH, data).contracts
    except ContractError as error:
        check_error(error, data)
        return
    for contract in contracts[:8]:
        check_contract(contract)


def check_text(error: ContractError) -> None:
    told = str(error)
    assert told.startswith(f"{len(error.faults)} fault")
    assert told.replace("\n", "").isprintable()


def check_error(error: ContractError, data: bytes) -> None:
    assert error.faults
    check_text(error)
    lines = data.count(b"\n") + data.count(b"\r") + 1
    own = []
    for fault in error.faults:
        assert fault.place is not None
        if fault.place.file == PATH:
            own.append((fault.place.line, fault.place.column or 0))
            assert 1 <= fault.place.line <= lines
            assert fault.place.column is None or fault.place.column <= len(data) + 1
    assert own == sorted(own)


def check_contract(source: FileContract) -> None:
    for parameters, release in ((None, None), (("x", "y"), "2.8.0"), (("x",), "2.15.0")):
        try:
            made = source.contract(parameters=parameters, torch_version=release)
        except ContractError as error:
            check_text(error)
        else:
            json.dumps(made.to_dict())


def files_read(data: st.SearchStrategy[bytes], examples: int) -> int:
    """Read drawn files, for a moment or for as long as is asked for; how many there were."""
    count = 0

    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
    @given(data)
    def each(file: bytes) -> None:
        nonlocal count
        count += 1
        read(file)

    end = time.monotonic() + SECONDS
    each()
    while time.monotonic() < end:
        each()
    return count


def encoded(texts: st.SearchStrategy[str]) -> st.SearchStrategy[bytes]:
    return texts.map(lambda text: text.encode(errors="surrogatepass"))


def test_the_text_that_is_mutated_is_right() -> None:
    assert len(load_contracts(PATH, LONG.encode()).contracts) == 24


@pytest.mark.usefixtures("parser")
def test_texts_with_mistakes() -> None:
    print(files_read(encoded(mutated()), 150), "files with mistakes")


@pytest.mark.usefixtures("parser")
def test_documents_of_any_values() -> None:
    print(files_read(encoded(documents(odd=5).flatmap(written)), 60), "documents")


@pytest.mark.usefixtures("parser")
def test_arbitrary_bytes() -> None:
    print(files_read(st.binary() | encoded(st.text()), 100), "texts")


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing.contract.yaml", "a\0b", "x" * 5000):
        with pytest.raises(ContractError, match="cannot be read"):
            load_contracts(path)
