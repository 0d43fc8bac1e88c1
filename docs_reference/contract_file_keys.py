"""The page of the keys of contract files."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any, Final

from docs_reference.example import yaml_example
from docs_reference.markdown import code, page, prose, sentence, table
from docs_reference.schema_words import words
from pytest_compilecheck.contract.fields import FIELDS, Field
from pytest_compilecheck.contract.file.keys import KEYS
from pytest_compilecheck.contract.file.schema import schema
from pytest_compilecheck.contract.file.values import Target

_ABOUT: Final = """\
What a `*.contract.yaml` file may say; [Contracts in files](../contract-files.md) shows how.
`compilecheck schema` writes the same as JSON schema, for editors."""
_KEY: Final = "key."
_DEFAULTS: Final = {
    field.name: field.default
    for field in dataclasses.fields(Target)
    if isinstance(field.default, bool)
}


def contract_file_keys_page() -> str:
    """The page."""
    whole = schema()
    own = [row for name, row in KEYS.items() if name not in FIELDS]
    shared = [row for name, row in KEYS.items() if name in FIELDS]
    parts = ["## The file", _table(whole), "## Keys of a contract"]
    parts += [_index(own), *("\n\n".join(_section(row)) for row in own)]
    parts += [
        "## Fields of every contract",
        "These keys are [the fields that decorators have too](contract-fields.md).",
        table(["key", "meaning"], [_shared(row) for row in shared]),
        "## Values",
    ]
    inner = {name: each for name, each in whole["$defs"].items() if not name.startswith(_KEY)}
    del inner["contract"]
    parts += ["\n\n".join(_definition(name, each)) for name, each in inner.items()]
    parts += ["\n\n".join(_mappings(row)) for row in KEYS.values() if list(_mappings(row))]
    return page("Keys of contract files", _ABOUT, parts)


def _index(rows: list[Field]) -> str:
    return table(
        ["key", "meaning"],
        [[f"[{code(row.name)}](#{row.name})", prose(row.meaning)] for row in rows],
    )


def _shared(row: Field) -> list[str]:
    return [f"[{code(row.name)}](contract-fields.md#{row.name})", prose(row.meaning)]


def _section(row: Field) -> Iterator[str]:
    yield f"### {row.name}"
    yield sentence(prose(row.meaning))
    assert row.kind is not None
    facts = [f"- Type: {words(row.kind.schema, _link)}"]
    if row.name in _DEFAULTS:
        facts.append(f"- Default: {code(str(_DEFAULTS[row.name]).lower())}")
    yield "\n".join(facts)
    example = yaml_example(row)
    assert example is not None, row.name
    yield example


def _definition(name: str, each: Mapping[str, Any]) -> Iterator[str]:
    """A value that several keys take, and the mappings it may be."""
    yield f"### {_anchor(name)}"
    yield sentence(prose(each["description"]))
    yield f"- Type: {words(each, _link)}"
    yield from map(_told_table, _objects(each))


def _mappings(row: Field) -> Iterator[str]:
    """The keys of the mappings that a key takes."""
    found = list(_objects(row.kind.schema if row.kind else {}))
    if found and row.name != "matrix":
        yield f"### In {row.name}"
        yield from map(_told_table, found)


def _told_table(each: Mapping[str, Any]) -> str:
    told = f"{sentence(prose(each['description']))}\n\n" if "description" in each else ""
    return told + _table(each)


def _objects(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The mappings with named keys that a schema names directly."""
    if schema.get("properties"):
        yield schema
    for key in ("items", "then", "else"):
        if isinstance(schema.get(key), Mapping):
            yield from _objects(schema[key])
    for each in schema.get("anyOf", ()):
        yield from _objects(each)


def _table(each: Mapping[str, Any]) -> str:
    needed = each.get("required", ())
    rows = [
        [
            code(name),
            words(inner, _link),
            prose(inner["description"]) + (" (needed)" if name in needed else ""),
        ]
        for name, inner in each["properties"].items()
    ]
    return table(["key", "type", "meaning"], rows)


def _link(name: str) -> str:
    return f"[{_anchor(name)}](#{_anchor(name)})" if name != "contract" else "the keys below"


def _anchor(name: str) -> str:
    """A heading of its own: `arguments` is a key too."""
    return f"{name.replace('_', '-')}-values"
