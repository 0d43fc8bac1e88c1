"""Runs pytest in a pseudo-terminal, and reads what a person sees there."""

from __future__ import annotations

import os
import pty
import re
import struct
import sys
import termios
from collections.abc import Sequence
from fcntl import ioctl
from pathlib import Path

_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def run_in_terminal(
    folder: Path, arguments: Sequence[str], *, columns: int, interrupt_at: str | None = None
) -> tuple[int, str]:
    """pytest's exit status and all that it wrote, without colours.

    Ctrl-C is pressed as soon as `interrupt_at` is read.
    """
    pid, terminal = pty.fork()
    if pid == 0:  # pragma: no cover - this process is replaced
        os.chdir(folder)
        ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        # Without the size of another terminal, which readline may have put there past Python.
        own = {name: each for name, each in os.environ.items() if name not in ("COLUMNS", "LINES")}
        given = {**own, "TERM": "xterm", "PYTEST_ADDOPTS": ""}
        command = [sys.executable, "-m", "pytest", *arguments]
        os.execve(command[0], command, given)
    written = b""
    try:
        while part := _read(terminal):
            written += part
            if interrupt_at is not None and interrupt_at.encode() in written:
                os.write(terminal, b"\x03")
                interrupt_at = None
    finally:
        os.close(terminal)  # who still writes to it is ended
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status), _ESCAPES.sub("", written.decode("utf-8", "replace"))


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux says so at the end
        return b""


def screen(written: str, *, columns: int) -> list[str]:
    """The lines that are there in the end, blanks at their ends left out.

    What goes beyond the end of a line goes on in the next one, and a carriage return goes back to
    the start of the last one alone.
    """
    lines = [""]
    at = 0
    for char in written:
        if char == "\n":
            lines.append("")
            at = 0
        elif char == "\r":
            at = 0
        else:
            if at == columns:
                lines.append("")
                at = 0
            lines[-1] = lines[-1][:at] + char + lines[-1][at + 1 :]
            at += 1
    return [line.rstrip() for line in lines]
