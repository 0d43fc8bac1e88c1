"""What a backend changes in the contracts of the examples, as a page in Markdown.

    python benchmarks/backends.py > docs/backends.md

Runs `pytest --compilecheck` once for each backend; inductor takes ten minutes. `--reports` names a
folder that keeps the reports; one that is there already is read instead of a run.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tabulate import tabulate

BACKENDS = ("eager", "aot_eager", "inductor")
Record = dict[str, Any]  # one contract of a report, as the report's schema describes it
Contracts = Mapping[str, Record]


@dataclass(frozen=True, slots=True)
class Figure:
    """What is compared of each contract: a number, or a text for each thing that is counted."""

    name: str
    of: Callable[[Record], int | list[str]]
    why: str = ""  # printed where a difference was seen

    def amount(self, contract: Record) -> int:
        """The figure as a number, to be added up over contracts."""
        value = self.of(contract["observed"])
        return value if isinstance(value, int) else len(value)

    def show(self, contract: Record) -> str:
        """The figure as it stands beside that of another backend."""
        value = self.of(contract["observed"])
        if isinstance(value, int):
            return str(value)
        return f"{len(value)}: {'; '.join(value)}" if value else "0"


FIGURES = (
    Figure("break sites", lambda seen: [_place(at, at["reason"]) for at in seen["break_sites"]]),
    Figure(
        "recompiles",
        lambda seen: seen["recompiles"],
        "Inductor may give an output of a graph other strides than eager PyTorch does; aot_eager "
        "keeps eager's. Where the output comes back as an input, as the keys and values of a cache "
        "do, a guard on its strides fails. In `test_generate.py` it is that of the prefill's keys: "
        "`TORCH_LOGS=recompiles` names it, without the plugin too.",
    ),
    Figure(
        "recompile events",
        lambda seen: [_place(at, f"`{at['source']}`") for at in seen["recompile_events"]],
    ),
    Figure("fallbacks", lambda seen: [_place(at, at["kind"]) for at in seen["fallbacks"]]),
    Figure("graphs", lambda seen: seen["graphs"], "One for each rebuild."),
    Figure(
        "captured operations",
        lambda seen: seen["captured_ops"],
        "With `dynamic=True` a Python float, such as the `eps` of a `LayerNorm`, is an input of "
        "the graph, read by an operation `item`. AOTAutograd, which eager lacks, turns it into "
        "tensor arithmetic or, where it cannot, has Dynamo trace again with the float as a "
        "constant (`torch/fx/passes/_tensorify_python_scalars.py`): `item` is gone.",
    ),
    Figure(
        "fragile guards", lambda seen: [f"`{each['source']}`" for each in seen["fragile_guards"]]
    ),
    Figure(
        "backward graphs",
        lambda seen: seen["backward_graphs"],
        "With eager, autograd runs the backward and nothing compiles it. AOTAutograd traces one "
        "along with a forward whose inputs or parameters require a gradient. It is compiled at "
        "once where it needs a size that is a symbol, otherwise when it is first called "
        "(`torch/_functorch/_aot_autograd/graph_compile.py`).",
    ),
)


TITLE = """# What a backend changes

Dynamo breaks graphs and sets guards before a backend sees the graph. So `eager` is what a contract
takes by default: it is fast and needs no C++ compiler. What a backend can still change is what the
next call is given. This page compares the same contracts with three backends."""


def main() -> None:
    """Run what has no report yet, and print the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--reports", type=Path, help="folder that keeps the JSON reports")
    parser.add_argument("tests", nargs="*", default=["examples"], help="what pytest is given")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.reports or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        reports = [_report(folder / f"{name}.json", name, options.tests) for name in BACKENDS]
    print(_page(reports, " ".join(options.tests)))


def _report(path: Path, backend: str, tests: Sequence[str]) -> Record:
    if not path.exists():
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", "--compilecheck"]
        command += [f"--compilecheck-backend={backend}", f"--compilecheck-json={path}", *tests]
        subprocess.run(command, stdout=sys.stderr, check=False)  # noqa: S603
    report: Record = json.loads(path.read_text(encoding="utf-8"))
    return report


def _page(reports: Sequence[Record], tests: str) -> str:
    """The page, of one report for each backend in their order."""
    runs = [_contracts(report) for report in reports]
    names = sorted(set(runs[0]).intersection(*runs[1:]))
    lost = sorted(set().union(*runs).difference(names))
    watched = sum(runs[0][name]["contract"]["watch_only"] for name in names)
    rows = list(_differences(runs, names))
    notes = {each.name: each.why for each in FIGURES if each.why}
    made_of = (
        f"Made by `python benchmarks/backends.py`: torch {reports[0]['torch']}, Python "
        f"{reports[0]['python']}, CPU, the {len(names)} contracts of `{tests}`. {watched} of them "
        "watch code that compiles itself; where it names a backend, that is the same in each run."
    )
    if lost:
        names_of_lost = ", ".join(f"`{name}`" for name in lost)
        made_of += f" Left out, since a test had failed before them in one run: {names_of_lost}."
    parts = [
        TITLE,
        made_of,
        _table(["sum over the contracts", *BACKENDS], list(_totals(runs, names))),
        "Seconds are wall time of one run on a shared machine.",
        "## Each contract that differs",
        _table(["contract", "figure", *BACKENDS], rows),
        "## Why",
        "\n".join(
            f"- **{name}**: {notes[name]}" for name in notes if name in {row[1] for row in rows}
        ),
    ]
    return "\n\n".join(parts)


def _totals(runs: Sequence[Contracts], names: Sequence[str]) -> Iterator[list[object]]:
    yield ["passed", *(sum(_outcome(run[name]) == "passed" for name in names) for run in runs)]
    for figure in FIGURES:
        yield [figure.name, *(sum(figure.amount(run[name]) for name in names) for run in runs)]
    seconds = [sum(_compiling(run[name]) for name in names) for run in runs]
    yield ["seconds of compiling", *(f"{each:.0f}" for each in seconds)]


def _contracts(report: Record) -> Contracts:
    """The contracts of a report by a name that fits into a table."""
    return {
        " ".join(filter(None, (each["id"].rpartition("/")[2], each["part"]))): each
        for each in report["contracts"]
    }


def _differences(runs: Sequence[Contracts], names: Sequence[str]) -> Iterator[list[str]]:
    for name in names:
        shown = [("outcome", [_outcome(run[name]) for run in runs])]
        shown += [(figure.name, [figure.show(run[name]) for run in runs]) for figure in FIGURES]
        for figure, values in shown:
            if len(set(values)) > 1:
                yield [f"`{name}`", figure, *values]


def _outcome(contract: Record) -> str:
    return "; ".join([contract["outcome"], *(each["message"] for each in contract["violations"])])


def _place(at: Record, what: str) -> str:
    return f"{what} in {Path(at['file']).name}:{at['line']}"


def _compiling(contract: Record) -> float:
    return sum(call["compile_seconds"] for call in contract["observed"]["timeline"])


def _table(headers: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    escaped = [[str(cell).replace("|", "\\|") for cell in row] for row in rows]
    return tabulate(escaped, headers=headers, tablefmt="pipe", disable_numparse=True)


if __name__ == "__main__":
    main()
