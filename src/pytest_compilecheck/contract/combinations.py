"""Fields that are right one by one and cannot stand together."""

from __future__ import annotations

from pytest_compilecheck.contract.faults import did_you_mean
from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.contract.policies.combinations import check_policies
from pytest_compilecheck.contract.trace.series import FieldReport
from pytest_compilecheck.contract.trace.shapes import Arguments

# Backends that run the captured graph as it is.
_PLAIN_BACKENDS = (None, "eager", "aot_eager")
_DEFAULT = " (the default)"


def runs_graph_as_is(backend: object) -> bool:
    """Whether a backend generates no code of its own, and ignores `mode` and `options`."""
    return backend in _PLAIN_BACKENDS


def check_combinations(contract: Contract, arguments: Arguments, report: FieldReport) -> None:
    """Report each combination of fields that means nothing."""
    if contract.watch_only:
        _check_watch_only(contract, report)
    else:
        _check_mode(contract, report)
    _check_compiles(contract, arguments, report)
    _check_warmup(contract, report)
    _check_eager_run(contract, report)
    _check_kernels(contract, report)
    _check_home(contract, arguments, report)
    check_policies(contract, report)


def _check_watch_only(contract: Contract, report: FieldReport) -> None:
    # None and False say the same as leaving the keyword out.
    keywords = {"backend": contract.backend, **contract.torch_options}
    named = [name for name, value in keywords.items() if value is not None and value is not False]
    for name in named:
        report(name, "goes to torch.compile, and watch_only compiles nothing: leave one out")
    if contract.compiles is not None:
        report("compiles", "names what to compile, and watch_only compiles nothing: leave one out")


def _check_mode(contract: Contract, report: FieldReport) -> None:
    named = [name for name in ("mode", "options") if contract.torch_options.get(name) is not None]
    if len(named) == 2:
        report("options", "torch.compile takes mode or options, not both: leave one out")
    if runs_graph_as_is(contract.backend):
        for name in named:
            report(name, f"{_named(contract)} ignores it: name backend='inductor'")


def _check_compiles(contract: Contract, arguments: Arguments, report: FieldReport) -> None:
    if arguments.names is None:
        return
    for name in contract.compiles or ():
        if name not in arguments.names:
            hint = did_you_mean(name, arguments.names)
            report("compiles", f"{arguments.subject} has no parameter {name!r}{hint}")


def _check_home(contract: Contract, arguments: Arguments, report: FieldReport) -> None:
    if contract.factory is not None and arguments.home == "test":
        report("factory", "is for a method of library code; for a test write a fixture")
    if contract.compiles is not None and arguments.home == "library":
        report(
            "compiles", "is for tests: here the marked function is what is compiled; leave it out"
        )


def _check_warmup(contract: Contract, report: FieldReport) -> None:
    bounded = contract.max_recompiles_after_warmup.value is not None
    if bounded and contract.warmup_calls is None:
        report("max_recompiles_after_warmup", "say after how many calls: add e.g. warmup_calls=2")
    if contract.warmup_calls is not None and not bounded:
        report("warmup_calls", "does nothing alone: add max_recompiles_after_warmup=0")


def _check_eager_run(contract: Contract, report: FieldReport) -> None:
    for name in ("rtol", "atol"):
        if getattr(contract, name) is not None and not contract.match_eager:
            report(name, "does nothing without match_eager=True")
    if contract.match_eager and (contract.rtol is None) != (contract.atol is None):
        report("match_eager", "torch takes both tolerances or none: give rtol and atol")
    for name in ("match_eager", "backward"):
        if getattr(contract, name) and contract.watch_only:
            report(
                name,
                "needs what the contract compiles, and watch_only compiles nothing: leave one out",
            )


def _check_kernels(contract: Contract, report: FieldReport) -> None:
    bounded = contract.max_kernels.value is not None
    if bounded and not contract.watch_only and runs_graph_as_is(contract.backend):
        report("max_kernels", f"{_named(contract)} generates no kernels: name backend='inductor'")


def _named(contract: Contract) -> str:
    return f"the backend {contract.backend or 'eager'!r}{'' if contract.backend else _DEFAULT}"


def check_dynamic_dims(contract: Contract, report: FieldReport) -> None:
    """Report each dim that is not in the trace, or that the trace cannot show to be dynamic."""
    steps = contract.trace.steps
    known = steps[0].dims
    for name in contract.dynamic_dims:
        if name not in known:
            hint = did_you_mean(name, known) or ": it takes names from dims"
            report("dynamic_dims", f"{name!r} is no dim of the trace{hint}")
        elif len({step.dims[name] for step in steps}) == 1:
            report(
                "dynamic_dims",
                f"{name!r} has one size in the whole trace, so it is never seen to be dynamic:"
                " give it two or more in dims",
            )
