from __future__ import annotations

import dataclasses

import pytest
from policies.values import call, policy_run, replay

from pytest_compilecheck.policies.measured import PolicyRun
from pytest_compilecheck.policies.shortcomings import shortcoming

WHOLE = replay()


def test_a_run_that_went_well_has_none() -> None:
    assert shortcoming(WHOLE) == ""


def changed(**fields: object) -> PolicyRun:
    return dataclasses.replace(WHOLE, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("run", "why"),
    [
        (changed(error="it hung"), "it could not be run: it hung"),
        (
            changed(mismatch="output: 1 / 6"),
            "its outputs differ from the eager run: output: 1 / 6",
        ),
        (changed(fallbacks=2), "work fell back to eager"),
        (
            changed(calls=(call(0, 1.0, "compile"), call(1, kind="fallback"))),
            "work fell back to eager in 1 call",
        ),
        (
            changed(calls=(call(0, 1.0, "compile"), call(1, kind="error"))),
            "1 of its 2 calls raised an error",
        ),
        (changed(variants=0), "nothing was compiled"),
        (changed(warm=WHOLE.warm[:1]), "not all of its steps were measured"),
        (changed(calls=WHOLE.calls[:1]), "not all of its steps were measured"),
        (policy_run("auto"), "it was not measured"),
    ],
)
def test_what_keeps_a_policy_from_being_preferred(run: PolicyRun, why: str) -> None:
    assert shortcoming(run) == why
