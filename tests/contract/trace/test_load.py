from __future__ import annotations

import itertools
import os
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compilecheck.contract.trace import load as trace_load
from pytest_compilecheck.contract.trace.file import trace_file
from pytest_compilecheck.contract.trace.load import LoadedTrace, load_trace


def load(
    folder: Path, text: str | bytes, name: str = "lengths.csv", max_steps: int = 64
) -> LoadedTrace:
    data = text if isinstance(text, bytes) else text.encode()
    (folder / name).write_bytes(data)
    return load_trace(trace_file(name, max_steps=max_steps), str(folder))


def faults(folder: Path, text: str | bytes, name: str = "lengths.csv") -> tuple[str, ...]:
    loaded = load(folder, text, name)
    assert (loaded.steps, loaded.notes) == ((), ())
    return loaded.faults


CSV = """\
# lengths of one day

B,S,count  # sorted by time
1, 128, 3
8, 256, 1
1,128,2    # as the first
"""
JSON = """\
# lengths of one day

{"B": 1, "S": 128, "count": 3}
{"B": 8, "S": 256}
{"S": 128, "B": 1, "count": 2}
"""
LOADED = LoadedTrace(("B", "S"), (((1, 128), 5), ((8, 256), 1)))


@pytest.mark.parametrize("name", ["lengths.csv", "lengths.CSV", "lengths.txt", "lengths", "jsonl"])
def test_csv(tmp_path: Path, name: str) -> None:
    assert load(tmp_path, CSV, name) == LOADED


@pytest.mark.parametrize("name", ["lengths.jsonl", "lengths.ndjson", "lengths.JSONL"])
def test_json_lines(tmp_path: Path, name: str) -> None:
    assert load(tmp_path, JSON, name) == LOADED


@pytest.mark.parametrize(
    "change",
    [
        lambda text: b"\xef\xbb\xbf" + text,
        lambda text: text.replace(b"\n", b"\r\n"),
        lambda text: b"\xef\xbb\xbf" + text.replace(b"\n", b"\r\n").rstrip(),
    ],
    ids=["byte order mark", "CRLF", "both, without an end of line"],
)
@pytest.mark.parametrize(("name", "text"), [("a.csv", CSV), ("a.jsonl", JSON)])
def test_forms_of_text(tmp_path: Path, name: str, text: str, change: object) -> None:
    assert callable(change)
    assert load(tmp_path, change(text.encode()), name) == LOADED


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (CSV + "8,x,1", ["7: S: expected a whole number, 0 or more, got 'x'"]),
        (
            CSV + "8\n1,1,1\n1,1,-2",
            [
                "7: expected 3 cells (B, S, count), got 1: '8'",
                "9: count: expected a whole number, 1 or more, got '-2'",
            ],
        ),
        ("\n# \nS,S\n1,1\nx,x", ["3: the column 'S' is there twice: leave one out"]),
        (b"S\n1\n\xff\n2", ["3: is no UTF-8 text: save the file as UTF-8"]),
        (CSV.encode("utf-16"), ["1: is no UTF-8 text: save the file as UTF-8"]),
        ("S\n1\n" + "1" * 70_000 + "\n2", ["3: is longer than 65536 bytes, which no row is"]),
    ],
)
def test_bad_rows_are_told_with_their_line(
    tmp_path: Path, text: str | bytes, found: list[str]
) -> None:
    assert faults(tmp_path, text) == tuple(f"lengths.csv:{fault}" for fault in found)


@pytest.mark.parametrize(
    ("bad", "end"), [(5, ""), (6, "; and 1 more bad row"), (900, "; and 895 more bad rows")]
)
def test_at_most_five_bad_rows_are_told(tmp_path: Path, bad: int, end: str) -> None:
    found = faults(tmp_path, "S\n" + "1\nx\n" * bad)
    what = "S: expected a whole number, 0 or more, got 'x'"
    expected = [f"lengths.csv:{line}: {what}" for line in (3, 5, 7, 9, 11)]
    assert found == (*expected[:-1], expected[-1] + end)


def test_bad_json(tmp_path: Path) -> None:
    text = '{"S": 1}\n{"S": 1.5}\n{"T": 1}\n'
    assert faults(tmp_path, text, "a.jsonl") == (
        "a.jsonl:2: S: expected a whole number, 0 or more, got 1.5",
        "a.jsonl:3: the key 'T' is not in the first row",
    )
    assert faults(tmp_path, "S\n1\n", "a.ndjson") == (
        "a.ndjson:1: no JSON: Expecting value, at column 1",
    )


@pytest.mark.parametrize("text", ["", "\n# nothing\n", "S\n", "S\n# 1\n"])
def test_no_rows(tmp_path: Path, text: str) -> None:
    assert faults(tmp_path, text) == ("lengths.csv: has no rows: write one for each step",)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    def refused(path: str) -> tuple[str, ...]:
        return load_trace(trace_file(path), str(tmp_path)).faults

    (tmp_path / "folder.csv").mkdir()
    assert refused("a.csv") == (f"a.csv: there is no such file in {tmp_path}",)
    missing = str(tmp_path / "a.csv")
    assert refused(missing) == (f"{missing}: there is no such file",)
    assert refused("folder.csv") == ("folder.csv: is a directory, not a file",)


def test_a_pipe_or_a_device_is_no_file(tmp_path: Path) -> None:
    """To open a pipe waits for who writes to it: for ever, where nobody does."""
    os.mkfifo(tmp_path / "pipe.csv")
    for path in ("pipe.csv", "/dev/zero"):
        loaded = load_trace(trace_file(path), str(tmp_path))
        assert loaded.faults == (f"{path}: is a device or a pipe, not a file",)


