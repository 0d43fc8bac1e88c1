from __future__ import annotations

import platform
from importlib.metadata import version
from pathlib import Path

import pytest

from pytest_compilecheck.pytest_layer.ending.header import header_text
from pytest_compilecheck.pytest_layer.installed import torch_version
from pytest_compilecheck.pytest_layer.settings import Settings


@pytest.mark.parametrize(
    ("settings", "modes"),
    [
        (Settings(active=True), "backend eager, contracts held"),
        (
            Settings(active=True, warn=True, backend="inductor"),
            "backend inductor, contracts reported only",
        ),
        (Settings(active=True, strict=True), "backend eager, contracts held, strict"),
        (Settings(audit=True), "backend eager, every test watched"),
        (
            Settings(active=True, audit=True, baseline=Path("known.yaml")),
            "backend eager, contracts held, every test watched, baseline known.yaml",
        ),
    ],
)
def test_versions_and_modes(settings: Settings, modes: str) -> None:
    versions = f"torch {torch_version()}, python {platform.python_version()}"
    ours = version("pytest-compilecheck")
    assert header_text(settings) == f"compilecheck {ours}: {versions}, {modes}"
