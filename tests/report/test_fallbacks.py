from __future__ import annotations

from typing import get_args

import pytest

from pytest_compilecheck.observe.observation import FallbackKind
from pytest_compilecheck.report.fallbacks import (
    fallback_place,
    fallback_title,
    fallbacks_section,
)
from pytest_compilecheck.report.style import plain
from report.values import fallback


def test_a_fallback_says_when_what_why_and_what_to_do() -> None:
    assert plain(fallbacks_section([fallback()])) == (
        "Fallbacks: work that should have run compiled ran eagerly, without an error.\n"
        "\n"
        "calls 8-10: torch's limit of rebuilds is reached\n"
        "  model/mlp.py:9 in forward\n"
        "  why  n changes from call to call\n"
        "  fix  remove the cause of the recompiles (make the size dynamic, the value constant);"
        " a higher torch._dynamo.config.recompile_limit only puts it off"
    )


@pytest.mark.parametrize("kind", get_args(FallbackKind))
def test_every_kind_is_told_in_plain_words_with_a_cure(kind: FallbackKind) -> None:
    text = plain(fallbacks_section([fallback(kind=kind)]))
    assert kind not in text.splitlines()[2]
    assert "\n  fix  " in text


def test_what_is_not_known_is_left_out() -> None:
    bare = fallback(kind="disabled", calls=(), function=None, file=None, line=None, reason="")
    assert fallback_title(bare) == "compilation is switched off"
    assert fallback_place(bare) == ""
    assert len(fallbacks_section([bare])) == 4
    assert fallback_place(fallback(file=None, line=None)) == "in forward"
    assert fallbacks_section([]) == []


def test_a_resumed_function_has_its_authors_name() -> None:
    resumed = fallback(function="torch_dynamo_resume_in_forward_at_3")
    assert fallback_place(resumed) == "model/mlp.py:9 in forward"
