"""What other torch releases do differently in the programs, each with the reason.

The truth is that of torch 2.13. All of these were checked with torch's own raw output. Of several
that apply the one that is nearest to the installed torch holds.
"""

from __future__ import annotations

from typing import Any

from packaging.version import Version

from pytest_compilecheck.pytest_layer.collecting.collection import torch_version


def changed_by_release(name: str) -> dict[str, Any]:
    """Fields of a program's truth that are other under the installed torch."""
    release = Version(torch_version())
    changed: dict[str, Any] = {}
    for before, programs in _BEFORE.items():
        if release < Version(before):
            changed |= programs.get(name, {})
    for since, programs in _SINCE.items():
        if release >= Version(since):
            changed |= programs.get(name, {})
    return changed


def _site(line: int, code: str, file: str, gb_id: str | None, **more: Any) -> dict[str, Any]:
    return {"file": file, "line": line, "code": code, "gb_id": gb_id, **more}


_B23 = "b23_backward_inside.py"


def _b23(line: int) -> dict[str, Any]:
    place = {"file": "torch/optim/optimizer.py", "line": line}
    return {
        "breaks": [
            _site(13, "self.opt.zero_grad()", _B23, "GB0008"),
            _site(14, "loss.backward()", _B23, "GB0123"),
            _site(15, "self.opt.step()", _B23, "GB0025", torch_location=place),
        ]
    }


_BEFORE: dict[str, dict[str, dict[str, Any]]] = {
    "2.13": {
        # A store to a class attribute cannot be traced yet, so __enter__ breaks before the print.
        "b14_context_manager_break": {
            "breaks": [_site(9, "Scope.depth += 1", "b14_context_manager_break.py", "GB0059")]
        },
        # The builtin that makes classes has no break of its own yet.
        "b27_class_in_function": {
            "breaks": [_site(9, "class Range:", "b27_class_in_function.py", "GB0007")]
        },
    },
    "2.12": {
        # The deliberate graph break in torch.optim stands one line lower.
        "b23_backward_inside": _b23(80),
    },
    "2.11": {
        # The record does not name the loop as the second reason.
        "b38_disabled_method_in_loop": {
            "breaks": [_site(13, "x = nudge(x)", "b38_disabled_method_in_loop.py", "GB0098")]
        },
    },
    "2.10": {
        "b23_backward_inside": _b23(81),
        # An old one-line message, which has no id in the registry.
        "b06_numpy_unsupported": {
            "breaks": [
                _site(
                    11,
                    "v = np.interp(y.numpy(), GRID, VALS)",
                    "b06_numpy_unsupported.py",
                    None,
                )
            ]
        },
        # A class statement makes no record: torch compiles what stands before it and leaves the
        # rest of the function to Python without a word.
        "b27_class_in_function": {
            "breaks": [_site(9, "class Range:", "b27_class_in_function.py", None)],
            "graphs": 1,
            "recompiles": [],
            "fallback": "skipped_frame",
            "per_call": ["compile", "hit", "hit"],
            "graph_runs_per_call": [1, 1, 1],
        },
    },
    "2.9": {"b23_backward_inside": _b23(80)},
}

_SINCE: dict[str, dict[str, dict[str, Any]]] = {
    "2.14": {
        "b23_backward_inside": _b23(78),
        # The list that grows is guarded before the counter is.
        "b29_setattr_global_side_effect": {
            "recompiles": [
                {
                    "call_index": call,
                    "frame": "run",
                    "guard_contains": guard,
                    "cause": "container_length",
                }
                for call, guard in enumerate(
                    ["not G['TRACE']", *(f"len(G['TRACE']) == {n}" for n in (1, 2, 3))], 1
                )
            ]
        },
    },
}
