"""Contracts for torch.compile: how a model compiles, held by pytest.

The public names are imported when they are first used.
"""

from __future__ import annotations

import importlib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pytest_compilecheck.contract.faults import ContractError
    from pytest_compilecheck.contract.policies.bucket import bucket
    from pytest_compilecheck.contract.trace.file import trace_file
    from pytest_compilecheck.contract.trace.spec import TensorSpec, spec
    from pytest_compilecheck.decorator import compile_contract
    from pytest_compilecheck.judge.extra import ExtraBound
    from pytest_compilecheck.judge.run_report import RunReport
    from pytest_compilecheck.judge.violation import ContractViolation
    from pytest_compilecheck.observe.values.observation import Observation
    from pytest_compilecheck.observe.watch import watch
    from pytest_compilecheck.pytest_layer.running.fixture import CompileCheck
    from pytest_compilecheck.report.formats import Format
    from pytest_compilecheck.report.wording import printable

__all__ = [
    "CompileCheck",
    "ContractError",
    "ContractViolation",
    "ExtraBound",
    "Format",
    "Observation",
    "RunReport",
    "TensorSpec",
    "bucket",
    "compile_contract",
    "printable",
    "spec",
    "trace_file",
    "watch",
]

_HOMES = {
    "CompileCheck": "pytest_layer.running.fixture",
    "ContractError": "contract.faults",
    "ContractViolation": "judge.violation",
    "ExtraBound": "judge.extra",
    "Format": "report.formats",
    "Observation": "observe.values.observation",
    "RunReport": "judge.run_report",
    "TensorSpec": "contract.trace.spec",
    "bucket": "contract.policies.bucket",
    "compile_contract": "decorator",
    "printable": "report.wording",
    "spec": "contract.trace.spec",
    "trace_file": "contract.trace.file",
    "watch": "observe.watch",
}


if not TYPE_CHECKING:  # which would have any name exist

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
        # From now on the name is found without this function.
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
