"""Dims and values of a contract file, and what is wrong between them and the inputs."""

from __future__ import annotations

from pathlib import Path

import pytest
from contract.file.loading import assert_faults, keys, load, load_faults, load_one, told

HEAD = "version: 1\ncontracts:\n  it:\n    target: m:f\n"


def test_sizes_and_values_of_the_steps() -> None:
    contract = load_one(
        """
        inputs: {x: "B S"}
        dims: {B: 1, S: [128, 129]}
        values: {n: [1, 2], m: {a: 1}, k: null}
        """
    )
    first, second = contract.contract().trace.steps
    assert (first.dims, second.dims) == ({"B": 1, "S": 128}, {"B": 1, "S": 129})
    values = [
        {n: getattr(made, "value", None) for n, made in s.inputs.items()} for s in (first, second)
    ]
    assert [(each["n"], each["m"], each["k"]) for each in values] == [
        (1, {"a": 1}, None),
        (2, {"a": 1}, None),
    ]


def test_without_any_there_is_one_step() -> None:
    for lines in ("", "inputs: null\ndims: null\nvalues: null", "inputs: {}\ndims: {}\nvalues: {}"):
        assert len(load_one(lines).contract().trace.steps) == 1


OF_FILE = "for a file of sizes write {trace_file: 'sizes.csv'}"
COLUMNS = "columns are dims of the shapes, and 'count' is the number of requests"
UNUSED = f": no shape uses the dim 'C', a column of other.csv: {COLUMNS}"


@pytest.mark.parametrize(
    ("dims", "message"),
    [
        ("§5", ": expected a mapping such as {'B': 8, 'S': [128, 129]}, got 5"),
        (
            "§sizes.csv",
            f": expected a mapping such as {{B: 8}}, got 'sizes.csv': {OF_FILE}",
        ),
        ("{B: §-1}", "['B']: expected a whole number, 0 or more, got -1"),
        ("{B: §1.5}", "['B']: expected a whole number, 0 or more, got 1.5"),
        ("{B: §true}", "['B']: expected a whole number, 0 or more, got true"),
        (
            "{B: §1_000}",
            (
                "['B']: expected a whole number, 0 or more, got '1_000'"
                " (write 1_000 without underscores)"
            ),
        ),
        ("{B: §[]}", "['B']: the list is empty: give one size per step"),
        ("{B: [1, §x]}", "['B'][1]: expected a whole number, 0 or more, got 'x'"),
        ("{B: §{}}", "['B']: expected a whole number, 0 or more, got {}"),
        ("{B: 1, §'B S': 1}", ": 'B S' is no dim name: a name has letters, digits and _"),
        ("{B: 1, §S: 2}", ": no shape uses the dim 'S'"),
        ("{B: 1, §b: 2}", ": no shape uses the dim 'b'"),
    ],
)
def test_faults_of_dims(dims: str, message: str) -> None:
    assert_faults(f"{HEAD}    inputs: {{x: B}}\n    dims: {dims}\n", f"dims{message}")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ("§5", ": expected a mapping such as {'n': [1, 2, 3]}, got 5"),
        ("{n: §[]}", "['n']: the list is empty: give one value per step"),
        ("{§a b: 1}", ": 'a b' is no name of an argument: a name has letters, digits and _"),
    ],
)
def test_faults_of_values(values: str, message: str) -> None:
    assert_faults(f"{HEAD}    values: {values}\n", f"values{message}")


def test_what_is_wrong_between_them() -> None:
    assert_faults(
        f"{HEAD}    inputs: {{x: §S, S: B, y: {{tuple: ['4', {{shape: C}}]}}}}\n"
        "    dims: {B: 1, §Sq: 2, C: 3}\n    values: {§S: 1}\n",
        "inputs: the dim 'S' of inputs['x'] has no size in dims: write e.g. dims: {'S': 8}",
        "dims: no shape uses the dim 'Sq'",
        "values: 'S' is made by inputs too: leave it out of one of them",
    )


def test_lists_of_different_length() -> None:
    assert_faults(
        f"{HEAD}    inputs: {{x: §[[B], [B]], y: B}}\n    dims: {{B: [1, 2, 3]}}\n"
        "    values: {n: [1]}\n",
        "inputs: the lists differ in length: inputs['x'] has 2, dims['B'] has 3 and"
        " values['n'] has 1; each has one entry per step",
    )


def test_an_argument_is_made_once() -> None:
    assert_faults(
        f"{HEAD}    keywords: {{x: §1, n: §2, k: 3}}\n    inputs: {{x: '4'}}\n"
        "    values: {n: 1}\n",
        "keywords: 'x' is in inputs too: leave it out of one of them",
        "keywords: 'n' is in values too: leave it out of one of them",
    )


def test_a_trace_file(tmp_path: Path) -> None:
    (tmp_path / "sizes.csv").write_text("B,S,count\n1,128,10\n2,256,1\n1,64,5\n")
    text = keys("inputs: {x: 'B S'}\ndims: {trace_file: sizes.csv, max_steps: 2}")
    (contract,) = load(text, tmp_path / "it.yaml")
    trace = contract.contract().trace
    assert len(trace.steps) == 2
    assert sum(step.weight for step in trace.steps) == 16
    assert trace.notes[0].startswith("sizes.csv: 3 rows, 3 distinct sizes; 2 kept as steps")


@pytest.mark.parametrize(
    ("dims", "messages"),
    [
        (
            "{trace_file: §gone.csv, §max_step: 3}",
            [
                ": gone.csv: there is no such file in {folder}",
                ": 'max_step' is no key beside 'trace_file' (did you mean 'max_steps'?)",
            ],
        ),
        ("{trace_file: §''}", [": trace_file takes the path of a file, got ''"]),
        ("{trace_file: §5}", [": trace_file takes the path of a file, got 5"]),
        (
            "{trace_file: sizes.csv, max_steps: §0}",
            [": max_steps: expected a whole number, 1 or more, got 0"],
        ),
        ("{trace_file: §bad.csv}", [": bad.csv:2: {bad}"]),
        (
            "{trace_file: §other.csv}",
            [UNUSED],
        ),
        ("{trace_file: §.}", [": .: is a directory, not a file"]),
    ],
)
def test_faults_of_a_trace_file(tmp_path: Path, dims: str, messages: list[str]) -> None:
    (tmp_path / "sizes.csv").write_text("B\n1\n")
    (tmp_path / "bad.csv").write_text("B\nx\n")
    (tmp_path / "other.csv").write_text("B,C\n1,2\n")
    path = tmp_path / "it.yaml"
    text = f"{HEAD}    inputs: {{x: B}}\n    dims: {dims}\n"
    marks = [at + 1 for at, each in enumerate(text.splitlines()[-1]) if each == "§"]
    faults = load_faults(text.replace("§", ""), path)
    bad = next((f.message.split("bad.csv:2: ")[1] for f in faults if "bad.csv" in f.message), "")
    expected = [f"dims{each.format(folder=tmp_path, bad=bad)}" for each in messages]
    assert told(faults) == [
        f"6:{column - index}: {message}"
        for index, (column, message) in enumerate(zip(marks, expected, strict=True))
    ]
