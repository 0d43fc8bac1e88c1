from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path

import pytest
import yaml
from baseline.values import BREAK, CONTRACT, PRINT, RECOMPILES, broken
from hypothesis import given
from hypothesis import strategies as st

from pytest_compilecheck.baseline.excuse import excused
from pytest_compilecheck.baseline.file import BaselineError, parse, read_baseline, text_of
from pytest_compilecheck.baseline.known import Baseline, Entry, Recorded
from pytest_compilecheck.baseline.update import updated
from pytest_compilecheck.judge.findings import Finding
from pytest_compilecheck.report.wording import printable_lines

SMALL = Baseline.of(
    [
        Entry(PRINT, {"2.9": 1, "2.13": 0}, because="a log: stays"),
        Entry(BREAK, {"2.13": 2}),
        Entry(RECOMPILES, {"2.13": 1}),
    ],
    {"2.13": Recorded("2.13.0", {"einops": "0.8.1"}), "2.9": Recorded("2.9.1")},
)
TEXT = """\
# What is known not to compile as its contract asks: pytest-compilecheck fails for what is new.
# One entry a line. `known.yaml merge=union` in .gitattributes lets git merge what branches add.
version: 1
recorded:
- {"torch": "2.9.1", "packages": {}}
- {"torch": "2.13.0", "packages": {"einops": "0.8.1"}}
known:
- {"contract": "tests/test_mlp.py::test_mlp", "kind": "graph_break", "file": "model/mlp.py", \
"function": "inner", "cause": "GB0059", "count": {"2.9": 1, "2.13": 0}, "because": "a log: stays"}
- {"contract": "tests/test_mlp.py::test_mlp", "kind": "graph_break", "file": "model/mlp.py", \
"function": "inner", "cause": "GB0170", "count": {"2.13": 2}}
- {"contract": "tests/test_mlp.py::test_mlp", "kind": "max_recompiles", "count": {"2.13": 1}}
"""


def test_a_baseline_is_written_sorted_with_one_entry_a_line() -> None:
    assert text_of(SMALL, "known.yaml") == TEXT
    assert parse(TEXT, "known.yaml") == SMALL


def test_what_is_written_is_yaml() -> None:
    data = yaml.safe_load(TEXT)
    assert data["version"] == 1
    assert [each["kind"] for each in data["known"]] == [
        "graph_break",
        "graph_break",
        "max_recompiles",
    ]


def test_an_empty_baseline_comes_back() -> None:
    assert parse(text_of(Baseline(), "b"), "b") == Baseline()


@pytest.mark.parametrize(
    "entry",
    [
        f"- {{contract: '{CONTRACT}', kind: max_recompiles, count: {{'2.13': 1}}}}",
        f"- contract: {CONTRACT}\n  kind: max_recompiles\n  count:\n    '2.13': 1",
        f'- {{"contract": "{CONTRACT}",\n   "kind": "max_recompiles", "count": {{"2.13": 1}}}}',
        f"  # indented\n  - {{contract: '{CONTRACT}', kind: max_recompiles, count: {{'2.13': 1}}}}",
    ],
    ids=["without quotes", "in block style", "folded", "indented"],
)
def test_an_entry_may_be_any_yaml(entry: str) -> None:
    found = parse(f"version: 1\nknown:\n{entry}\n", "b")
    assert found == Baseline.of([Entry(RECOMPILES, {"2.13": 1})], {})


