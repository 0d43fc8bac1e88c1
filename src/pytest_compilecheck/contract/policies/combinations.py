"""What the fields about shape policies ask of each other and of the trace."""

from __future__ import annotations

import re
from functools import partial

from pytest_compilecheck.contract.faults import Report, did_you_mean, inside
from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.contract.policies.policy import Bucket
from pytest_compilecheck.contract.trace.series import FieldReport
from pytest_compilecheck.contract.trace.shapes import Arguments


def check_policies(contract: Contract, report: FieldReport) -> None:
    """Report what about policies cannot stand together, whatever the trace is."""
    if contract.policies and contract.watch_only:
        report(
            "policies",
            "set how the code is compiled, and watch_only compiles nothing: leave one out",
        )
    if contract.policies and contract.torch_options.get("dynamic") is not None:
        report("dynamic", "is set by each of the policies: leave one of them out")
    _check_preferred(contract, report)


def _check_preferred(contract: Contract, report: FieldReport) -> None:
    preferred = contract.preferred_policy
    if preferred is None:
        return
    names = [policy.name for policy in contract.policies]
    if not names:
        other = "auto" if preferred == "static" else "static"
        cure = f"policies={[other, preferred]}"
        report("preferred_policy", f"has nothing to be compared with: add e.g. {cure}")
    elif preferred not in names:
        hint = did_you_mean(preferred, names) or f" (they are {', '.join(map(repr, names))})"
        report("preferred_policy", f"{preferred!r} is none of the policies{hint}")
    elif len(names) == 1:
        report("preferred_policy", "has nothing to be compared with: name others in policies")


def check_policies_over_trace(
    contract: Contract, arguments: Arguments, report: FieldReport
) -> None:
    """Report what policies ask of a trace, and it does not have; the trace has no fault itself."""
    if contract.preferred_policy is not None and len(contract.trace.steps) == 1:
        report(
            "preferred_policy",
            "the trace has one step, so there is nothing to compare: give a dim several sizes",
        )
    changing = set(contract.trace.changing_dims())
    for at, policy in enumerate(contract.policies):
        to_policy = inside(f"[{at}]", partial(report, "policies"))
        if policy.kind in ("marked", "bucket") and not changing:
            to_policy(
                f"{policy.name!r} is for named dims that change, and in this trace none does:"
                " name them in shapes, as 'B S', and give one of them several sizes in dims"
            )
        if policy.bucket is not None:
            _check_bucket(policy.bucket, contract, changing, to_policy)
            _check_mask(policy.bucket, contract, arguments, to_policy)


def _check_bucket(bucket: Bucket, contract: Contract, changing: set[str], report: Report) -> None:
    first = contract.trace.steps[0]
    for name in bucket.dims:
        if name not in first.dims:
            hint = did_you_mean(name, first.dims) or ": it takes names from dims"
            report(f"['dims']: {name!r} is no dim of the trace{hint}")
    known = [name for name in bucket.dims if name in first.dims]
    if changing and known and changing.isdisjoint(known):
        told = ", ".join(map(repr, sorted(changing)))
        report(
            f"['dims']: none of them changes over the trace, only {told} does: name what changes"
        )
    padded = {name for name, dims in first.named.items() if any(dims)}
    padded |= {re.split(r"[.\[]", name)[0] for name in padded}  # all tensors of an argument
    for name in bucket.pad:
        if name not in padded:
            hint = did_you_mean(name, padded) or ": it takes names of tensors with named dims"
            report(f"['pad']: {name!r} is padded by no policy{hint}")


def _check_mask(bucket: Bucket, contract: Contract, arguments: Arguments, report: Report) -> None:
    name = bucket.mask
    if name is None:
        return
    if name in contract.trace.steps[0].inputs:
        report(f"['mask']: {name!r} is an input of the trace too: leave it out of one of them")
    elif arguments.names is not None and name not in arguments.names:
        hint = did_you_mean(name, arguments.names)
        report(f"['mask']: {arguments.subject} has no parameter {name!r}{hint}")
    elif arguments.fixtures is not None and name in arguments.fixtures:
        report(f"['mask']: {name!r} is given already, in each step the same: leave out either")
