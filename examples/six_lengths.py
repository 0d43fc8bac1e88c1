"""The experiment of `test_six_lengths.py`, from one command, with all that came of it in a folder.

python examples/six_lengths.py FOLDER
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

from pytest_compilecheck.cli import main as compilecheck
from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.judge.run_report import RunReport
from pytest_compilecheck.policies.measured import PolicyRun
from pytest_compilecheck.report.document import read_report
from pytest_compilecheck.report.policies.text import policies_lines
from pytest_compilecheck.report.style import plain

HERE = Path(__file__).parent
PROGRAM = ("test_six_lengths.py", "test_attention_lengths.py", "six_lengths.csv")


def main(folder: Path) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    for name in PROGRAM:
        shutil.copy(HERE / name, folder)
    document, page = folder / "report.json", folder / "report.html"
    reports = [f"--compilecheck-report={each.suffix[1:]}:{each}" for each in (document, page)]
    test = str(HERE / PROGRAM[0])
    options = ["--compilecheck", "--compilecheck-policies", *reports]
    status = subprocess.run([sys.executable, "-m", "pytest", *options, test], check=False)
    if not document.exists():
        return status.returncode
    report = read_report(document)
    write_logs(folder / "logs.json", report)
    told = [plain(policies_lines(record, verbose=True)) for record in report.contracts]
    (folder / "causes.txt").write_text("\n\n".join(told) + "\n", encoding="utf-8")
    drawn = [draw(document, record, folder) for record in report.contracts]
    return status.returncode or max(drawn)


def draw(document: Path, record: ContractRecord, folder: Path) -> int:
    """Latency per call, variants and memory, as one picture of a contract."""
    picture = folder / f"{record.id.rpartition('::')[2]}.svg"
    chosen = ["--to", "svg", "--contract", record.id, "-o", str(picture)]
    return compilecheck(["render", str(document), *chosen])


def write_logs(file: Path, report: RunReport) -> None:
    """What each call compiled, broke and guarded: the counts behind the pictures."""
    logs = {
        record.id: {run.policy: counts(run) for run in record.policies.runs}
        for record in report.contracts
        if record.policies is not None
    }
    file.write_text(json.dumps(logs, indent=1) + "\n", encoding="utf-8")


def counts(run: PolicyRun) -> dict[str, object]:
    return {
        "graph_breaks": run.graph_breaks,
        "recompiles": run.recompiles,
        "variants": run.variants,
        "guards": sum(call.guards for call in run.calls),
        "calls": [
            {
                "call": call.call,
                "sizes": call.sizes,
                "kind": call.kind,
                "seconds": call.seconds,
                "compile_seconds": call.compile_seconds,
                "backend_seconds": call.backend_seconds,
                "guards": call.guards,
                "launches": call.launches,
                "mechanism": call.mechanism,
                "detail": call.detail,
                "memory": call.memory,
            }
            for call in run.calls
        ],
        "warm": [{"step": each.step, "median": each.median} for each in run.warm],
    }


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python examples/six_lengths.py FOLDER")
    sys.exit(main(Path(sys.argv[1])))
