from __future__ import annotations

import linecache
import os
import sysconfig
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compilecheck.observe.source import (
    Ownership,
    author_name,
    character_column,
    is_of_pytest,
    resumed_line,
    source_line,
)

TORCH = "/env/site-packages/torch"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    directory = tmp_path.resolve() / "project"
    directory.mkdir()
    return directory


def owner(root: Path, file: str | Path) -> str:
    return Ownership(root=str(root), torch_directory=TORCH).owner(str(file))


@pytest.mark.parametrize(
    ("file", "whose"),
    [
        ("model.py", "own"),
        ("deep/down/model.py", "own"),
        (".venv/lib/python3.11/site-packages/einops/layers.py", "third_party"),
        ("env/lib/python3/dist-packages/numpy/core.py", "third_party"),
        ("../project2/model.py", "third_party"),
        ("../model.py", "third_party"),
        ("my-site-packages/model.py", "own"),
        (f"{TORCH}/nn/modules/module.py", "torch"),
        ("/env/site-packages/torchvision/models.py", "third_party"),
        (f"{sysconfig.get_path('stdlib')}/contextlib.py", "third_party"),
        ("<eval_with_key>.12", "torch"),
        ("<frozen importlib._bootstrap>", "torch"),
        ("<stdin>", "own"),
        ("<ipython-input-3-abc>", "own"),
        ("/tmp/ipykernel_4711/123.py", "own"),
    ],
)
def test_owner(project: Path, file: str, whose: str) -> None:
    # Joining keeps absolute paths as they are.
    path = file if file.startswith("<") else os.path.normpath(project / file)
    assert owner(project, path) == whose


def test_a_root_that_holds_the_standard_library_does_not_own_it() -> None:
    stdlib = Path(sysconfig.get_path("stdlib"))
    assert owner(stdlib.parent.parent, stdlib / "contextlib.py") == "third_party"


def test_a_torch_inside_the_project_is_torch(project: Path) -> None:
    ownership = Ownership(root=str(project), torch_directory=str(project / "src" / "torch"))
    assert ownership.owner(str(project / "src" / "torch" / "nn.py")) == "torch"
    assert ownership.owner(str(project / "src" / "torch_model.py")) == "own"


@pytest.fixture
def linked(project: Path) -> Path:
    """Another way to the project."""
    link = project.parent / "link"
    link.symlink_to(project, target_is_directory=True)
    return link


def test_links_lead_to_the_same_owner_and_name(project: Path, linked: Path) -> None:
    for root in (project, linked):
        ownership = Ownership(root=str(root), torch_directory=TORCH)
        for file in (project / "model.py", linked / "model.py"):
            assert ownership.owner(str(file)) == "own"
            assert ownership.relative(str(file)) == "model.py"


def test_a_linked_package_of_another_project_is_third_party(project: Path) -> None:
    elsewhere = project.parent / "elsewhere"
    elsewhere.mkdir()
    (project / "vendored").symlink_to(elsewhere, target_is_directory=True)
    assert owner(project, project / "vendored" / "model.py") == "third_party"


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("model.py", "model.py"),
        ("deep/./up/../model.py", "deep/model.py"),
        ("<stdin>", "<stdin>"),
        ("/env/site-packages/einops/layers.py", "/env/site-packages/einops/layers.py"),
    ],
)
def test_relative(project: Path, file: str, name: str) -> None:
    path = file if file.startswith("<") else os.path.join(project, file)
    assert Ownership(root=str(project), torch_directory=TORCH).relative(path) == name


def test_a_file_beside_the_root_keeps_its_whole_path(project: Path) -> None:
    file = str(project.parent / "project2" / "model.py")
    assert Ownership(root=str(project), torch_directory=TORCH).relative(file) == file


@pytest.mark.parametrize(
    ("function", "name", "line"),
    [
        ("forward", "forward", None),
        ("torch_dynamo_resume_in_forward_at_12", "forward", 12),
        ("torch_dynamo_resume_in_at_5_at_12", "at_5", 12),
        ("torch_dynamo_resume_in_torch_dynamo_resume_in_f_at_3_at_14", "f", 14),
        ("torch_dynamo_resume_in_forward", "torch_dynamo_resume_in_forward", None),
        ("my_torch_dynamo_resume_in_f_at_3", "my_torch_dynamo_resume_in_f_at_3", None),
    ],
)
def test_names_of_resumed_functions(function: str, name: str, line: int | None) -> None:
    assert author_name(function) == name
    assert resumed_line(function) == line


def written(text: str) -> str:
    """The name of a source whose first line is the text."""
    name = "<written>"
    linecache.cache[name] = (len(text), None, [text + "\n"], name)
    return name


@given(st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), max_size=12))
def test_columns_count_characters_and_not_bytes(text: str) -> None:
    file = written(text + "x")
    assert character_column(file, 1, len(text.encode())) == len(text) + 1


def test_an_offset_is_kept_where_the_line_is_not_known() -> None:
    assert character_column("<nowhere>", 1, 4) == 5
    assert character_column("<nowhere>", 1, None) is None


def test_an_offset_inside_a_character_counts_it_not() -> None:
    assert character_column(written("äx"), 1, 1) == 1


def test_source_line(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text("if x:\n    y = 'ä'  \n", encoding="utf-8")
    assert source_line(str(file), 2) == "y = 'ä'"
    assert source_line(str(file), 3) == ""
    assert source_line(str(tmp_path / "missing.py"), 1) == ""


def labelled(root: Path, **labels: object) -> tuple[Ownership, list[str]]:
    """With labels for files by their stem, raised where they are errors; and what is asked."""
    asked: list[str] = []

    def label(file: str) -> Any:
        asked.append(file)
        found = labels.get(Path(file).stem)
        if isinstance(found, Exception):
            raise found
        return found

    return Ownership(root=str(root), torch_directory=TORCH, label=label), asked


def test_a_label_goes_before_the_place_but_not_within_torch(project: Path) -> None:
    ownership, asked = labelled(project, lib="third_party", sibling="own", module="own")
    files = {
        f"{project}/vendored/lib.py": "third_party",
        "/env/site-packages/sibling.py": "own",
        f"{project}/model.py": "own",
        f"{TORCH}/nn/module.py": "torch",
        "<stdin>": "own",
    }
    for _ in range(2):
        assert {file: ownership.owner(file) for file in files} == files
    assert asked == list(files)[:3]
    assert ownership.troubles == {}


def test_a_label_that_fails_is_told_of_each_time_that_the_file_is_asked_for(project: Path) -> None:
    ownership, asked = labelled(project, lib=ValueError("no idea"))
    file = f"{project}/lib.py"
    assert [ownership.owner(file), ownership.owner(file)] == ["own", "own"]
    assert list(ownership.troubles) == ["the owner of lib.py is not known: no idea"]
    ownership.troubles.clear()
    ownership.owner(f"{project}/model.py")
    assert ownership.troubles == {}
    ownership.owner(file)
    assert len(ownership.troubles) == 1
    assert asked.count(file) == 1


@pytest.mark.parametrize(
    ("file", "whose"),
    [
        ("/env/site-packages/_pytest/python.py", True),
        ("C:\\env\\site-packages\\_pytest\\python.py", True),
        ("/project/my_pytest/python.py", False),
        ("/project/_pytest.py", False),
    ],
)
def test_files_of_pytest(file: str, whose: bool) -> None:
    assert is_of_pytest(file) is whose
