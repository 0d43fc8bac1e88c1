"""Files that are written whole or not at all."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from pytest_compilecheck import files
from pytest_compilecheck.files import write_whole


def test_folders_on_the_way_are_made_and_nothing_else_is_left(tmp_path: Path) -> None:
    path = tmp_path / "reports" / "deep" / "report.json"
    write_whole(path, "漢字")
    assert path.read_text(encoding="utf-8") == "漢字"
    assert [each.name for each in path.parent.iterdir()] == ["report.json"]


def test_what_is_no_utf8_is_written_as_json_escapes_it(tmp_path: Path) -> None:
    write_whole(tmp_path / "r.json", '{"id": "\udc80.py"}')
    assert json.loads((tmp_path / "r.json").read_bytes()) == {"id": "\udc80.py"}


def test_bytes_are_written_as_they_are(tmp_path: Path) -> None:
    write_whole(tmp_path / "r.png", b"\x89PNG\r\n\xff")
    assert (tmp_path / "r.png").read_bytes() == b"\x89PNG\r\n\xff"


def test_an_old_file_is_replaced_and_its_mode_kept(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text("x" * 100_000)
    path.chmod(0o640)
    write_whole(str(path), "new")
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    write_whole(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


def test_what_is_no_file_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_whole(path, "new")
        assert path.is_fifo()
        assert os.read(reader, 100) == b"new"
    finally:
        os.close(reader)


@pytest.mark.parametrize("step", ["replace", "fsync"])
def test_a_write_that_fails_leaves_the_old_file_and_no_remains(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    path = tmp_path / "report.json"
    path.write_text("old")

    def full(source: object, *_: object) -> None:
        raise OSError(28, "No space left on device", str(source))

    monkeypatch.setattr(files.os, step, full)
    with pytest.raises(OSError, match="No space left on device") as caught:
        write_whole(path, "new")
    assert caught.value.filename == str(path)
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["report.json"]


def test_a_path_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    path = tmp_path / "file" / "report.json"
    with pytest.raises(OSError, match="file") as caught:
        write_whole(path, "")
    assert caught.value.filename == str(path)


def test_a_directory_in_the_way_is_named(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError) as caught:
        write_whole(tmp_path, "")
    assert caught.value.filename == str(tmp_path)


def test_nobody_can_plant_a_link_where_a_file_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a folder that others can write to, a name that they know may be a link of theirs."""
    (tmp_path / "precious").write_text("precious")
    monkeypatch.setattr(files.secrets, "token_hex", lambda _: "known")
    (tmp_path / ".compilecheck-known.tmp").symlink_to("precious")
    with pytest.raises(FileExistsError):
        write_whole(tmp_path / "report.json", "new")
    assert (tmp_path / "precious").read_text() == "precious"
    assert not (tmp_path / "report.json").exists()


def test_what_replaces_a_private_file_was_never_open_to_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "report.json"
    path.write_text("old")
    path.chmod(0o600)
    modes: list[int] = []
    fsync = os.fsync

    def seen(descriptor: int) -> None:
        modes.append(os.fstat(descriptor).st_mode & 0o777)
        fsync(descriptor)

    monkeypatch.setattr(files.os, "fsync", seen)
    write_whole(path, "new")
    assert modes == [0o600]
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("lets_us", [True, False])
def test_the_owner_of_an_old_file_is_kept_where_the_system_lets_us(
    lets_us: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "report.json"
    path.write_text("old")
    given: list[tuple[int, int]] = []

    def chown(file: Path, user: int, group: int) -> None:
        given.append((user, group))
        if not lets_us:
            raise PermissionError(1, "Operation not permitted", str(file))

    owned = os.stat_result((0o100640, 0, 0, 1, 1234, 2345, 3, 0, 0, 0))
    stat = Path.stat
    monkeypatch.setattr(files.os, "chown", chown)
    monkeypatch.setattr(
        Path, "stat", lambda self, **how: owned if self == path else stat(self, **how)
    )
    write_whole(path, "new")
    monkeypatch.undo()
    assert given == [(1234, 2345)]
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_new_file_is_as_open_as_the_user_has_it(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "report.json", "new")
    finally:
        os.umask(before)
    assert (tmp_path / "report.json").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("name", ["circle", "a\0b"])
def test_a_name_that_leads_nowhere_is_an_error_like_others(tmp_path: Path, name: str) -> None:
    (tmp_path / "circle").symlink_to("circle")
    with pytest.raises(OSError) as caught:  # noqa: PT011 - each system has its words
        write_whole(tmp_path / name, "new")
    assert caught.value.filename == str(tmp_path / name)