GOOD = '"contract": "a", "kind": "graph_break", "count": {"2.13": 1}'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "b:1: the file is empty: begin with version: 1"),
        ("version: 2\nknown: []", "b:1: this release reads baselines of version 1, got 2: read"),
        ("known: []", "b:1: no baseline: `version: 1` is missing"),
        ("version: 1\nknwon: []", "b:1: a baseline has no key 'knwon'"),
        ("version: 1\n1: []\nold: []", "b:2: the key 1 is no text: write it in quotes"),
        ("version: 1\n<<: {known: [3]}", "b:2: an entry is a mapping, `- {...}`, got 3"),
        ("version: 1\nknown:\n- {count: 2026-02-31}", "b:3: contract is missing"),
        ("version: 1\nknown: {a: 1}", "b:2: known is a list of entries, `- {...}`"),
        ("version: 1\nknown:\n- {", "b:3: no YAML: the file ends inside a bracket"),
        ("version: 1\nknown:\n- 3", "b:3: an entry is a mapping, `- {...}`, got 3"),
        (f"version: 1\nknown:\n- {{{GOOD}, 'line': 3}}", "b:3: an entry has no key 'line'"),
        (
            'version: 1\nknown:\n- {"contract": "a", "count": {}}',
            "b:3: kind is missing: an item here has contract, kind, count",
        ),
        (f"version: 1\nknown:\n- {{{GOOD}, 'file': 3}}", "b:3: file is a text, got 3"),
        (f"version: 1\nknown:\n- {{{GOOD}, 'because': null}}", "b:3: because is a text, got None"),
        (
            "version: 1\nknown:\n- {contract: a, kind: b, count: {2.13: 1}}",
            "b:3: the key 2.13 is no text",
        ),
        ("version: 1\nknown:\n- {contract: a, kind: b, count: 1}", "b:3: count has a figure for"),
        ("version: 1\nknown:\n- {contract: a, kind: b, count: {'2.1': -1}}", "from 0 on, got -1"),
        ("version: 1\nknown:\n- {contract: a, kind: b, count: {'2.1': .inf}}", "0 on, got inf"),
        ("version: 1\nknown:\n- {contract: a, kind: b, count: {'2.1': .nan}}", "0 on, got nan"),
        ("version: 1\nknown:\n- {contract: a, kind: b, count: {'2.1': true}}", "0 on, got True"),
        (
            "version: 1\nrecorded:\n- {packages: {}}",
            "b:3: torch is missing: an item here has torch",
        ),
        ("version: 1\nrecorded:\n- {torch: 2.13}", "b:3: versions are written as"),
        (f"version: 1\nknown:\n<<<<<<< HEAD\n- {{{GOOD}}}", "b:3: a merge left its marks"),
    ],
)
def test_faults_are_told_with_their_line(text: str, told: str) -> None:
    with pytest.raises(BaselineError) as caught:
        parse(text, "b")
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("version: 1\n1: 2\na: 3\n", "known.yaml:2: the key 1 is no text"),
        ("version: 1\nknown:\n- {because: 2024-99-99}\n", "because is a text|contract is missing"),
        (
            "version: 1\nknown:\n- " + "[" * 100_000,
            "known.yaml:3: (no YAML: values are nested too deep|values are nested deeper than 64)",
        ),
        (
            "version: 1\nknown:\n- {contract: a, kind: b, count: {'2.13': 1, '2.13': 9}}\n",
            "known.yaml:3: the key '2.13' is there twice",
        ),
        (
            'version: 1\nknown:\n- {"contract": "a", "kind": "b", "kind": "c", "count": 1}',
            "known.yaml:3: the key 'kind' is there twice",
        ),
        ("version: 1\nknown:\n- !!python/name:os.system x\n", "means nothing here"),
        ("version: 1\nknown:\n- &a [*a]\n", "the alias \\*a stands in its own anchor"),
    ],
    ids=["keys", "date", "deep", "twice", "twice in JSON", "tag", "circle"],
)
def test_what_stops_a_parser_is_told(text: str, told: str) -> None:
    with pytest.raises(BaselineError, match=told):
        parse(text, "known.yaml")


