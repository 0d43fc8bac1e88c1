"""The soak: what it takes for the same, and that it runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from soak.contracts import steady, unlike  # noqa: E402
from soak.counts import counts, differing  # noqa: E402


def record(id_: str, *, graphs: int = 1, seconds: float = 0.5, part: str | None = None) -> Any:
    observed = {"graphs": graphs, "timeline": [{"kind": "compile", "seconds": seconds}]}
    return {
        "id": id_,
        "part": part,
        "outcome": "passed",
        "observed": observed,
        "violations": [],
        "allowed": [],
    }


@pytest.fixture
def read(tmp_path: Path) -> Any:
    def read(*records: Any) -> dict[str, str]:
        path = tmp_path / "report.json"
        path.write_text(json.dumps({"contracts": records}), encoding="utf-8")
        return counts(path)

    return read


def test_times_are_no_difference_and_counts_are(read: Any) -> None:
    first = read(record("a"), record("b"), record("b", part="warm"))
    assert differing(first, read(*map(record, "ab"), record("b", part="warm", seconds=2.0))) == []
    assert differing(first, read(record("a", graphs=2), record("b"))) == ["a", "b warm"]


def test_contracts_of_one_kind_count_the_same(read: Any) -> None:
    seen = read(record("t.py::test_a[0]"), record("t.py::test_a[1]"), record("t.py::test_m_0001"))
    assert [len(ways) for ways in unlike(seen).values()] == [1, 1]
    seen = read(record("t.py::test_a[0]"), record("t.py::test_a[1]", graphs=2))
    assert [len(ways) for ways in unlike(seen).values()] == [2]


HELD: dict[str, Any] = {
    "megabytes": 400.0,
    "objects": 400_000,
    "files": 13,
    "threads": 2,
    "python threads": 2,
    "grad mode": True,
    "recompile limit": 8,
}


@pytest.mark.parametrize("changed", [{}, {"files": 14}, {"threads": 3}, {"grad mode": False}])
def test_what_a_process_must_not_gather(changed: dict[str, Any]) -> None:
    assert steady([HELD, HELD, {**HELD, **changed}]) is (not changed)


@pytest.mark.slow
def test_it_runs(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "soak", "contracts", "--contracts", "10"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'src'}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "8 passed, 2 xfailed" in done.stdout
    assert "records: 11, of 11 kinds" in done.stdout
    assert "files, threads and settings: the same all the time" in done.stdout
    assert done.returncode == 0, done.stdout + done.stderr
