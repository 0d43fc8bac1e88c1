"""The committed reference is what the code gives."""

from __future__ import annotations

import pytest

from docs_reference.markdown import COMMAND
from docs_reference.pages import FOLDER, PAGES


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_what_the_code_gives(name: str) -> None:
    committed = (FOLDER / name).read_text("utf-8")
    assert committed == PAGES[name](), f"docs/reference/{name} is of older code: run `{COMMAND}`"


def test_no_other_page_lies_beside_them() -> None:
    assert {file.name for file in FOLDER.iterdir()} == set(PAGES)