def test_aliases_of_aliases_are_counted_in_full() -> None:
    """A few lines would stand for more entries than memory holds."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 20)]
    with pytest.raises(BaselineError, match="more than 500,000 values"):
        parse("\n".join(["version: 1", *lines, "known: [*a19]"]), "b")


def test_a_value_in_a_message_is_short() -> None:
    with pytest.raises(BaselineError) as caught:
        parse(f"version: 1\nknown:\n- [{'x, ' * 5000}x]\n", "b")
    assert len(str(caught.value)) < 200


def test_a_file_without_an_end_is_not_read_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_compilecheck.baseline.file._MOST_BYTES", 1000)
    with pytest.raises(BaselineError, match=r"/dev/zero cannot be read: .* more than 1,000 bytes"):
        read_baseline(Path("/dev/zero"))


def test_nothing_of_a_message_steers_a_terminal(tmp_path: Path) -> None:
    path = tmp_path / "\x1b[2J\x9b.yaml"
    path.write_text('version: 1\nknown:\n- {"\\u001b[2J\\u202e": 1, "\\u0007": 2}\n')
    with pytest.raises(BaselineError) as caught:
        read_baseline(path)
    assert "\\x1b[2J\\x9b.yaml:3: " in str(caught.value)
    assert printable_lines(str(caught.value)) == str(caught.value)


def test_every_faulty_entry_is_told() -> None:
    with pytest.raises(BaselineError) as caught:
        parse("version: 1\nknown:\n- 3\n- {contract: a}\n", "b")
    assert [line.partition(": ")[0] for line in str(caught.value).splitlines()] == ["b:3", "b:4"]


def test_a_file_that_is_not_there_and_one_that_is_no_text(tmp_path: Path) -> None:
    with pytest.raises(BaselineError, match="write it with --compilecheck-update=new"):
        read_baseline(tmp_path / "none.yaml")
    (tmp_path / "b.yaml").write_bytes(b"\xff")
    with pytest.raises(BaselineError, match="cannot be read: 'utf-8' codec"):
        read_baseline(tmp_path / "b.yaml")
    with pytest.raises(BaselineError, match=r"cannot be read: .*directory"):
        read_baseline(tmp_path)


TEXTS = st.text(max_size=20) | st.sampled_from(
    ["\x85", "\u2028", "\ufeff", "\udc80", "- {", "2.13"]
)
COUNTS = st.dictionaries(
    st.sampled_from(["2.8", "2.13", "2.15"]),
    st.integers(1, 99) | st.floats(0.0001, 1).map(lambda x: round(x, 4)),
    min_size=1,
)
ENTRIES = st.builds(
    Entry, st.builds(Finding, TEXTS, TEXTS, TEXTS, TEXTS, TEXTS), COUNTS, st.none() | TEXTS
)


@given(st.lists(ENTRIES, max_size=5))
def test_any_baseline_comes_back_as_json_lines_and_as_yaml(entries: list[Entry]) -> None:
    whole = Baseline.of(entries, {"2.13": Recorded("2.13.0")})
    text = text_of(whole, "b")
    assert parse(text, "b") == whole
    lines = [json.loads(line[2:]) for line in text.split("\n") if line.startswith("- {")]
    if "\\ud" not in text:  # YAML has no lone surrogates
        data = yaml.safe_load(text)
        assert [*data["recorded"], *(data["known"] or [])] == lines


def git(where: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    command = ["git", *identity, *arguments]
    run = subprocess.run(command, cwd=where, capture_output=True, text=True, check=False)
    return run.stdout + run.stderr


@pytest.mark.parametrize("seed", range(3))
def test_git_merges_what_two_branches_add(tmp_path: Path, seed: int) -> None:
    every = [
        Finding(f"tests/test_{n}.py::t", "graph_break", f"m{n % 3}.py", "f", "GB0059")
        for n in range(12)
    ]
    sets = {
        "base": every[seed::4],
        "ours": every[seed::2],
        "theirs": every[seed::3] + every[seed::4],
    }
    path = tmp_path / "b.yaml"

    def write(name: str) -> None:
        known = Baseline.of([Entry(each, {"2.13": 1}) for each in sets[name]], {})
        path.write_text(text_of(known, "b.yaml"), encoding="utf-8")

    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / ".gitattributes").write_text("b.yaml merge=union\n")
    for branch, name in (("main", "base"), ("ours", "ours"), ("theirs", "theirs")):
        git(tmp_path, "checkout", "-q", "main")
        git(tmp_path, "checkout", "-q", "-b", branch)
        write(name)
        git(tmp_path, "add", "-A")
        git(tmp_path, "commit", "-q", "-m", name)
    assert "CONFLICT" not in git(tmp_path, "merge", "ours", "-m", "merged")
    merged = parse(path.read_text(encoding="utf-8"), "b.yaml")
    found = {finding for entries in merged.contracts.values() for finding in entries}
    assert found == {*sets["ours"], *sets["theirs"]}


def test_ten_thousand_records_are_held_in_a_second() -> None:
    records = [broken(breaks=2, id=f"t/test_{n % 200}.py::test_it[{n}]") for n in range(10_000)]
    whole, _ = updated(Baseline(), records, "new", release="2.13", recorded=Recorded("2.13.0"))
    text = text_of(whole, "b")

    def seconds() -> float:
        started = time.process_time()
        found = parse(text, "b")
        assert all(excused(each, found.known(each.unit, "2.13")).verdict.holds for each in records)
        return time.process_time() - started

    assert any(seconds() < 1 for _ in range(5))  # of a busy machine the best counts
