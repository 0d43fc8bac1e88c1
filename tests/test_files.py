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
