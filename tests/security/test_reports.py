"""Reports of strangers, given to every command: a clear word, and nothing that harms a reader."""

from __future__ import annotations

import copy
import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from baseline.values import broken
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from report.html.pages import hostile_report
from security.hostile_strings import OF_FORMATS, STEERING, STEERS

from pytest_compilecheck.cli import main
from pytest_compilecheck.codec_check import MismatchError, check
from pytest_compilecheck.judge.run_report import RunReport
from pytest_compilecheck.report.document import json_text, read_report
from pytest_compilecheck.report.formats import FORMATS

TEXTS = [name for name in FORMATS if name not in ("html", "svg", "png", "pdf")]
COMMANDS = [
    *(f"render r.json --to {name}" for name in TEXTS),
    "suggest r.json",
    "diff base.json r.json -v",
    "diff r.json base.json --json",
    "merge r.json -o merged.json",
    "merge r.json base.json --worst --mixed-torch -o merged.json",
    "baseline new.yaml r.json --update new --in-ci",
    "baseline known.yaml r.json",
    "baseline known.yaml r.json --update all --in-ci",
]
WRITTEN = ("merged.json", "new.yaml", "known.yaml")
Path_ = tuple[str | int, ...]


def plainly(data: Any) -> Any:
    """The same report with ordinary texts; of its lists the first entries."""
    if isinstance(data, str):
        return data if data.isascii() and re.fullmatch(r"[\w./ -]+", data) else "plain"
    if isinstance(data, list):
        return [plainly(each) for each in data[:3]]
    if isinstance(data, dict):
        return {plainly(key): plainly(value) for key, value in data.items()}
    return data


def base() -> Any:
    data = plainly(json.loads(json_text(hostile_report())))
    for number, contract in enumerate(data["contracts"]):
        contract["id"] = f"tests/test_{number}.py::test_it"
    data["torch"] = "2.13.0"  # a baseline has figures of a release
    # Of the others nothing can be known: each has all that a record can have.
    data["contracts"].append(broken(breaks=1, id="tests/test_known.py::test_it").to_dict())
    return data


BASE = base()


def leaves(data: Any, path: Path_ = ()) -> Iterator[tuple[Path_, Any]]:
    inner = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in inner:
        if isinstance(value, (dict, list)):
            yield from leaves(value, (*path, key))
        else:
            yield (*path, key), value


LEAVES = list(leaves(BASE))
NUMBERS = [path for path, value in LEAVES if type(value) in (int, float)]


def changed(data: Any, path: Path_, value: Any) -> Any:
    inner = data
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return data


def takes_any_text(path: Path_) -> bool:
    """Whether a text is free: others are checked against the words that there are."""
    try:
        check(RunReport, changed(copy.deepcopy(BASE), path, "any"))
    except MismatchError:
        return False
    return path not in (("schema",), ("torch",))


TEXTS_WITHIN = [path for path, value in LEAVES if isinstance(value, str) and takes_any_text(path)]


def full_of(text: str) -> Any:
    """The report with a text in each place that takes any."""
    report = copy.deepcopy(BASE)
    for path in TEXTS_WITHIN:
        changed(report, path, f"{text} {path[1]}" if path[-1] == "id" else text)
    report["contracts"][0]["packages"] = {text: text}
    report["contracts"][-1]["violations"] = BASE["contracts"][-1]["violations"]
    return report


Run = Callable[[Any, list[str]], Iterator[tuple[str, int, str]]]


@pytest.fixture
def told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> Run:
    """Runs commands on a report, and gives for each its status and all that it said and wrote."""
    monkeypatch.chdir(tmp_path)
    Path("base.json").write_text(json.dumps(BASE))

    def run(report: Any, commands: list[str]) -> Iterator[tuple[str, int, str]]:
        Path("r.json").write_text(json.dumps(report))
        for command in commands:
            Path("new.yaml").unlink(missing_ok=True)
            main(["baseline", "known.yaml", "base.json", "--update", "new", "--in-ci"])
            capsysbinary.readouterr()
            status = main(command.split())
            said = capsysbinary.readouterr()
            files = [Path(name) for name in command.split() if name in WRITTEN]
            wrote = b"".join(each.read_bytes() for each in files if each.exists())
            yield command, status, (said.out + said.err + wrote).decode()

    return run


def test_the_report_is_one_that_all_commands_take(told: Run) -> None:
    assert len(TEXTS_WITHIN) > 200
    answers = list(told(BASE, COMMANDS))
    assert all(status < 2 for _, status, _ in answers)
    (wrote,) = (words for command, _, words in answers if "new.yaml" in command)
    assert wrote.count('- {"contract": ') == 1


@pytest.mark.parametrize("text", [*STEERING, *OF_FORMATS], ids=ascii)
def test_nothing_steers_the_terminal_of_whoever_reads(text: str, told: Run) -> None:
    for command, status, words in told(full_of(text), COMMANDS):
        assert status < 2, command
        assert "new.yaml" not in command or words.count('- {"contract": ') == 1
        found = STEERS.search(words)
        assert found is None, (command, words[found.start() - 50 : found.end() + 20])


@pytest.mark.parametrize("text", STEERING, ids=ascii)
def test_nor_does_the_release_of_torch(text: str, told: Run) -> None:
    for command, status, words in told({**BASE, "torch": text}, COMMANDS):
        assert status < 2 or command.startswith(("merge r.json base", "baseline")), command
        assert STEERS.search(words) is None, command


@pytest.mark.parametrize("text", [*STEERING, *OF_FORMATS], ids=ascii)
def test_annotations_are_one_command_a_line(text: str, told: Run) -> None:
    ((_, _, words),) = told(full_of(text), ["render r.json --to github"])
    for each in filter(None, words.split("\n")):
        assert re.match(r"::(error|warning|notice) (\w+=[^,:\n]*,?)*::", each), each
        assert "\r" not in each


@pytest.mark.slow
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=25
)
@given(
    path=st.sampled_from(NUMBERS),
    value=st.sampled_from(
        [-1, 0, 2**63, 10**30, 10**400, -(10**18), float("nan"), float("inf"), 1e308, -1e308]
    ),
)
def test_numbers_beyond_all_measure(path: Path_, value: float, told: Run) -> None:
    for command, status, words in told(changed(copy.deepcopy(BASE), path, value), COMMANDS):
        assert status in (0, 1, 2), command
        assert "could not be made" not in words, command


@pytest.mark.slow
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=40
)
@given(
    path=st.sampled_from(LEAVES).flatmap(
        lambda leaf: st.integers(1, len(leaf[0])).map(lambda length: leaf[0][:length])
    ),
    value=st.sampled_from([None, [], {}, "x", 5, True, [[]], {"\x1b[2J": {"b": [1]}}, "\x1b[2J"]),
)
def test_values_of_another_type(path: Path_, value: Any, told: Run) -> None:
    for command, status, words in told(changed(copy.deepcopy(BASE), path, value), COMMANDS):
        assert status in (0, 1, 2), command
        assert STEERS.search(words) is None, command


def test_a_report_is_read_from_a_pipe(tmp_path: Path) -> None:
    """As a shell gives one: `compilecheck render <(zcat report.json.gz) --to html`."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    Thread(target=path.write_text, args=[json.dumps(BASE)], daemon=True).start()
    assert len(read_report(path).contracts) == len(BASE["contracts"])
