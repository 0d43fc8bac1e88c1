"""The files in contracts/; what they hold is seen with `pytest --compilecheck contracts`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from pytest_compilecheck.contract.file.load import load_contracts
from pytest_compilecheck.contract.file.values import FileContract

FOLDER = Path(__file__).parent.parent / "contracts"
BASE = FOLDER / "base.contract.yaml"
MODELS = sorted(set(FOLDER.glob("*.contract.yaml")) - {BASE})
RELEASES = json.loads((FOLDER.parent / "tools" / "releases.json").read_text("utf-8"))

each_model = pytest.mark.parametrize("path", MODELS, ids=lambda path: path.name.split(".")[0])


def contracts_of(path: Path) -> tuple[FileContract, ...]:
    return load_contracts(path).contracts


def test_there_are_models_of_every_kind() -> None:
    packages = [re.split("[.:]", contracts_of(path)[0].target.path)[0] for path in MODELS]
    assert len(MODELS) >= 15
    assert {"transformers", "diffusers", "torch", "einops"} == set(packages)


def test_the_base_is_for_extends_alone() -> None:
    assert contracts_of(BASE) == ()


@each_model
def test_a_model_is_held_over_several_sizes(path: Path) -> None:
    first = contracts_of(path)[0]
    assert first.name in ("prefill", "forward")
    steps = first.contract().trace.steps
    assert len({tuple(step.sizes().values()) for step in steps}) >= 3


@each_model
def test_a_model_names_the_package_it_comes_from(path: Path) -> None:
    for contract in contracts_of(path):
        package = re.split("[.:]", contract.target.path)[0]
        assert package == "torch" or package in contract.requires, contract.id


@each_model
@pytest.mark.parametrize("release", RELEASES["contracts"])
def test_bounds_are_held_under_each_release(path: Path, release: str) -> None:
    for source in contracts_of(path):
        contract = source.contract(torch_version=release)
        bounds = (contract.max_graph_breaks, contract.max_recompiles, contract.max_graphs)
        assert None not in [bound.value for bound in bounds], source.id


@each_model
def test_an_editor_finds_the_schema(path: Path) -> None:
    first = path.read_text(encoding="utf-8").splitlines()[0]
    schema = first.removeprefix("# yaml-language-server: $schema=")
    assert (FOLDER / schema).is_file()
