from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import pytest
from torch._inductor.runtime.cache_dir_utils import cache_dir, default_cache_dir

from pytest_compilecheck.environment import INDUCTOR, TRITON
from pytest_compilecheck.observe.running.inductor_cache import cache_in, chosen_directory


def variables() -> tuple[str | None, str | None]:
    return os.environ.get(INDUCTOR), os.environ.get(TRITON)


@pytest.fixture(autouse=True)
def _nothing_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (INDUCTOR, TRITON):
        monkeypatch.delenv(name, raising=False)


def test_torch_keeps_its_files_in_the_directory_as_long_as_the_block_lasts(tmp_path: Path) -> None:
    own = tmp_path / "own"
    with cache_in(str(own)):
        assert cache_dir() == str(own)
        assert own.is_dir()
        assert variables() == (str(own), str(own / "triton"))
    assert variables() == (None, None)


def test_what_torch_writes_into_the_variable_is_nobodys_choice() -> None:
    assert chosen_directory() is None
    assert cache_dir() == default_cache_dir()
    assert os.environ[INDUCTOR] == default_cache_dir()
    assert chosen_directory() is None


def test_a_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    beside_the_default = default_cache_dir() + "_mine"
    monkeypatch.setenv(INDUCTOR, beside_the_default)
    assert chosen_directory() == beside_the_default


def test_values_are_put_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen, of_triton = str(tmp_path / "chosen"), os.path.join(default_cache_dir(), "triton", "0")
    monkeypatch.setenv(INDUCTOR, chosen)
    monkeypatch.setenv(TRITON, of_triton)  # by torch, when Inductor first used Triton
    with suppress(ValueError), cache_in(str(tmp_path / "own")):
        assert variables() == (str(tmp_path / "own"), str(tmp_path / "own" / "triton"))
        raise ValueError
    assert variables() == (chosen, of_triton)


def test_a_directory_chosen_for_triton_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(TRITON, str(tmp_path))
    with cache_in(str(tmp_path / "own")):
        assert variables() == (str(tmp_path / "own"), str(tmp_path))
    assert variables() == (None, str(tmp_path))


def test_what_somebody_sets_in_the_block_is_theirs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = str(tmp_path / "theirs")
    with cache_in(str(tmp_path / "own")):
        monkeypatch.setenv(INDUCTOR, theirs)
    assert variables() == (theirs, None)
