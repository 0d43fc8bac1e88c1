from __future__ import annotations

from typing import get_args

import pytest
from report.values import attempt, change, entry, fallback, observation, recompile

from pytest_compilecheck.observe.values.observation import FallbackKind
from pytest_compilecheck.report.parts.fallbacks import (
    fallback_place,
    fallback_title,
    fallbacks_section,
)
from pytest_compilecheck.report.style import plain

LIMIT_CURE = (
    "take away what makes torch compile again; a higher torch._dynamo.config.recompile_limit only"
    " puts it off"
)


def test_a_fallback_says_when_what_why_and_what_to_do() -> None:
    assert plain(fallbacks_section([fallback()], observation())) == (
        "Fallbacks: work that should have run compiled ran eagerly, without an error.\n"
        "\n"
        "calls 8-10: torch's limit of rebuilds is reached\n"
        "  model/mlp.py:9 in forward\n"
        "  why  n changes from call to call\n"
        f"  fix  {LIMIT_CURE}"
    )


@pytest.mark.parametrize("kind", get_args(FallbackKind))
def test_every_kind_is_told_in_plain_words_with_a_cure(kind: FallbackKind) -> None:
    text = plain(fallbacks_section([fallback(kind=kind)], observation()))
    assert kind not in text.splitlines()[2]
    assert "\n  fix  " in text


def test_what_is_not_known_is_left_out() -> None:
    bare = fallback(kind="disabled", calls=(), function=None, file=None, line=None, reason="")
    assert fallback_title(bare) == "compilation is switched off"
    assert fallback_place(bare) == ""
    assert len(fallbacks_section([bare], observation())) == 4
    assert fallback_place(fallback(file=None, line=None)) == "in forward"
    assert fallbacks_section([], observation()) == []


def test_a_resumed_function_has_its_authors_name() -> None:
    resumed = fallback(function="torch_dynamo_resume_in_forward_at_3")
    assert fallback_place(resumed) == "model/mlp.py:9 in forward"


def test_the_recompile_limit_is_told_with_its_history() -> None:
    counted = [
        change(cause="module_state", holder="module", source="self.step", expected=a, actual=b)
        for a, b in (("0", "1"), ("1", "2"), ("2", "3"))
    ]
    seen = observation(
        recompile_events=(
            recompile(call=1, changes=(counted[0],)),
            recompile(call=1, function="other", changes=(change(),)),
            recompile(call=2, changes=(counted[1],)),
        ),
        recompile_attempts=(attempt(call=3, changes=(counted[2],)),),
        timeline=(
            entry(3, "fallback"),
            entry(4, "hit", sizes={"x": (8, 130)}),
            entry(5, "hit", sizes={}),
        ),
    )
    limited = fallback(calls=(3,))
    served = "self.step = 0, 1, 2 still runs compiled; calls 4, 5 ran compiled (x=(8, 130))"
    assert plain(fallbacks_section([limited], seen)).splitlines()[2:] == [
        "call 3: torch's limit of rebuilds is reached",
        "  model/mlp.py:9 in forward",
        "  why  n changes from call to call",
        "  its rebuilds",
        "    call  what changed  before  then  cause",
        "    ----  ------------  ------  ----  -----",
        "       1  self.step     0       1     module_state",
        "       2  self.step     1       2     module_state",
        "       3  self.step     2       3     module_state",
        f"  from call 3 on what is new runs eagerly; {served}",
        (
            "  fix  keep it in a tensor: register_buffer('step', torch.tensor(...)); where"
            " gradients flow through it, change it outside of what is compiled"
        ),
        f"  fix  {LIMIT_CURE}",
    ]


def test_a_limit_reached_by_several_things_names_none_that_still_runs() -> None:
    events = (recompile(call=1), recompile(call=2, changes=(change(source="y.size(0)"),)))
    text = plain(fallbacks_section([fallback()], observation(recompile_events=events)))
    assert "  from call 8 on what is new runs eagerly\n" in text
