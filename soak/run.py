"""Runs pytest with contracts held."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from soak.counts import Counts, counts

ROOT = Path(__file__).resolve().parent.parent
_PATHS = str(ROOT / "soak" / "suite"), str(ROOT / "src")


def held(
    arguments: Sequence[str], report: Path, env: Mapping[str, str] | None = None
) -> tuple[Counts, str]:
    """What the contracts counted, and the last line that pytest printed."""
    command = [sys.executable, "-m", "pytest", "-q", "--compilecheck", "-p", "no:cacheprovider"]
    command += [f"--compilecheck-json={report}", *arguments]
    old = filter(None, [os.environ.get("PYTHONPATH")])
    done = subprocess.run(  # noqa: S603 - as typed
        command,
        cwd=ROOT,
        env={**os.environ, **(env or {}), "PYTHONPATH": os.pathsep.join([*_PATHS, *old])},
        capture_output=True,
        text=True,
        check=False,
    )
    seen = counts(report) if done.returncode in (0, 1) and report.exists() else {}
    if not seen:
        raise SystemExit(done.stdout[-3000:] + done.stderr[-3000:])
    return seen, done.stdout.strip().splitlines()[-1]
