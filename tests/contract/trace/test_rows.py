from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compilecheck.contract.trace.rows import BadRowError, CsvRows, JsonRows, Row

COUNTS = st.integers(1, 2**63 - 1)
SIZES = st.integers(0, 2**63 - 1)
LARGEST = str(2**63 - 1)


def parse(rows: CsvRows | JsonRows, *lines: str) -> list[tuple[Row, int]]:
    found = [rows.parse(line) for line in lines]
    return [entry for entry in found if entry is not None]


@pytest.mark.parametrize(
    ("lines", "names", "found"),
    [
        (["S", "128", "129\n"], ("S",), [((128,), 1), ((129,), 1)]),
        (["B,S,count", "8,128,3"], ("B", "S"), [((8, 128), 3)]),
        (["count,B,S", "3,8,128"], ("B", "S"), [((8, 128), 3)]),
        ([" B , S\r\n", " 8 ,\t128\r\n"], ("B", "S"), [((8, 128), 1)]),
        (["# made today", "", "S # tokens", "1 # one", " # ,", "\n", "2#"], ("S",), [(1,), (2,)]),
        (["S", "0", "007", LARGEST], ("S",), [(0,), (7,), (2**63 - 1,)]),
        (["länge,_1", "1,2"], ("länge", "_1"), [((1, 2), 1)]),
    ],
)
def test_csv(lines: list[str], names: tuple[str, ...], found: list[tuple[Row, int] | Row]) -> None:
    rows = CsvRows()
    expected = [entry if len(entry) == 2 else (entry, 1) for entry in found]
    assert parse(rows, *lines) == expected
    assert rows.names == names


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("128", "'128' is no dim name: the first line names the columns, as in B,S,count"),
        ("B;S", "'B;S' is no dim name: the first line names the columns, as in B,S,count"),
        ("B,", "'' is no dim name: the first line names the columns, as in B,S,count"),
        ("B,S,B", "the column 'B' is there twice: leave one out"),
        ("count,count", "the column 'count' is there twice: leave one out"),
        (
            "count",
            "there is no dim beside count: the first line names the columns, as in B,S,count",
        ),
    ],
)
def test_faulty_headers(header: str, message: str) -> None:
    rows = CsvRows()
    with pytest.raises(BadRowError) as raised:
        rows.parse(header)
    assert (str(raised.value), rows.names) == (message, ())


SIZE = "S: expected a whole number, 0 or more, got "
COUNT = "count: expected a whole number, 1 or more, got "


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("128", "expected 2 cells (S, count), got 1: '128'"),
        ("128,1,\n", "expected 2 cells (S, count), got 3: '128,1,'"),
        ("-1,1", SIZE + "'-1'"),
        ("128.0,1", SIZE + "'128.0'"),
        (",1", SIZE + "''"),
        ("1_000,1", SIZE + "'1_000'"),
        ("+1,1", SIZE + "'+1'"),
        ("\u0661,1", SIZE + "'\u0661'"),
        ("²,1", SIZE + "'²'"),
        (f"{2**63},1", SIZE + f"'{2**63}'"),
        ("9" * 5000 + ",1", SIZE + "'" + "9" * 56 + "..."),
        ("x,y", SIZE + "'x'"),
        ("128,0", COUNT + "'0'"),
        ("128,1.5", COUNT + "'1.5'"),
        ("S,count", SIZE + "'S'"),
    ],
)
def test_faulty_csv_rows(line: str, message: str) -> None:
    rows = CsvRows()
    rows.parse("S,count")
    with pytest.raises(BadRowError) as raised:
        rows.parse(line)
    assert str(raised.value) == message


@given(st.lists(st.tuples(SIZES, SIZES, COUNTS)), st.sampled_from(["", " ", "\t"]))
def test_csv_gives_what_was_written(written: list[tuple[int, int, int]], space: str) -> None:
    lines = [f"{space},{space}".join(map(str, row)) for row in written]
    found = parse(CsvRows(), "B,S,count", *lines)
    assert found == [((b, s), count) for b, s, count in written]


@pytest.mark.parametrize(
    ("lines", "names", "found"),
    [
        (['{"S": 128}', '{"S": 129}\r\n'], ("S",), [((128,), 1), ((129,), 1)]),
        (['# "S"', "", '{"B": 8, "count": 3, "S": 128}'], ("B", "S"), [((8, 128), 3)]),
        (['{"B": 1, "S": 2}', '{"S": 3, "B": 4}'], ("B", "S"), [((1, 2), 1), ((4, 3), 1)]),
        (['{"S": 1, "count": 2}', '{"S": 1}'], ("S",), [((1,), 2), ((1,), 1)]),
    ],
)
def test_json_lines(lines: list[str], names: tuple[str, ...], found: list[tuple[Row, int]]) -> None:
    rows = JsonRows()
    assert parse(rows, *lines) == found
    assert rows.names == names


OBJECT = 'a row is an object such as {"B": 8, "S": 128, "count": 3}'


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[1]", f"{OBJECT}, got [1]"),
        ("128", f"{OBJECT}, got 128"),
        ("{}", OBJECT),
        ('{"count": 1}', f"there is no dim beside count: {OBJECT}"),
        ('{"a b": 1}', f"'a b' is no dim name: {OBJECT}"),
        ('{"S": 1, "S": 2}', "the column 'S' is there twice: leave one out"),
        ("S", "no JSON: Expecting value, at column 1"),
        ('{"S": 1, }', None),
    ],
)
def test_faulty_first_objects(line: str, message: str | None) -> None:
    rows = JsonRows()
    with pytest.raises(BadRowError) as raised:
        rows.parse(line)
    # Python's own text differs from release to release.
    assert str(raised.value) == message or (message is None and "no JSON: " in str(raised.value))
    assert rows.names == ()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"S": 1}', "the key 'Batch' is missing, which the first row has"),
        ('{"Batch": 1, "S": 1, "T": 1}', "the key 'T' is not in the first row"),
        (
            '{"Bath": 1, "S": 1}',
            "the key 'Bath' is not in the first row (did you mean 'Batch'?)",
        ),
        ('{"Batch": 1, "S": 1, "S": 1}', "the key 'S' is there twice: leave one out"),
        (
            '{"Batch": 1, "S": 1, "count": 1, "count": 1}',
            "the key 'count' is there twice: leave one out",
        ),
        ('{"Batch": 1, "S": "1"}', SIZE + "'1'"),
        ('{"Batch": 1, "S": 1.0}', SIZE + "1.0"),
        ('{"Batch": 1, "S": true}', SIZE + "True"),
        ('{"Batch": 1, "S": null}', SIZE + "None"),
        ('{"Batch": 1, "S": NaN}', SIZE + "nan"),
        ('{"Batch": 1, "S": {"a": 1}}', SIZE + "(('a', 1),)"),
        (f'{{"Batch": 1, "S": {2**63}}}', SIZE + str(2**63)),
        ('{"Batch": 1, "S": 1, "count": 0}', COUNT + "0"),
        ("[" * 50_000, "no row: a number is too long, or lists are nested too deep"),
        ('{"Batch": 1', "no JSON: Expecting ',' delimiter, at column 12"),
    ],
)
def test_faulty_objects(line: str, message: str) -> None:
    rows = JsonRows()
    assert rows.parse('{"Batch": 1, "S": 2, "count": 3}') == ((1, 2), 3)
    with pytest.raises(BadRowError) as raised:
        rows.parse(line)
    assert str(raised.value) == message
