from __future__ import annotations

from pathlib import Path

import pytest

from pytest_compilecheck.report.ci.repository import layout, repository_path


@pytest.mark.parametrize(
    ("root", "workspace", "file", "path"),
    [
        ("", None, "model.py", "model.py"),
        ("", "", "model.py", "model.py"),
        ("packages/a", "", "model.py", "packages/a/model.py"),
        ("packages/a", "", "../b/model.py", "packages/b/model.py"),
        ("packages/a", None, "../b/model.py", None),
        ("packages/a", "packages/b", "model.py", "model.py"),
        ("", "packages", "model.py", "model.py"),
        ("", None, "/usr/lib/model.py", None),
    ],
)
def test_paths_start_from_the_checkout_if_the_root_lies_in_it(
    tmp_path: Path, root: str, workspace: str | None, file: str, path: str | None
) -> None:
    environment = {} if workspace is None else {"GITHUB_WORKSPACE": str(tmp_path / workspace)}
    assert repository_path(file, layout(str(tmp_path / root), environment)) == path


def test_absolute_paths_in_the_checkout(tmp_path: Path) -> None:
    shown = layout(str(tmp_path / "a"), {"GITHUB_WORKSPACE": str(tmp_path)})
    assert repository_path(str(tmp_path.resolve() / "b" / "model.py"), shown) == "b/model.py"


def test_a_link_to_the_checkout_is_the_checkout(tmp_path: Path) -> None:
    (tmp_path / "real" / "a").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    environment = {"GITHUB_WORKSPACE": str(tmp_path / "real")}
    shown = layout(str(tmp_path / "link" / "a"), environment)
    assert repository_path("model.py", shown) == "a/model.py"
