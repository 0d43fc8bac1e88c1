from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

from pytest_compilecheck import trace_file
from pytest_compilecheck.contract.faults import ContractError, Place
from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.contract.read import read_contract
from pytest_compilecheck.contract.trace.file import TraceFile


def test_a_frozen_value() -> None:
    made = trace_file("lengths.csv")
    assert made == TraceFile("lengths.csv", 64)
    assert pickle.loads(pickle.dumps(made)) == made
    assert {made, trace_file(Path("lengths.csv"))} == {made}
    assert trace_file("lengths.csv", max_steps=3) == TraceFile("lengths.csv", 3)


NO_PATH = "trace_file takes the path of a file, got "
NO_NUMBER = "max_steps: expected a whole number, 1 or more, got "


@pytest.mark.parametrize(
    ("path", "max_steps", "faults"),
    [
        ("", 1, (NO_PATH + "''",)),
        ("a\0.csv", 1, (NO_PATH + r"'a\x00.csv'",)),
        (b"a.csv", 1, (NO_PATH + "b'a.csv'",)),
        (["a.csv"], 1, (NO_PATH + "['a.csv']",)),
        ("a.csv", 0, (NO_NUMBER + "0",)),
        ("a.csv", True, (NO_NUMBER + "True",)),
        ("a.csv", None, (NO_NUMBER + "None",)),
        (None, 2.0, (NO_PATH + "None", NO_NUMBER + "2.0")),
    ],
)
def test_faulty_arguments_raise_nothing(path: Any, max_steps: Any, faults: object) -> None:
    assert trace_file(path, max_steps=max_steps).faults == faults


def read(folder: Path, text: str, *names: str, **fields: object) -> Contract:
    (folder / "lengths.csv").write_text(text)
    place = Place(str(folder / "test_a.py"), 3, "@compile_contract")
    return read_contract(
        [({"dims": trace_file("lengths.csv"), **fields}, place)],
        subject="test_f",
        arguments=names,
        fixtures=frozenset(),
        compile_keywords=(),
        torch_version="2.13.0",
    )


def faults(folder: Path, text: str, *names: str, **fields: object) -> list[str]:
    with pytest.raises(ContractError) as raised:
        read(folder, text, *names, **fields)
    assert {fault.place and fault.place.line for fault in raised.value.faults} == {3}
    return [fault.message for fault in raised.value.faults]


def test_rows_are_steps_that_count_weights(tmp_path: Path) -> None:
    contract = read(
        tmp_path,
        "S,B,count\n128,1,30\n7,8,1\n",
        *("x", "n"),
        shapes={"x": "B S 4"},
        values={"n": 2},
    )
    steps = contract.trace.steps
    assert [(step.index, step.dims, step.weight) for step in steps] == [
        (0, {"S": 128, "B": 1}, 30),
        (1, {"S": 7, "B": 8}, 1),
    ]
    shapes = [step.to_dict()["inputs"]["x"]["shape"] for step in steps]
    assert shapes == [[1, 128, 4], [8, 7, 4]]
    assert (contract.trace.notes, contract.to_dict()["trace_notes"]) == ((), [])


def test_the_notes_are_part_of_the_contract(tmp_path: Path) -> None:
    text = "S\n" + "\n".join(map(str, range(100)))
    contract = read(tmp_path, text, "x", shapes="S")
    assert len(contract.trace.steps) == 64
    assert contract.to_dict()["trace_notes"] == list(contract.trace.notes)
    assert contract.trace.notes[0].startswith("lengths.csv: 100 rows, 100 distinct sizes; 64 kept")


def test_one_row(tmp_path: Path) -> None:
    (step,) = read(tmp_path, "S\n5\n", "x", shapes="S").trace.steps
    assert (step.dims, step.weight) == ({"S": 5}, 1)


def test_the_faults_of_a_file_are_those_of_dims(tmp_path: Path) -> None:
    # What follows from them, as a dim without a size, is not told.
    assert faults(tmp_path, "S\nx\n-1\n", "x", shapes="S T") == [
        "dims: lengths.csv:2: S: expected a whole number, 0 or more, got 'x'",
        "dims: lengths.csv:3: S: expected a whole number, 0 or more, got '-1'",
    ]
    fields = {"shapes": "S", "dims": trace_file("a.csv", max_steps=0)}
    assert faults(tmp_path, "S\n1\n", "x", **fields) == [
        "dims: max_steps: expected a whole number, 1 or more, got 0"
    ]
    fields["dims"] = trace_file("a.csv")
    assert faults(tmp_path, "S\n1\n", "x", **fields) == [
        f"dims: a.csv: there is no such file in {tmp_path}"
    ]


def test_columns_are_the_dims(tmp_path: Path) -> None:
    cure = "give lengths.csv a column 'S', or the shape a number"
    columns = "columns are dims of the shapes, and 'count' is the number of requests"
    assert faults(tmp_path, "Batch,Q\n1,2\n", "x", shapes="Bath S") == [
        "shapes: the dim 'Bath' of shapes has no size in dims (did you mean 'Batch'?)",
        f"shapes: the dim 'S' of shapes has no size in dims: {cure}",
        "dims: no shape uses the dim 'Batch', a column of lengths.csv (did you mean 'Bath'?)",
        f"dims: no shape uses the dim 'Q', a column of lengths.csv: {columns}",
    ]


def test_lists_beside_a_file(tmp_path: Path) -> None:
    fields: dict[str, object] = {"shapes": {"x": ["S", "S 1"]}, "values": {"n": [1, 2, 3]}}
    text = "which makes 3 steps: give one for all of them"
    assert faults(tmp_path, "S\n1\n2\n3\n", "x", "n", **fields) == [
        f"shapes['x']: a list of 2 makes no sense beside the trace file lengths.csv, {text}"
    ]
    assert faults(tmp_path, "S\n1\n2\n3\n", "x", shapes=["S", "S 1"]) == [
        f"shapes: a list of 2 makes no sense beside the trace file lengths.csv, {text}"
    ]
    fields["shapes"] = {"x": "S"}
    steps = read(tmp_path, "S\n1\n2\n3\n", "x", "n", **fields).trace.steps
    assert [step.to_dict()["inputs"]["n"]["value"] for step in steps] == [1, 2, 3]
