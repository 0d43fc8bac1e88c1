"""Why a policy is not preferred whatever it costs."""

from __future__ import annotations

from pytest_compilecheck.policies.measured import PolicyRun


def shortcoming(run: PolicyRun) -> str:
    """What keeps a policy from being preferred, as "it could not be run: ..."; "" for nothing."""
    if run.error:
        return f"it could not be run: {run.error}"
    if run.mismatch:
        return f"its outputs differ from the eager run: {run.mismatch}"
    failed = sum(call.kind == "error" for call in run.calls)
    if failed:
        return f"{failed} of its {_calls(len(run.calls))} raised an error"
    eager = sum(call.kind == "fallback" for call in run.calls)
    if run.fallbacks or eager:
        return "work fell back to eager" + (f" in {_calls(eager)}" if eager else "")
    if not run.variants:
        return "nothing was compiled"
    missing = {call.step for call in run.calls} ^ {each.step for each in run.warm}
    if missing or not run.calls:
        return "not all of its steps were measured" if run.calls else "it was not measured"
    return ""


def _calls(count: int) -> str:
    return "1 call" if count == 1 else f"{count} calls"
