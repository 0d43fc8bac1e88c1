"""Starts the process that measures one policy, follows it, and reads what it wrote."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_compilecheck.environment import INDUCTOR, POLICY_REQUEST, TRITON
from pytest_compilecheck.policies.measured import PolicyRun
from pytest_compilecheck.pytest_layer.policies.child import PROGRAM
from pytest_compilecheck.pytest_layer.policies.request import request_for
from pytest_compilecheck.pytest_layer.running.inductor_cache import temporary_directory

Heard = Callable[[str, int, int], None]
"""Hears what the process is at: "first pass", steps done, of how many."""

_LOOKS: Final = 0.25  # seconds between two looks at a process
_LINES: Final = 3  # of what a failed process said last


def measured(item: pytest.Item, policy: str, timeout: float, heard: Heard) -> tuple[PolicyRun, str]:
    """What a process of its own measures of one policy, and the device; it never raises for it.

    The process has caches of its own for what Inductor and Triton compile, so that it compiles.
    """
    with temporary_directory("policy") as made:
        folder = Path(made)
        asked = request_for(item, policy, folder)
        asked.write(folder / "request.json")
        said = folder / "said.txt"
        status = _run(item, folder, said, timeout, lambda: _hear(asked.progress, heard))
        try:
            found = json.loads(Path(asked.output).read_text(encoding="utf-8"))
            return PolicyRun.from_dict(found["run"]), str(found["device"])
        except FileNotFoundError:
            error = _why(status, said, timeout)
            return PolicyRun(policy=policy, error=error), "cpu"


def _run(
    item: pytest.Item, folder: Path, said: Path, timeout: float, look: Callable[[], None]
) -> int | None:
    """The exit status of the process, None where it took too long."""
    command = [sys.executable, "-c", PROGRAM, str(folder / "request.json")]
    until = time.monotonic() + timeout
    with (
        said.open("wb") as output,
        subprocess.Popen(  # noqa: S603 - our own program in this Python
            command,
            cwd=item.config.invocation_params.dir,
            env=_environment(folder),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # its compile workers are ended with it
        ) as process,
    ):
        try:
            while time.monotonic() < until:
                with suppress(subprocess.TimeoutExpired):
                    return process.wait(_LOOKS)
                look()
            return None
        finally:
            _end(process)


def _environment(folder: Path) -> dict[str, str]:
    """That of this process, without what pytest and xdist tell of this run."""
    of_run = ("PYTEST_XDIST_", "PYTEST_CURRENT_TEST", "PYTEST_ADDOPTS", "COV_CORE_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(of_run)}
    ours = {
        POLICY_REQUEST: str(folder / "request.json"),
        INDUCTOR: str(folder / "inductor"),
        TRITON: str(folder / "triton"),
    }
    return {**kept, **ours}


def _end(process: subprocess.Popen[Any]) -> None:
    if process.poll() is not None:
        return
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()


def _hear(progress: str, heard: Heard) -> None:
    # It may not be there yet, or be half written.
    with suppress(OSError, ValueError):
        told = json.loads(Path(progress).read_text(encoding="utf-8"))
        heard(told["phase"], told["done"], told["of"])


def _why(status: int | None, said: Path, timeout: float) -> str:
    """Why nothing was measured: how the process ended, and what it said last."""
    if status is None:
        more = "--compilecheck-policies-timeout gives it more"
        return f"its process was ended after {timeout:g} s: {more}"
    how = f"ended with status {status}"
    if status < 0:
        with suppress(ValueError):
            how = f"was ended by {signal.Signals(-status).name}"
    lines = said.read_text(encoding="utf-8", errors="replace").splitlines()
    last = [line.strip() for line in lines if line.strip()][-_LINES:]
    told = f"its process {how}, and measured nothing"
    return ": ".join([told, " | ".join(last)]) if last else told
