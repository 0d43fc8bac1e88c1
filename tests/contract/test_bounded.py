from __future__ import annotations

import errno
from pathlib import Path

import pytest

from pytest_compilecheck.contract.bounded import read_bounded


def test_a_file_may_hold_as_much(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    assert read_bounded(tmp_path / "a", 5) == b"12345"


@pytest.mark.parametrize("path", ["a", "/dev/zero"])
def test_of_one_that_holds_more_no_more_is_read(tmp_path: Path, path: str) -> None:
    (tmp_path / "a").write_bytes(b"123456")
    with pytest.raises(OSError, match="it has more than 5 bytes") as caught:
        read_bounded(tmp_path / path, 5)
    assert caught.value.errno == errno.EFBIG
    assert caught.value.filename == str(tmp_path / path)
