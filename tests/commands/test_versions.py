"""`compilecheck --version` says what a bug report needs."""

from __future__ import annotations

import importlib.metadata
import sys

import pytest

from pytest_compilecheck.cli import main

PYTHON = ".".join(map(str, sys.version_info[:3]))


def test_what_is_installed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    ours, torch, runner = map(
        importlib.metadata.version, ("pytest-compilecheck", "torch", "pytest")
    )
    told = f"Python {PYTHON}, pytest-compilecheck {ours}, torch {torch}, pytest {runner}\n"
    assert capsys.readouterr().out == told


def test_what_is_missing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    with pytest.raises(SystemExit):
        main(["--version"])
    told = f"Python {PYTHON}, no pytest-compilecheck, no torch, no pytest\n"
    assert capsys.readouterr().out == told
