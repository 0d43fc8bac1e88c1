"""Loader and schema: one truth about what a contract file looks like."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from contract.file.corpus import VALUES
from contract.file.corpus_files import BEYOND_SCHEMA, right, wrong
from contract.file.drawn import SCHEMA, documents, written
from contract.file.loading import PATH, composed
from hypothesis import HealthCheck, assume, given, settings

import pytest_compilecheck
from pytest_compilecheck.contract.faults import ContractError
from pytest_compilecheck.contract.fields import FIELDS
from pytest_compilecheck.contract.file.compose import compose
from pytest_compilecheck.contract.file.keys import ELSEWHERE, KEYS
from pytest_compilecheck.contract.file.load import load_contracts
from pytest_compilecheck.contract.file.text import decode

VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def accepted(text: str) -> bool:
    try:
        load_contracts(PATH, text.encode())
    except ContractError:
        return False
    return True


def as_json(text: str) -> Any:
    """What a JSON schema sees of a file."""
    return compose(decode(text.encode(), PATH))[0].value


def test_the_file_that_is_shipped_is_the_one_that_is_made() -> None:
    folder = Path(pytest_compilecheck.__file__).parent
    shipped = (folder / "contract" / "contract.schema.json").read_text(encoding="utf-8")
    made = json.dumps(SCHEMA, indent=2) + "\n"
    told = "run `compilecheck schema > src/pytest_compilecheck/contract/contract.schema.json`"
    assert shipped == made, f"it is of older code: {told}"


def test_it_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_every_key_is_in_it_with_what_it_means() -> None:
    assert set(FIELDS) - set(ELSEWHERE) <= set(KEYS)
    for name, row in KEYS.items():
        assert SCHEMA["$defs"][f"key.{name}"]["description"] == row.meaning


def test_the_corpus_has_every_key() -> None:
    assert set(VALUES) == {*KEYS, *ELSEWHERE}
    assert all(values and others for values, others in (VALUES[name] for name in KEYS))


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in right()])
def test_both_accept(text: str) -> None:
    load_contracts(PATH, text.encode())
    VALIDATOR.validate(composed(text))


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in wrong()])
def test_both_refuse(text: str) -> None:
    assert not accepted(text)
    assert not VALIDATOR.is_valid(as_json(text))


@pytest.mark.parametrize(
    "text", [pytest.param(text, id=why) for why, texts in BEYOND_SCHEMA.items() for text in texts]
)
def test_what_no_schema_can_say(text: str) -> None:
    assert not accepted(text)
    assert VALIDATOR.is_valid(as_json(text))


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(documents().flatmap(written))
def test_what_the_loader_accepts_the_schema_accepts(text: str) -> None:
    assume(accepted(text))
    VALIDATOR.validate(as_json(text))
