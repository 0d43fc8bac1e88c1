"""CPU time of a process of its own."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence


def cpu_seconds(command: Sequence[str], directory: str, **environment: str) -> float:
    """Seconds, user and system, of a command in a directory; RuntimeError where it fails."""
    process = subprocess.Popen(  # noqa: S603 - commands of the benchmarks, on files made by them
        command,
        cwd=directory,
        env={**os.environ, **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}")
    return used.ru_utime + used.ru_stime
