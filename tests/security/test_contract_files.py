"""Contract files of strangers: refused in one clear fault, in no time and in little memory."""

from __future__ import annotations

import re
import tracemalloc
from pathlib import Path

import pytest
from security.hostile_strings import STEERS

from pytest_compilecheck.cli import main
from pytest_compilecheck.contract.faults import ContractError
from pytest_compilecheck.contract.file.load import load_contracts

HEAD = "version: 1\ncontracts:\n  a:\n    target: m:f\n    inputs: {x: '2 8'}\n"


def bomb(depth: int) -> str:
    """Lists of ten aliases of lists of ten aliases."""
    lines = ["x0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"x{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, depth)]
    return "\n".join(["version: 1", *lines])


def merges() -> str:
    keys = ", ".join(f"k{number}: 1" for number in range(3000))
    lines = [f"c{number}: {{<<: [*b, *b, *b, *b, *b]}}" for number in range(500)]
    return "\n".join(["version: 1", f"b: &b {{{keys}}}", *lines])


CELLS = ("seed", "passes", "threads")
MANY_VALUES = "the file has more than 20,000 values"
NESTED = "nested (too deep|deeper than 64)"
REFUSED = {
    "aliases of aliases": (bomb(20), MANY_VALUES),
    "merges of merges": (merges(), MANY_VALUES),
    "lists in lists": (HEAD + "    dims: " + "[" * 200_000, NESTED),
    "mappings in mappings": (HEAD + "    dims: " + "{a: " * 200_000, NESTED),
    "keys that are mappings": ("? " * 400_000, NESTED),
    "directives": (
        "".join(f"%TAG !{number}! tag:x\n" for number in range(50_000)) + "---\n" + HEAD,
        "more than 10 lines that begin with %",
    ),
    "a number of many digits": (HEAD + f"    max_graphs: {'1' * 900_000}", "a whole number"),
    "a fraction of many digits": (HEAD + f"    max_graphs: 1.{'1' * 900_000}", "a whole number"),
    "a number beyond floats": (HEAD + "    max_compile_seconds: 1e999", "a number, .* got inf"),
    "an infinite bound": (HEAD + "    max_graph_breaks: .inf", "a whole number, .* got inf"),
    "no number": (HEAD + "    min_hit_rate: .nan", "got nan"),
    "an object": (HEAD + "    keywords: !!python/object/apply:os.system [id]", "means nothing"),
    "a name": (HEAD + "    keywords: {a: !!python/name:os.system x}", "means nothing"),
    "bytes": (HEAD + "    keywords: {a: !!binary aGk=}", "means nothing"),
    "a set": (HEAD + "    keywords: {a: !!set {b, c}}", "means nothing"),
    "a circle": ("version: 1\ncontracts: &c\n  a: *c\n", "stands in its own anchor"),
    "a key that is there twice": (HEAD + "    passes: 1\n    passes: 2", "is there twice"),
    "NUL": (HEAD + "    call: a\0b", "the character U\\+0000 cannot stand in YAML"),
    "NUL in a path": (HEAD + '    dims: {trace_file: "a\\0b.csv"}', "takes the path of a file"),
    "half of a character": (HEAD + '    call: "\\ud800"', "stands for no character"),
    "too many cells": (
        HEAD + "    matrix:\n" + "".join(f"      {key}: {list(range(1, 30))}\n" for key in CELLS),
        "1,?000",
    ),
}  # fmt: skip


def refused(folder: Path, content: bytes) -> str:
    path = folder / "it.contract.yaml"
    path.write_bytes(content)
    with pytest.raises(ContractError) as caught:
        [each.contract() for each in load_contracts(path).contracts]
    return str(caught.value)


@pytest.mark.timeout(30)
@pytest.mark.parametrize("case", REFUSED)
def test_it_is_refused(case: str, tmp_path: Path) -> None:
    text, told = REFUSED[case]
    tracemalloc.start()
    try:
        message = refused(tmp_path, text.encode())
        assert tracemalloc.get_traced_memory()[1] < 200_000_000
    finally:
        tracemalloc.stop()
    assert re.search(told, message), message
    assert len(message) < 3000
    assert STEERS.search(message) is None


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "latin-1"])
def test_other_encodings_are_refused(encoding: str, tmp_path: Path) -> None:
    message = refused(tmp_path, f"{HEAD}# é\n".encode(encoding))
    assert "no UTF-8 text" in message or "cannot stand in YAML" in message


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/null"])
def test_a_device_is_read_up_to_the_bound(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", path]) == 1
    told = capsys.readouterr().err
    assert "more than 1,000,000 bytes" in told or "the file is empty" in told


@pytest.mark.parametrize(
    "line",
    [
        '"\\e[2J\\x9b\\u202e": 1',
        'call: "\\e]0;title\\a"',
        'dims: {trace_file: "\\e[2J.csv"}',
        'extends: "\\e[2J.yaml::\\r"',
        'requires: {"\\e[2J": "\\e[2J"}',
        'passes: "\\e[2J\\u202e"',
        'skip: {reason: "\\e[2J", torch: "\\e[2J"}',
        'allow_breaks: [{reason: "\\e[2J"}, {"\\e[2J": 1}]',
        'max_graphs: {"\\e[2J": 1}',
    ],
)
def test_nothing_of_a_fault_steers_the_terminal(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "a\x1b[2J\u202e"
    folder.mkdir()
    monkeypatch.chdir(tmp_path)
    (folder / "it.contract.yaml").write_text(f"{HEAD}    {line}\n")
    assert main(["validate", folder.name]) == 1
    said = capsys.readouterr()
    assert STEERS.search(said.err + said.out) is None
    assert "a\\x1b[2J\\u202e" in said.err
    assert main(["validate", "none\x1b[2J"]) == 1
    assert STEERS.search(capsys.readouterr().err) is None
