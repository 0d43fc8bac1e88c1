from __future__ import annotations

from pathlib import Path

import pytest
from contract.file.loading import assert_faults, load_faults, told

from pytest_compilecheck.contract.faults import ContractError
from pytest_compilecheck.contract.file.document import read_document
from pytest_compilecheck.contract.file.load import load_contracts


def test_a_document() -> None:
    text = b"version: 1\ndefaults: {passes: 3}\ncontracts:\n  a: {seed: 1}\n  _b: {}\n"
    document = read_document("a.yaml", text)
    assert document.faults == ()
    assert document.defaults is not None
    assert document.defaults.values["passes"].value == 3
    assert {name: list(fields.values) for name, fields in document.contracts.items()} == {
        "a": ["seed"],
        "_b": [],
    }
    assert {name: place.line for name, place in document.names.items()} == {"a": 4, "_b": 5}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("§contracts: {}", "version: is missing: begin the file with version: 1"),
        ("version: §2", "version: this release reads version 1, got 2"),
        (
            "version: §'1'",
            "version: this release reads version 1, got '1': write version: 1, without quotes",
        ),
        ("version: §1.0", "version: this release reads version 1, got 1.0"),
        ("version: §true", "version: this release reads version 1, got true"),
        ("version:§", "version: this release reads version 1, got null"),
        ("§version: 1", "contracts: is missing: it maps names to contracts"),
        (
            "version: 1\ncontracts:§",
            "contracts: expected a mapping of names to contracts, got null",
        ),
        (
            "version: 1\ncontracts: §[a]",
            "contracts: expected a mapping of names to contracts, got ['a']",
        ),
        ("§- version", "expected the keys version, defaults, contracts, got ['version']"),
        ("§null", "expected the keys version, defaults, contracts, got null"),
    ],
)
def test_what_makes_no_contract_file(text: str, message: str) -> None:
    assert_faults(text, message)


def test_every_fault_of_the_outer_form_is_told() -> None:
    assert_faults(
        "version: 1\n"
        "§contract: {}\n"
        "§x: 1\n"
        "defaults: §[]\n"
        "contracts:\n"
        "  a: §5\n"
        "  §b c: {target: 'm:f'}\n"
        "  d:§\n"
        "  e: §target:m:f\n",
        "a contract file has no key 'contract' (did you mean 'contracts'?)",
        "a contract file has no key 'x' (known are version, defaults, contracts)",
        "defaults: expected a mapping such as {target: 'package.module:attr'}, got []",
        "contracts['a']: expected a mapping such as {target: 'package.module:attr'}, got 5",
        "contracts: 'b c' is no name of a contract: a name has letters, digits, _, - and .",
        "contracts['d']: expected a mapping such as {target: 'package.module:attr'}, got null",
        "contracts['e']: a blank is missing after 'target:'",
    )


def test_without_the_version_nothing_else_is_told() -> None:
    assert told(load_faults("foo: 1\ncontracts: 5")) == [
        "1:1: version: is missing: begin the file with version: 1"
    ]


@pytest.mark.parametrize("name", ["a", "A9", "1", "_x", "a.b-c_d"])
def test_names_of_contracts(name: str) -> None:
    read = read_document("a", f"version: 1\ncontracts: {{'{name}': {{}}}}".encode())
    assert read.faults == ()


@pytest.mark.parametrize("name", ["", "a b", "-a", ".a", "a/b", "a::b", "a[b]", "é"])
def test_names_that_are_none(name: str) -> None:
    (fault,) = read_document("a", f"version: 1\ncontracts: {{'{name}': {{}}}}".encode()).faults
    assert f"{name!r} is no name of a contract" in fault.message


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ContractError) as caught:
        load_contracts(tmp_path / "missing.yaml")
    assert str(caught.value).splitlines()[1] == (
        f"  {tmp_path}/missing.yaml:1: contract file: cannot be read: No such file or directory"
    )
    with pytest.raises(ContractError, match="cannot be read: Is a directory"):
        load_contracts(tmp_path)
