"""The contracts of docs/gpu.md run where there is a GPU, and where there is none."""

from __future__ import annotations

import pytest
import torch

from pytest_layer.pages import written
from pytest_layer.projects import Project


def test_contracts_run_where_they_are(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    written("gpu.md", project)
    monkeypatch.syspath_prepend(project.path)
    result = project.run("-rs", "test_mlp.py", "contracts")
    if torch.cuda.is_available():
        result.assert_outcomes(passed=2)
    else:
        result.assert_outcomes(passed=1, skipped=1)
        result.stdout.fnmatch_lines(["SKIPPED*the device 'cuda' cannot be used*"])
