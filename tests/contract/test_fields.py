from __future__ import annotations

import dataclasses

from pytest_compilecheck.contract.fields import FIELDS
from pytest_compilecheck.contract.model import Contract

TRACE = {"shapes", "dims", "values"}


def test_the_register_and_the_contract_have_the_same_fields() -> None:
    own = {name for name, row in FIELDS.items() if not row.to_torch} - TRACE
    assert own | {"trace", "torch_options"} == {item.name for item in dataclasses.fields(Contract)}


def test_fields_of_the_trace_have_no_parser_of_their_own() -> None:
    assert {name for name, row in FIELDS.items() if row.parse is None} == TRACE


def test_defaults_pass_their_own_parsers() -> None:
    faults: list[str] = []
    plain = Contract().to_dict()
    for name, row in FIELDS.items():
        if name in plain and row.parse is not None:
            assert row.parse(plain[name], faults.append) == getattr(Contract(), name)
    assert faults == []


def test_every_field_says_what_it_means() -> None:
    assert all(row.meaning and row.name == name for name, row in FIELDS.items())
