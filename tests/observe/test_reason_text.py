from __future__ import annotations

import json

import pytest

from pytest_compilecheck.observe.reason_text import culprit, recompile_reasons, skip_reason

STATE = "GLOBAL_STATE changed: grad_mode "
SIZE = "tensor 'x' size mismatch at index 0. expected 4, actual 5"

# Reasons as torch 2.8 and 2.13 word them.
OLD = "0/1: n == 1                                                 "
NEW = (
    "0/0: n == 0                                                   "
    "# return x * n  # project/model.py:51 in limit\n"
    'User stack trace:\n  File "/project/model.py", line 51, in limit\n    return x * n'
)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", None),
        ("in skipfiles: /lib/logging/__init__.py", "skip_file"),
        ("Dynamo tracing is disabled", "disabled"),
        ("non-infra torch dispatch mode present, this is not supported today", "dispatch_mode"),
        ("an error was suppressed during compilation", "error"),
        ("FRAME (reason: no tensor-related objects in the frame)", "no_tensors"),
        ("No ops traced for the FX graph", "no_ops"),
        ("a reason of some later release", "other"),
    ],
)
def test_skip_reason(text: str, reason: str | None) -> None:
    assert skip_reason(text) == reason


def test_one_reason_comes_bare() -> None:
    (guard,) = recompile_reasons(NEW)
    assert guard.startswith("n == 0  ")
    assert guard.endswith("# return x * n  # project/model.py:51 in limit")


@pytest.mark.parametrize("payload", [[OLD, NEW], json.dumps([OLD, NEW], indent=2)])
def test_several_reasons_come_as_list_or_as_json(payload: str | list[str]) -> None:
    first, second = recompile_reasons(payload)
    assert first == "n == 1"
    assert second.startswith("n == 0 ")
    assert "stack" not in second


@pytest.mark.parametrize("head", ["0/0: ", "!12/3_1: ", "4/10: "])
def test_the_compile_id_is_no_part_of_a_guard(head: str) -> None:
    assert recompile_reasons([head + SIZE]) == (SIZE,)


def test_a_guard_that_speaks_of_a_ratio_keeps_it() -> None:
    assert recompile_reasons("0/0: (x.size()[0] // 4): 3 == 3") == ("(x.size()[0] // 4): 3 == 3",)


def test_the_last_entry_to_serve_is_to_blame() -> None:
    assert culprit((SIZE, "n == 1")) == SIZE
    assert culprit(()) == ""


def test_process_wide_state_is_to_blame_only_where_nothing_else_is() -> None:
    assert culprit((STATE, SIZE)) == SIZE
    assert culprit((STATE, STATE + "other")) == STATE
    assert culprit((SIZE, STATE)) == SIZE
