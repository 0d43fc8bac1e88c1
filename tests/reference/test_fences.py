"""The names of code blocks, as the site shows them."""

from __future__ import annotations

import pytest

from docs_reference.fences import on_page_markdown


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("```python file=a/model.py", '```python title="a/model.py"'),
        ("```text output=bounds", "```text"),
        ("```yaml workflow", "```yaml"),
        ("```python", "```python"),
        ("  ```text failing", "  ```text"),
        ("Write ```python file=a.py as it is", "Write ```python file=a.py as it is"),
    ],
)
def test_a_name_becomes_a_title_or_goes(written: str, shown: str) -> None:
    page = f"# Page\n\n{written}\nx = 1\n```\n"
    assert on_page_markdown(page, page=None) == f"# Page\n\n{shown}\nx = 1\n```\n"
