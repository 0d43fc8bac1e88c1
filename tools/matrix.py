"""Runs the suite under one combination of torch, Python and pytest, and tables what came of it.

    python tools/matrix.py list                                  # the combinations
    python tools/matrix.py run --torch 2.8.0 --interpreter python3.10 --pytest 8.4
    python tools/matrix.py run --python .venv/bin/python -- tests/cases
    python tools/matrix.py table                                 # writes docs/releases.md

`run` makes an environment with venv and pip, unless `--python` names the interpreter of one that is
ready, and writes a row to tools/rows. What follows `--` goes to pytest: a part of the suite, which
the row names. CPU builds of torch are those of https://download.pytorch.org/whl/cpu, by
`PIP_EXTRA_INDEX_URL`. The lists stand in tools/releases.json; nox takes them from there.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
RELEASES: Final = ROOT / "tools" / "releases.json"
ROWS: Final = ROOT / "tools" / "rows"
PAGE: Final = ROOT / "docs" / "releases.md"
_WHOLE: Final = "whole suite"
_ALL: Final = "slow or not slow"
_VERSIONS: Final = (
    "import json, platform, pytest, torch;"
    "print(json.dumps([torch.__version__, platform.python_version(), pytest.__version__]))"
)


@dataclass(frozen=True, slots=True, order=True)
class Combination:
    """Releases that are tried together, as "2.13.0", "3.11" and "9" (the newest of that major)."""

    torch: str
    python: str
    pytest: str

    def covers(self, row: Row) -> bool:
        """Whether a row is of these releases."""
        torch = row.torch.partition("+")[0]
        pairs = (self.python, row.python), (self.pytest, row.pytest)
        return torch == self.torch and all(f"{has}.".startswith(f"{of}.") for of, has in pairs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What one run gave: the versions found, which tests, and how many of each outcome."""

    torch: str
    python: str
    pytest: str
    tests: str
    passed: int
    failed: int
    skipped: int
    seconds: float

    @property
    def outcome(self) -> str:
        """In a word or two."""
        if self.failed:
            return f"{self.failed} failed"
        return "passed" if self.passed else "nothing ran"

    @property
    def name(self) -> str:
        """Of its file."""
        return f"torch-{self.torch}-python-{self.python}-pytest-{self.pytest}.json"


def combinations(lists: dict[str, Any]) -> list[Combination]:
    """The centre, what differs from it in one release, and the corners; each once."""
    centre = lists["centre"]
    axes = [
        {**centre, axis: each} for axis in ("torch", "python", "pytest") for each in lists[axis]
    ]
    return list(dict.fromkeys(Combination(**each) for each in (centre, *axes, *lists["corners"])))


def read_lists() -> dict[str, Any]:
    """The lists of releases."""
    lists: dict[str, Any] = json.loads(RELEASES.read_text(encoding="utf-8"))
    return lists


def read_rows() -> list[Row]:
    """All rows that runs have left."""
    return [Row(**json.loads(path.read_text(encoding="utf-8"))) for path in ROWS.glob("*.json")]


def environment(folder: Path, interpreter: str, torch: str, pytest: str) -> str:
    """Make a virtual environment with this Python and these releases; its interpreter."""
    _call(interpreter, "-m", "venv", str(folder))
    scripts = folder / ("Scripts" if os.name == "nt" else "bin")
    python = str(scripts / "python")
    pins = f"torch=={torch}", f"pytest=={pytest}.*"
    _call(python, "-m", "pip", "install", "-q", *pins, ".[test-any-torch]")
    return python


def run(python: str, arguments: Sequence[str]) -> Row:
    """Run the suite, or the part that the arguments of pytest choose."""
    found = subprocess.check_output([python, "-c", _VERSIONS], cwd=ROOT)  # noqa: S603 - as typed
    torch, release, runner = json.loads(found)
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "junit.xml"
        # The source of this checkout, whatever a ready environment has installed.
        env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
        command = [python, "-m", "pytest", "-q", "-m", _ALL, f"--junit-xml={report}", *arguments]
        subprocess.run(command, check=False, cwd=ROOT, env=env)  # noqa: S603 - as typed
        if not report.exists():
            raise SystemExit("pytest wrote no report: see above")
        counts = _counts(report)
    tests = " ".join(arguments) or _WHOLE
    return Row(torch=torch, python=release, pytest=runner, tests=tests, **counts)


