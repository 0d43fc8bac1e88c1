from __future__ import annotations

from functools import partial

import pytest

from pytest_compilecheck.contract import parsers
from pytest_compilecheck.contract.parsers import Parser

POSITIVE = partial(parsers.whole_number, low=1)
OPTIONAL_POSITIVE = partial(parsers.optional_whole_number, low=1)


def parse(parser: Parser, value: object) -> tuple[object, list[str]]:
    faults: list[str] = []
    return parser(value, faults.append), faults


@pytest.mark.parametrize(
    ("parser", "value", "parsed"),
    [
        (parsers.whole_number, -3, -3),
        (POSITIVE, 1, 1),
        (OPTIONAL_POSITIVE, None, None),
        (OPTIONAL_POSITIVE, 4, 4),
        (parsers.flag, False, False),
        (parsers.optional_flag, None, None),
        (parsers.optional_flag, True, True),
        (parsers.optional_text, "max-autotune", "max-autotune"),
        (parsers.optional_text, None, None),
        (parsers.optional_options, {"trace": True}, {"trace": True}),
        (parsers.optional_options, None, None),
        (parsers.backend, "inductor", "inductor"),
        (parsers.backend, None, None),
        (parsers.backend, print, print),
        (parsers.parameter_names, "model", ("model",)),
        (parsers.parameter_names, ["encoder", "decoder"], ("encoder", "decoder")),
        (parsers.parameter_names, None, None),
        (parsers.owners, ["own", "torch"], ("own", "torch")),
        (parsers.owners, None, None),
        (parsers.amount, 0, 0),
        (parsers.amount, 0.25, 0.25),
        (parsers.optional_tolerance, None, None),
    ],
)
def test_good_values(parser: Parser, value: object, parsed: object) -> None:
    assert parse(parser, value) == (parsed, [])


@pytest.mark.parametrize(
    ("parser", "value", "fault"),
    [
        (parsers.whole_number, 1.0, "expected a whole number, got 1.0"),
        (parsers.whole_number, True, "expected a whole number, got True"),
        (POSITIVE, 0, "expected a whole number, 1 or more, got 0"),
        (OPTIONAL_POSITIVE, 0, "expected a whole number, 1 or more, got 0"),
        (parsers.amount, -1, "expected a number, 0 or more, got -1"),
        (parsers.amount, float("nan"), "expected a number, 0 or more, got nan"),
        (parsers.amount, float("inf"), "expected a number, 0 or more, got inf"),
        (parsers.amount, True, "expected a number, 0 or more, got True"),
        (parsers.amount, None, "expected a number, 0 or more, got None"),
        (parsers.flag, 1, "expected True or False, got 1"),
        (parsers.flag, None, "expected True or False, got None"),
        (parsers.optional_flag, "auto", "expected True, False or None, got 'auto'"),
        (parsers.optional_text, "", "expected a name in quotes, got ''"),
        (parsers.optional_text, 3, "expected a name in quotes, got 3"),
        (parsers.optional_options, ["a"], "expected a dict of option names to values, got ['a']"),
        (parsers.optional_options, {1: 2}, "expected a dict of option names to values, got {1: 2}"),
        (parsers.backend, "", "expected the name of a backend or a callable, got ''"),
        (parsers.backend, 3, "expected the name of a backend or a callable, got 3"),
        (
            parsers.parameter_names,
            [3],
            "expected the name of a parameter, or a list of names, got [3]",
        ),
        (
            parsers.parameter_names,
            [],
            "names nothing to compile: leave it out to compile the test function itself",
        ),
        (parsers.parameter_names, ["a", "b", "a"], "'a' is named twice: leave one out"),
        (parsers.owners, "own", "expected a list of owners such as ['own'], got 'own'"),
        (parsers.owners, [], "expected a list of owners such as ['own'], got []"),
        (parsers.owners, ["torhc"], "'torhc' is no owner (did you mean 'torch'?)"),
        (parsers.owners, [["own"]], "['own'] is no owner (owners are own, third_party, torch)"),
    ],
)
def test_faults(parser: Parser, value: object, fault: str) -> None:
    assert parse(parser, value)[1] == [fault]
