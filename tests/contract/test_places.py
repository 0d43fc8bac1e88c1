"""The part of a value that a message is about, as a contract file has it."""

from __future__ import annotations

import pytest

from pytest_compilecheck.contract.faults import Place
from pytest_compilecheck.contract.places import FieldPlaces, Places

WHOLE = Place("a.yaml", 1, "contract file", 1)


def at(column: int) -> Place:
    return Place("a.yaml", 2, "contract file", column)


def leaf(column: int, note: str = "") -> Places:
    return Places(at(column), note=note)


# x: {tuple: ["B", {shape: "S", low: yes}]}, S: [1, 2], "it's": 3
INPUTS = Places(
    at(1),
    parts={
        "x": Places(
            at(10),
            parts={
                "tuple": Places(
                    at(20),
                    parts={
                        0: leaf(21),
                        1: Places(
                            at(30),
                            parts={"shape": leaf(31), "low": leaf(32, "write true")},
                            keys={"shape": at(33), "low": at(34)},
                        ),
                    },
                )
            },
            keys={"tuple": at(15)},
        ),
        "S": Places(at(40), parts={0: leaf(41), 1: Places(at(42), text="Q")}),
        "it's": leaf(50),
    },
    keys={"x": at(5), "S": at(6), "it's": at(7)},
)
PLACES = FieldPlaces(WHOLE, {"inputs": INPUTS})


@pytest.mark.parametrize(
    ("message", "column"),
    [
        ("expected a mapping, got 5", 1),
        ("['x']: the dict is empty", 10),
        ("['x']['tuple']: expected a list", 20),
        ("['S'][1]: expected a size", 42),
        # The items of an input stand in a mapping of their own.
        ("['x'][0]: the size -1 is negative", 21),
        ("['x'][1]: low: expected a number", 32),
        ("['x'][1]: low is 3 and high is 2", 32),
        ("['x'][1]['shape']: no shape", 31),
        ("['x'][1]: 'low' is no key", 34),
        ('["it\'s"]: no shape', 50),
        # What is not there is told where it should be.
        ("['x'][7]: expected a shape", 10),
        ("['y']: expected a shape", 1),
        ("['x'][1].low: no path goes there", 32),
        # Names of a person's own are no words of a message.
        ("S: none", 1),
        ("'S' is no name", 6),
        ("the dim 'S' of inputs['x'] has no size", 10),
        ("'y' and 'S' exclude each other", 6),
        ("['S']: 'Q' is no dim", 42),
        ("'Q' is no dim", 1),
        ("['S']: 5 in ['Q', 5] is no dim", 40),
        ("m:f has no parameter 'x' (did you mean 'S'?)", 5),
        ("the lists differ: inputs['S'] has 2, dims['x'] has 3", 40),
    ],
)
def test_places(message: str, column: int) -> None:
    fault = PLACES.fault("inputs", message)
    assert fault.place is not None
    assert fault.place.column == column


def test_the_message_of_a_fault() -> None:
    assert PLACES.fault("inputs", "['S']: got None").message == "inputs['S']: got null"
    assert PLACES.fault("inputs", "expected x=1").message == "inputs: expected x: 1"


def test_a_note_is_told_of_the_value_that_it_is_about() -> None:
    message = "['x'][1]: low: expected a number, got 'yes'"
    assert PLACES.fault("inputs", message).message == f"inputs{message} (write true)"
    assert PLACES.fault("inputs", "['x'][1]: 'low' is no key").message.endswith("no key")


def test_faults_of_no_field_and_of_one_that_is_not_there_lie_at_the_whole() -> None:
    assert PLACES.fault(None, "nothing makes 'x'").place == WHOLE
    fault = PLACES.fault("dims", "expected a dict, got None")
    assert (fault.place, fault.message) == (WHOLE, "dims: expected a mapping, got null")
    assert PLACES.file == "a.yaml"
