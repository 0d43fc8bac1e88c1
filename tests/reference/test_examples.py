"""The examples of the reference are contracts and files that can be read."""

from __future__ import annotations

import ast

import pytest
import yaml
from pytest_layer.pages import blocks

from pytest_compilecheck.baseline import file as baseline_file
from pytest_compilecheck.contract.faults import Place
from pytest_compilecheck.contract.fields import FIELDS
from pytest_compilecheck.contract.file.keys import KEYS
from pytest_compilecheck.contract.file.load import load_contracts
from pytest_compilecheck.contract.read import read_contract

OF_FIELDS = blocks("reference/contract-fields.md")
OF_KEYS = blocks("reference/contract-file-keys.md")
PLACE = Place("test_it.py", 1, "@compile_contract")
# A trace of two lengths, where the example has none.
TRACE = {"shapes": {"x": "B S 64"}, "dims": {"B": 8, "S": [128, 129]}}
FILE_TRACE = {"inputs": TRACE["shapes"], "dims": TRACE["dims"]}


def given(block: str) -> dict[str, object]:
    """The fields of a decorator."""
    fields: dict[str, object] = eval(
        block.removeprefix("@"), {"compile_contract": dict, "Block": object}
    )
    return fields


def in_file(block: str) -> str:
    """A contract file with these keys, and what they need beside them."""
    keys = yaml.safe_load(block)
    contract = {"target": "mymodel:Scorer", **keys}
    if not {"inputs", "values"} & set(keys):
        contract = {**FILE_TRACE, **contract}
    base = {"base": {"target": "mymodel:Scorer", **FILE_TRACE}} if "extends" in keys else {}
    return yaml.safe_dump({"version": 1, "contracts": {**base, "example": contract}})


@pytest.mark.parametrize("name", FIELDS)
def test_a_field_has_an_example_with_it(name: str) -> None:
    fields = given(OF_FIELDS[f"example={name}"])
    assert name in fields
    with_trace = fields if {"shapes", "values"} & set(fields) else {**TRACE, **fields}
    home = "library" if name == "factory" else "test"
    read = read_contract(
        [(with_trace, PLACE)],
        subject="test_it",
        arguments=None,
        fixtures=None,
        compile_keywords=None,
        torch_version=None,
        home=home,
    )
    assert read.trace.steps


@pytest.mark.parametrize("name", [name for name in FIELDS if name in KEYS])
def test_a_file_says_the_same(name: str) -> None:
    block = OF_FIELDS.get(f"keys={name}")
    if block is None:  # it needs one that a file says otherwise
        assert "shapes" in given(OF_FIELDS[f"example={name}"])
        return
    assert yaml.safe_load(block) == given(OF_FIELDS[f"example={name}"])
    assert load_contracts("it.contract.yaml", in_file(block).encode()).contracts


@pytest.mark.parametrize("name", [name for name in KEYS if name not in FIELDS])
def test_a_key_has_an_example_with_it(name: str) -> None:
    block = OF_KEYS[f"keys={name}"]
    assert name in yaml.safe_load(block)
    assert load_contracts("it.contract.yaml", in_file(block).encode()).contracts


@pytest.mark.parametrize("page", ["hooks", "python"])
def test_signatures_are_python(page: str) -> None:
    for name, block in blocks(f"reference/{page}.md").items():
        assert name.startswith("signature=")
        (head,) = ast.parse(f"{block.rstrip()}: ...").body
        assert isinstance(head, ast.FunctionDef)
        assert name.endswith(head.name)


def test_the_baseline_can_be_read() -> None:
    text = blocks("reference/baseline-file.md")["baseline"]
    read = baseline_file.parse(text, "known.yaml")
    assert baseline_file.text_of(read, "known.yaml") == text
    (entry,) = yaml.safe_load(text)["known"]
    assert list(entry) == list(baseline_file.ENTRY_KEYS)
    assert list(yaml.safe_load(text)) == list(baseline_file.FILE_KEYS)
