"""Contract files as texts: loaded, and their faults with their places."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

from pytest_compilecheck.contract.faults import ContractError, Fault
from pytest_compilecheck.contract.file.compose import compose
from pytest_compilecheck.contract.file.load import load_contracts
from pytest_compilecheck.contract.file.text import UnreadableError, decode
from pytest_compilecheck.contract.file.values import FileContract

MARK = "§"  # stands in a text before the character that a fault is expected at
PATH = "made.contract.yaml"
HEAD = "version: 1\ncontracts:\n  it:\n    target: m:f\n"


def keys(lines: str) -> str:
    """A file with one contract, `it`, that has these keys beside its target."""
    return HEAD + textwrap.indent(textwrap.dedent(lines).strip("\n"), "    ") + "\n"


def load(text: str, path: str | Path = PATH) -> list[FileContract]:
    return list(load_contracts(path, text.encode()).contracts)


def load_one(lines: str) -> FileContract:
    """The contract of a file with these keys."""
    (contract,) = load(keys(lines))
    return contract


def composed(text: str) -> object:
    """The plain data of a YAML text that has no faults."""
    written, faults = compose(decode(text.encode(), PATH))
    assert faults == []
    return written.value


def compose_faults(text: str) -> list[Fault]:
    """What is wrong with a text as YAML, in the order of the places."""
    try:
        faults = compose(decode(text.encode(), PATH))[1]
    except UnreadableError as error:
        faults = list(error.faults)
    return sorted(faults, key=lambda f: (f.place.line, f.place.column or 0) if f.place else (0, 0))


def load_faults(text: str, path: str | Path = PATH) -> list[Fault]:
    """What is wrong with a contract file; the path is its own in all of its faults."""
    with pytest.raises(ContractError) as caught:
        load(text, path)
    return list(caught.value.faults)


def unmarked(text: str) -> tuple[str, list[str]]:
    """A text without its marks, and the places where these stood, as "line:column"."""
    places = []
    for match in re.finditer(MARK, text):
        before = text[: match.start()].replace(MARK, "")
        lines = re.split("\r\n|\r|\n", before)
        places.append(f"{len(lines)}:{len(lines[-1]) + 1}")
    return text.replace(MARK, ""), places


def told(faults: list[Fault]) -> list[str]:
    """Faults as "line:column: message"."""
    return [f"{f.place.line}:{f.place.column}: {f.message}" for f in faults if f.place]


def assert_faults(text: str, *messages: str) -> None:
    """Hold that a file has these faults, in order, one at each mark of the text."""
    plain, places = unmarked(text)
    expected = [f"{place}: {each}" for place, each in zip(places, messages, strict=True)]
    found = told(load_faults(plain))
    assert found == expected, "\n".join(["found", *found, "expected", *expected])
