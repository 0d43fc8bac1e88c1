"""A baseline on disk: nothing is lost, and no half file is left."""

from __future__ import annotations

import multiprocessing
import os
from pathlib import Path

import pytest
from baseline.values import BREAK, PRINT, adding, broken, update_often
from filelock import FileLock

from pytest_compilecheck import files
from pytest_compilecheck.baseline import store
from pytest_compilecheck.baseline.file import BaselineError, read_baseline
from pytest_compilecheck.baseline.known import Baseline
from pytest_compilecheck.baseline.store import update_file


def known(path: Path) -> list[str]:
    return sorted(read_baseline(path).contracts)


def test_a_file_is_made_and_changed(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "b.yaml"
    assert update_file(path, adding(broken(breaks=1))).added == [BREAK]
    changes = update_file(path, adding(broken(breaks=1, prints=1)))
    assert changes.added == [PRINT]
    assert [set(each) for each in read_baseline(path).contracts.values()] == [{BREAK, PRINT}]
    assert [each.name for each in path.parent.iterdir()] == ["b.yaml"]


def test_a_baseline_of_nothing_is_a_file_too(tmp_path: Path) -> None:
    path = tmp_path / "b.yaml"
    assert not update_file(path, adding(broken()))
    assert read_baseline(path) == Baseline()


def test_a_file_to_which_nothing_changes_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "b.yaml"
    update_file(path, adding(broken(breaks=1)))
    path.write_text("# mine\n" + path.read_text())
    before = path.stat().st_mtime_ns, path.read_text()
    update_file(path, adding(broken(breaks=1)))
    assert (path.stat().st_mtime_ns, path.read_text()) == before


def test_runs_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "b.yaml"
    context = multiprocessing.get_context("spawn")
    start = context.Barrier(3)
    workers = [
        context.Process(target=update_often, args=(path, number, start)) for number in range(3)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    assert len(known(path)) == 30
    assert [each.name for each in tmp_path.iterdir()] == ["b.yaml"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_full_disk_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    path = tmp_path / "b.yaml"
    update_file(path, adding(broken(breaks=1)))
    before = path.read_text()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, step, full)
    with pytest.raises(BaselineError, match=r"could not be written: .*No space left on device"):
        update_file(path, adding(broken(prints=1)))
    assert path.read_text() == before
    assert [each.name for each in tmp_path.iterdir()] == ["b.yaml"]


def test_a_read_only_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "b.yaml"
    update_file(path, adding(broken(breaks=1)))
    path.chmod(0o444)
    before = path.read_text()
    with pytest.raises(BaselineError, match="is read-only and stays as it is: make it writable"):
        update_file(path, adding(broken(prints=1)))
    assert path.read_text() == before
    assert not update_file(path, adding(broken(breaks=1)))  # there is nothing to write


def test_a_faulty_file_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "b.yaml"
    path.write_text("version: 1\nknown:\n- {contract: a}\n")
    with pytest.raises(
        BaselineError, match=r"b\.yaml:3: kind is missing: an item here has contract, kind, count"
    ):
        update_file(path, adding(broken(breaks=1)))
    assert path.read_text() == "version: 1\nknown:\n- {contract: a}\n"


def test_a_file_that_another_run_holds_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "b.yaml"
    monkeypatch.setattr(store, "_PATIENCE", 0.01)
    with (
        FileLock(store._lock(path)),
        pytest.raises(BaselineError, match="is being written by another run"),
    ):
        update_file(path, adding(broken(breaks=1)))
    update_file(path, adding(broken(breaks=1)))


@pytest.mark.parametrize("planted", ["a link", "open to all"])
def test_a_folder_of_locks_that_others_can_write_to_is_refused(
    planted: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who can put a link there, named as a lock, has another file of ours truncated."""
    shared = tmp_path / "tmp"
    shared.mkdir()
    monkeypatch.setattr(store.tempfile, "gettempdir", lambda: str(shared))
    folder = shared / f"pytest-compilecheck-{os.getuid()}"
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    if planted == "a link":
        folder.symlink_to(tmp_path / "elsewhere")
    else:
        folder.mkdir()
        folder.chmod(0o777)
    with pytest.raises(BaselineError, match="is no folder of this user alone: remove it, or set"):
        update_file(tmp_path / "b.yaml", adding(broken(breaks=1)))
    assert not (tmp_path / "b.yaml").exists()
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_locks_lie_in_a_folder_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store.tempfile, "gettempdir", lambda: str(tmp_path))
    update_file(tmp_path / "b.yaml", adding(broken(breaks=1)))
    found = {each.name: each.stat().st_mode & 0o777 for each in tmp_path.iterdir()}
    assert found == {"b.yaml": found["b.yaml"], f"pytest-compilecheck-{os.getuid()}": 0o700}
