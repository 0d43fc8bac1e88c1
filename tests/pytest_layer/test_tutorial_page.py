"""docs/tutorial.md shows what happens, step by step."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from pytest_layer.pages import lines, patched, written
from pytest_layer.projects import Project, assert_shows

pytestmark = pytest.mark.skipif(
    not torch.__version__.startswith("2.13"), reason="the page shows figures of torch 2.13"
)


@pytest.fixture
def page(project: Project) -> dict[str, str]:
    """The blocks of the page; the slow model and the first contract are written."""
    return written("tutorial.md", project)


def change(project: Project, name: str, diff: str) -> None:
    """Change a file of the project as a block of the page says."""
    file = project.path / name
    file.write_text(patched(file.read_text("utf-8"), diff), encoding="utf-8")


@pytest.mark.slow
def test_from_a_slow_model_to_a_held_contract(project: Project, page: dict[str, str]) -> None:
    project.run(check=False).assert_outcomes(passed=1)
    result = project.run()
    result.assert_outcomes(failed=1)
    assert_shows(
        result,
        *(
            shown
            for name in ("first", "break", "recompiles", "fallback")
            for shown in lines(page[name])
        ),
    )

    change(project, "decoder.py", page["mend-break"])
    result = project.run()
    result.assert_outcomes(failed=1)
    assert_shows(result, *lines(page["without-break"]))
    assert "[max_graph_breaks]" not in result.stdout.str()

    change(project, "decoder.py", page["mend-position"])
    result = project.run()
    result.assert_outcomes(failed=1)
    assert_shows(result, *lines(page["without-position"]))

    change(project, "test_decoder.py", page["hold"])
    result = project.run()
    result.assert_outcomes(passed=1)
    assert_shows(result, *lines(page["held"]))

    file = project.path / "decoder.py"
    head, rest = file.read_text("utf-8").split("        qkv = ")
    file.write_text(f"{head}        print(places)\n        qkv = {rest}", encoding="utf-8")
    result = project.run()
    result.assert_outcomes(failed=1)
    assert_shows(result, *lines(page["later"]))


def test_the_mended_model_gives_the_same(page: dict[str, str]) -> None:
    slow = page["file=decoder.py"]
    mended = patched(patched(slow, page["mend-break"]), page["mend-position"])
    assert_same(decoded(slow), decoded(mended))


def decoded(model: str) -> list[torch.Tensor]:
    """What a decoder computes in two requests."""
    given: dict[str, Any] = {}
    exec(model, given)
    torch.manual_seed(0)
    decoder = given["Decoder"]().requires_grad_(False)
    found = []
    for length in (5, 9):
        decoder.reset()
        tokens = torch.arange(length)[None]
        for _ in range(3):
            found.append(decoder(tokens))
            tokens = found[-1][:, -1:].argmax(dim=-1)
    return found


def assert_same(those: list[torch.Tensor], these: list[torch.Tensor]) -> None:
    assert len(those) == len(these)
    for one, other in zip(those, these, strict=True):
        torch.testing.assert_close(one, other)
