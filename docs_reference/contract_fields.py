"""The page of the fields that every contract has."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Final

from docs_reference.example import python_example, yaml_example
from docs_reference.markdown import code, page, prose, sentence, table
from docs_reference.schema_words import words
from pytest_compilecheck.contract import parsers
from pytest_compilecheck.contract.bounds import Bound
from pytest_compilecheck.contract.fields import FIELDS, Field
from pytest_compilecheck.contract.file.keys import ELSEWHERE
from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.pytest_layer.running.fixture import REFUSED

_ABOUT: Final = """\
Fields go into the decorator `compile_contract`, into the marker `pytest.mark.compile_contract`,
into the ini option `compilecheck_defaults`, into `compilecheck.watch` of the
[fixture](python.md#compilecheck), and into [contract files](contract-file-keys.md). Field by
field the nearest wins; `None` (in a file `null`) takes an inherited one back. What else the
installed `torch.compile` takes as a keyword is handed to it."""
_DEFAULTS: Final = {
    field.name: None if field.default is dataclasses.MISSING else field.default
    for field in dataclasses.fields(Contract)
}


def contract_fields_page() -> str:
    """The page."""
    index = table(
        ["field", "default", "meaning"],
        [
            [f"[{code(name)}](#{name})", _default(row), prose(row.meaning)]
            for name, row in FIELDS.items()
        ],
    )
    sections = ["\n\n".join(_section(row)) for row in FIELDS.values()]
    return page("Fields of a contract", _ABOUT, [index, *sections])


def _section(row: Field) -> Iterator[str]:
    yield f"## {row.name}"
    yield sentence(prose(row.meaning))
    yield "\n".join(_facts(row))
    yield python_example(row)
    in_file = yaml_example(row)
    if in_file is not None:
        yield in_file


def _facts(row: Field) -> Iterator[str]:
    if row.kind is not None:
        yield f"- Type: {_type(row)}"
    yield f"- Default: {_default(row)}"
    if row.name in ELSEWHERE:
        yield f"- Not in files: {prose(ELSEWHERE[row.name])}"
    if row.name in REFUSED:
        yield f"- Not in `compilecheck.watch`: {prose(REFUSED[row.name])}"


def _type(row: Field) -> str:
    """From the schema; from what the parser says of itself where JSON has no such value."""
    assert row.kind is not None
    parse = row.kind.parse
    if parse in (parsers.backend, parsers.factory):
        return prose(str(parse.__doc__)).removesuffix(".")
    return words(row.kind.schema, code)


def _default(row: Field) -> str:
    if row.to_torch:
        return "that of `torch.compile`"
    value = _DEFAULTS.get(row.name)
    plain = value.to_plain() if isinstance(value, Bound) else value
    return "none" if plain in (None, (), {}) else code(repr(plain))
