"""The field `policies`: what a person writes, as shape policies, and its JSON schema."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

from pytest_compilecheck.contract.faults import Report, did_you_mean, inside
from pytest_compilecheck.contract.plain import shown
from pytest_compilecheck.contract.policies.bucket import MULTIPLE_PATTERN, bucket_of, parse_sizes
from pytest_compilecheck.contract.policies.policy import KINDS, Bucket, Policy

_NAMES: Final = (*KINDS, "pow2", "multiple(64)")


def parse_policies(value: object, report: Report) -> tuple[Policy, ...]:
    """Shape policies, of different names; None for none."""
    if value is None:
        return ()
    if not isinstance(value, (list, tuple)):
        report(f"expected a list such as ['static', 'auto', 'pow2'], got {shown(value)}")
        return ()
    faults: list[str] = []
    policies = [_policy(item, inside(f"[{at}]", faults.append)) for at, item in enumerate(value)]
    if not faults:
        _check_names(policies, faults.append)
    for fault in faults:
        report(fault)
    return () if faults else tuple(policies)


def _policy(value: object, report: Report) -> Policy:
    if isinstance(value, Bucket):
        for fault in value.faults:
            report(fault)
        return Policy(kind="bucket", bucket=value)
    if isinstance(value, Mapping):
        return Policy(kind="bucket", bucket=bucket_of(value, report))
    for kind in KINDS:
        if value == kind:
            return Policy(kind=kind)
    if isinstance(value, str) and (value == "pow2" or value.startswith("multiple(")):
        return Policy(kind="bucket", bucket=Bucket(sizes=parse_sizes(value, report)))
    near = did_you_mean(value, _NAMES) or f" (known are {', '.join(_NAMES)}, or a bucket)"
    report(f"{shown(value)} is no policy{near}")
    return Policy(kind="auto")


def _check_names(policies: Iterable[Policy], report: Report) -> None:
    counts = Counter(policy.name for policy in policies)
    for name in (name for name, count in counts.items() if count > 1):
        cure = "" if name in KINDS else ": give each such bucket a label of its own"
        report(f"{name!r} is there twice{cure}")


def policies_schema(dims: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON schema of what `parse_policies` takes; `dims` is that of the names of dims."""
    named = {"enum": [*KINDS, "pow2"]}
    policy = {
        "anyOf": [
            named,
            _MULTIPLE,
            {**_BUCKET, "properties": {**_PARTS, "dims": {**_DIMS, **dims}}},
        ]
    }
    return {"type": ["array", "null"], "items": policy}


_TEXT: Final = {"type": ["string", "null"], "minLength": 1}
_MULTIPLE: Final = {"type": "string", "pattern": MULTIPLE_PATTERN}
_SIZES: Final = {
    "anyOf": [
        {"const": "pow2"},
        _MULTIPLE,
        {
            "type": "object",
            "properties": {"multiple": {"type": "integer", "minimum": 2}},
            "required": ["multiple"],
            "additionalProperties": False,
        },
        {"type": "array", "minItems": 1, "items": {"type": "integer", "minimum": 1}},
    ]
}
_PARTS: Final[dict[str, Any]] = {
    "bucket": {"description": "the sizes that dims are rounded up to", **_SIZES},
    "pad": {
        "description": "what an input is padded with in place of 0, by its name",
        "type": ["object", "null"],
        "additionalProperties": {"type": "number"},
    },
    "mask": {
        "description": "the argument that is made anew for each step: 1 where an element is real,"
        " 0 where it is padded",
        **_TEXT,
    },
    "label": {"description": "name of the policy in reports", **_TEXT},
}
_DIMS: Final = {"description": "dims that are rounded; all that change where none are named"}
_BUCKET: Final[dict[str, Any]] = {
    "type": "object",
    "description": "sizes are rounded up, and inputs padded to them",
    "required": ["bucket"],
    "additionalProperties": False,
}
