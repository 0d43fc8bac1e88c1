"""The page of the JSON report."""

from __future__ import annotations

import importlib.resources
import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from docs_reference.markdown import code, page, prose, table
from docs_reference.schema_words import words

_ABOUT: Final = """\
What `--compilecheck-json=PATH` writes, and every other format is made from. An audit
(`--compilecheck-audit`) writes the same document with `audit` in it, and `compilecheck policies
-o` with `policies` in its contract. Readers ignore keys that they do not know: later releases may
add some, and none loses its name or its meaning. The schema ships in the package as
`pytest_compilecheck/report/schema/report-1.json`."""


def report_page() -> str:
    """The page."""
    schema = report_schema()
    parts = ["## The document", _table(schema)]
    for name, each in schema["$defs"].items():
        parts += _definition(name, each)
    return page("The JSON report", _ABOUT, parts)


def report_schema() -> dict[str, Any]:
    """The schema as it ships."""
    folder = importlib.resources.files("pytest_compilecheck")
    text = (folder / "report" / "schema" / "report-1.json").read_text("utf-8")
    data: dict[str, Any] = json.loads(text)
    return data


def _definition(name: str, each: Mapping[str, Any]) -> Iterator[str]:
    yield f"## {name}"
    if "description" in each:
        yield prose(each["description"])
    yield _table(each) if each.get("properties") else f"- Type: {words(each, _link)}"


def _table(each: Mapping[str, Any]) -> str:
    return table(["key", "type", "meaning"], list(_rows(each, "")))


def _rows(each: Mapping[str, Any], before: str) -> Iterator[list[str]]:
    """A row a key, and below it those of a mapping that has no name of its own."""
    needed = each.get("required", ())
    for name, inner in each["properties"].items():
        optional = "" if name in needed else " May be missing."
        told = prose(inner["description"]) + optional
        yield [code(before + name), words(inner, _link), told]
        if inner.get("properties"):
            yield from _rows(inner, f"{before}{name}.")
        if inner.get("items", {}).get("properties"):
            yield from _rows(inner["items"], f"{before}{name}[].")


def _link(name: str) -> str:
    return f"[{name}](#{name})"
