from __future__ import annotations

from typing import Any

import pytest

from pytest_compilecheck.report.document import json_text
from pytest_compilecheck.report.formats import FORMATS, Format
from report.values import record, run


def test_a_renderer_is_a_function_or_the_name_of_one() -> None:
    report = run(record())
    named = Format("about", "pytest_compilecheck.report.document:json_text")
    assert named.render(report) == Format("about", json_text).render(report) == json_text(report)
    assert FORMATS["json"].render(report) == json_text(report)


def test_an_image_is_bytes() -> None:
    assert Format("about", lambda _: b"\x89PNG").render(run()) == b"\x89PNG"


@pytest.mark.parametrize("given", [None, ["text"], 3])
def test_what_is_neither_is_refused(given: Any) -> None:
    with pytest.raises(
        TypeError, match=f"the renderer gave a {type(given).__name__}, and no text or bytes"
    ):
        Format("about", lambda _: given).render(run())
