"""Shape policies, as a contract names them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from pytest_compilecheck.contract.plain import plain

PolicyKind = Literal["static", "auto", "dynamic", "marked", "bucket"]
Sizes = Literal["pow2"] | int | tuple[int, ...]

KINDS: Final[tuple[PolicyKind, ...]] = ("static", "auto", "dynamic", "marked")
"""The kinds that need nothing but their name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """Sizes are rounded up, and inputs padded to them.

    `sizes` is "pow2", a number of which sizes become multiples, or the sizes themselves, where a
    size beyond the largest stays as it is. `dims` are the names of dims that are rounded, () for
    all that change over the trace. `pad` has a value for inputs that are not padded with 0. `mask`
    names an argument that is 1 where an element is real and 0 where it is padded, made anew for
    each step. `rule` pads in place of all that, from the inputs and the rounded size of each dim:
    Python only. `label` is what reports call it, None for a name made of its sizes. `faults` says
    what is wrong with what it was made from: a contract that uses such a bucket is refused.
    """

    sizes: Sizes = "pow2"
    dims: tuple[str, ...] = ()
    pad: Mapping[str, float] = field(default_factory=dict)
    mask: str | None = None
    rule: Callable[[dict[str, Any], dict[str, int]], dict[str, Any]] | None = None
    label: str | None = None
    faults: tuple[str, ...] = field(default=(), repr=False)

    def rounded(self, size: int) -> int:
        """The size that an input is padded to."""
        if self.sizes == "pow2":
            return 1 << (size - 1).bit_length() if size > 1 else size
        if isinstance(self.sizes, int):
            return -(-size // self.sizes) * self.sizes
        assert isinstance(self.sizes, tuple)
        return min((each for each in self.sizes if each >= size), default=size)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """One way to live with changing shapes.

    "static" is `torch.compile(dynamic=False)`, "auto" torch's default, "dynamic"
    `torch.compile(dynamic=True)`, "marked" calls `mark_dynamic` on the dims that change, "bucket"
    pads.
    """

    kind: PolicyKind
    bucket: Bucket | None = None

    @property
    def name(self) -> str:
        """What reports call it: "static", "pow2", "multiple(64)", "buckets(128, 256)", a label."""
        if self.bucket is None:
            return self.kind
        sizes = self.bucket.sizes
        if self.bucket.label is not None:
            return self.bucket.label
        if sizes == "pow2":
            return "pow2"
        if isinstance(sizes, int):
            return f"multiple({sizes})"
        return f"buckets({', '.join(map(str, sizes))})"

    def to_dict(self) -> dict[str, Any]:
        """JSON-able form: `sizes` and what comes after it are of a bucket, null for others."""
        data: dict[str, Any] = {"name": self.name, "kind": self.kind}
        parts = ("sizes", "dims", "pad", "mask", "rule")
        return data | {part: plain(getattr(self.bucket, part, None)) for part in parts}