def _counts(report: Path) -> dict[str, Any]:
    suite = next(ET.parse(report).getroot().iter("testsuite")).attrib  # noqa: S314 - pytest's own
    failed = int(suite["failures"]) + int(suite["errors"])
    skipped = int(suite["skipped"])
    return {
        "passed": int(suite["tests"]) - failed - skipped,
        "failed": failed,
        "skipped": skipped,
        "seconds": round(float(suite["time"]), 1),
    }


def page(lists: dict[str, Any], rows: Sequence[Row]) -> str:
    """The page in Markdown: each combination, run or not, then rows of other releases."""
    chosen = combinations(lists)
    parts = _parts(rows)
    rows = [replace(row, tests=parts.get(row.tests, row.tests)) for row in rows]
    lines = [line for each in chosen for line in _lines(each, rows)]
    other = [row for row in rows if not any(each.covers(row) for each in chosen)]
    lines += map(_line, sorted(other, key=lambda row: row.name))
    legend = [f"\n{name}: {_named(tests)}." for tests, name in parts.items()]
    return "\n".join([_HEAD, *lines, *legend, ""])


def _parts(rows: Sequence[Row]) -> dict[str, str]:
    """Names for parts of the suite of more than one file, which stand below the table."""
    longer = sorted({row.tests for row in rows if " " in row.tests} - {_WHOLE})
    return {tests: f"part {number}" for number, tests in enumerate(longer, start=1)}


def _named(tests: str) -> str:
    return ", ".join(f"`{each}`" for each in tests.split())


def _lines(combination: Combination, rows: Sequence[Row]) -> Iterator[str]:
    found = sorted((row for row in rows if combination.covers(row)), key=lambda row: row.name)
    if not found:
        missing = combination.torch, combination.python, combination.pytest, "", "not run yet"
        yield _cells(*missing, "", "", "")
    yield from map(_line, found)


def _line(row: Row) -> str:
    figures = str(row.passed), str(row.skipped), f"{row.seconds:g}"
    return _cells(row.torch, row.python, row.pytest, row.tests, row.outcome, *figures)


def _cells(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


_HEAD: Final = """\
# Releases of torch, Python and pytest

Which combinations the tests were run under, and how much of the suite. The first line is the
centre; then one release at a time differs from it; the corners come last.
`python tools/matrix.py table` writes this page from the rows that `python tools/matrix.py run`
leaves in `tools/rows`. A part of the suite may have grown between two rows.

| torch | Python | pytest | what was run | outcome | passed | skipped | seconds |
|---|---|---|---|---|--:|--:|--:|"""


def main() -> None:
    """Do what the command line says."""
    options, arguments = _parser().parse_known_args()
    if options.command == "list":
        for each in combinations(read_lists()):
            sys.stdout.write(f"torch {each.torch}, Python {each.python}, pytest {each.pytest}\n")
    elif options.command == "table":
        PAGE.write_text(page(read_lists(), read_rows()), encoding="utf-8")
    else:
        _run(options, [each for each in arguments if each != "--"])


def _run(options: argparse.Namespace, arguments: Sequence[str]) -> None:
    centre = read_lists()["centre"]
    with tempfile.TemporaryDirectory() as folder:
        releases = options.torch or centre["torch"], options.pytest or centre["pytest"]
        python = options.python or environment(Path(folder), options.interpreter, *releases)
        row = run(python, arguments)
    ROWS.mkdir(exist_ok=True)
    (ROWS / row.name).write_text(json.dumps(asdict(row), indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(f"{_line(row)}\n")
    if row.failed:
        raise SystemExit(1)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="print the combinations")
    commands.add_parser("table", help="write docs/releases.md from the rows")
    run_ = commands.add_parser("run", help="run the suite under one of them")
    run_.add_argument("--python", help="interpreter of an environment that has all it needs")
    run_.add_argument("--torch", help="release of torch for a new environment")
    run_.add_argument("--pytest", help="release of pytest for it, as 8.4 or 9")
    run_.add_argument("--interpreter", default=sys.executable, help="the Python that makes it")
    return parser


def _call(*command: str) -> None:
    subprocess.run(command, check=True, cwd=ROOT)  # noqa: S603 - of our own making


if __name__ == "__main__":
    main()