@pytest.mark.skipif(os.name == "nt", reason="there it is a file that is not there")
def test_what_else_the_system_says(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    loaded = load_trace(trace_file("file/a.csv"), str(tmp_path))
    assert loaded.faults == ("file/a.csv: cannot be read: Not a directory",)


def test_where_a_path_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.csv").write_text("S\n3\n")
    inside = str(tmp_path / "data")
    expected = LoadedTrace(("S",), (((3,), 1),))
    assert load_trace(trace_file("a.csv"), inside) == expected
    assert load_trace(trace_file("data/a.csv"), str(tmp_path)) == expected
    assert load_trace(trace_file(tmp_path / "data" / "a.csv"), "elsewhere") == expected
    monkeypatch.chdir(inside)
    assert load_trace(trace_file("a.csv"), "") == expected


def test_a_file_that_changed_is_read_again(tmp_path: Path) -> None:
    assert load(tmp_path, "S\n3\n").steps == (((3,), 1),)
    assert load(tmp_path, "S\n3\n4\n").steps == (((3,), 1), ((4,), 1))


def test_a_file_that_has_not_changed_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = load(tmp_path, "S\n3\n")
    monkeypatch.setattr(trace_load, "_read_lines", None)
    assert load_trace(trace_file("lengths.csv"), str(tmp_path)) is first


MOVED = "counted with the next larger step"


@pytest.mark.parametrize(
    ("sizes", "max_steps", "counts", "moved"),
    [
        (
            [*range(2, 12), 11],
            9,
            "11 rows, 10 distinct sizes; 9 kept as steps",
            f"the other 1 (9.1 % of the requests) is {MOVED}",
        ),
        (
            [2, 3, 4, 4, 4, 4, 4],
            1,
            "7 rows, 3 distinct sizes; 1 kept as a step",
            f"the other 2 (28.6 % of the requests) are {MOVED}",
        ),
        (
            [2, 3] + [4] * 4000,
            1,
            "4002 rows, 3 distinct sizes; 1 kept as a step",
            f"the other 2 (less than 0.1 % of the requests) are {MOVED}",
        ),
    ],
)
def test_what_is_left_out_is_told(
    tmp_path: Path, sizes: list[int], max_steps: int, counts: str, moved: str
) -> None:
    text = "\n".join(map(str, ["S", *sizes]))
    notes = load(tmp_path, text, max_steps=max_steps).notes
    assert notes == (f"lengths.csv: {counts}, {moved}",)


def test_nothing_is_told_where_every_row_is_in_a_step(tmp_path: Path) -> None:
    assert load(tmp_path, "S\n1\n2\n1\n", max_steps=2).notes == ()


def test_rows_that_no_step_covers_are_told(tmp_path: Path) -> None:
    (note,) = load(tmp_path, "B,S\n1,64\n2,33\n8,16\n32,4\n64,2\n", max_steps=3).notes
    assert note.startswith("lengths.csv: 5 rows, 5 distinct sizes; 3 kept as steps, the other 2 ")
    assert note.endswith(f"{MOVED}, or for 2 of them, as none is larger, with the nearest")


def test_more_rows_than_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace_load, "_MOST_ROWS", 100)
    monkeypatch.setattr(trace_load, "_MOST_KNOWN", 10)
    loaded = load(tmp_path, "S\n" + "\n".join(map(str, range(4000))) + "\n4001,", max_steps=8)
    assert len(loaded.faults) == 1
    loaded = load(tmp_path, "S\n" + "\n".join(map(str, range(4000))), max_steps=8)
    assert sum(weight for _, weight in loaded.steps) == 4000
    assert max(loaded.steps)[0] == (3999,)
    (note,) = loaded.notes
    start, _, end = note.partition("; 8 kept as steps, ")
    assert start == (
        "lengths.csv: 4000 rows, 81 distinct sizes after those that differ by a factor of 1.12 or"
        " less were taken together, as the largest in each dim"
    )
    assert end.startswith("the other 73 (")


NUMBER = itertools.count()
ROWS = st.lists(
    st.tuples(st.integers(0, 30), st.integers(0, 30), st.integers(1, 99)), min_size=1, max_size=80
)


@given(ROWS, st.integers(1, 20), st.sampled_from(["csv", "jsonl"]), st.data())
def test_all_requests_are_in_the_steps(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[tuple[int, int, int]],
    max_steps: int,
    form: str,
    data: st.DataObject,
) -> None:
    if form == "csv":
        lines = [f"{b},{s},{count}" for b, s, count in rows]
    else:
        lines = [f'{{"B": {b}, "S": {s}, "count": {count}}}' for b, s, count in rows]
    for comment in data.draw(st.lists(st.sampled_from(["", "# 1,2,3", "  "]), max_size=3)):
        lines.insert(data.draw(st.integers(0, len(lines))), comment)
    text = "\n".join(["B,S,count"] * (form == "csv") + lines)
    name = f"{next(NUMBER)}.{form}"
    loaded = load(tmp_path_factory.getbasetemp(), text, name, max_steps)
    counts: Counter[tuple[int, ...]] = Counter()
    for b, s, count in rows:
        counts[b, s] += count
    assert (loaded.faults, loaded.names) == ((), ("B", "S"))
    assert len(loaded.steps) == min(max_steps, len(counts))
    assert sum(weight for _, weight in loaded.steps) == counts.total()
    assert all(weight >= counts[row] > 0 for row, weight in loaded.steps)
    assert [row for row in counts if row in dict(loaded.steps)] == [row for row, _ in loaded.steps]
    if len(counts) <= max_steps:
        assert loaded.steps == tuple(counts.items())
