"""One contract's entry in a report: the contract, what was observed, the verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from pytest_compilecheck import codec
from pytest_compilecheck.judge.figures import Figures, figures
from pytest_compilecheck.judge.outcome import Outcome
from pytest_compilecheck.judge.verdict import Verdict
from pytest_compilecheck.observe.values.observation import Observation
from pytest_compilecheck.policies.measured import Comparison


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractRecord:
    """What a report says of one contract item.

    `id` is pytest's node id, `part` the name of a block that the test itself watches (None for the
    contract of the test), `contract` the contract's own JSON form, `error` the "Type: message"
    of what the test itself raised (of a message of several lines the first), `reason` why it was
    skipped or is expected to fail: "" where none was given, None where it is neither. `leaks` is
    one sentence for each setting of torch that the test left changed (and that was put back).
    `packages` are versions, by name, of the packages that define what the test was given, or whose
    code broke, was rebuilt or fell back. `observed` is None where nothing ran. `torch` is the
    version where it is another than the report's, in one that was merged. `policies` is None where
    shape policies were not measured.
    """

    id: str
    outcome: Outcome
    contract: dict[str, Any]
    observed: Observation | None
    verdict: Verdict
    part: str | None = None
    error: str | None = None
    reason: str | None = None
    leaks: tuple[str, ...] = ()
    packages: Mapping[str, str] = field(default_factory=dict)
    torch: str | None = None
    policies: Comparison | None = None

    flattened: ClassVar[tuple[str, ...]] = ("verdict",)

    @property
    def unit(self) -> str:
        """What it is the record of: the same in every run."""
        return self.id if self.part is None else f"{self.id} ({self.part})"

    @property
    def name(self) -> str:
        """What a report calls it."""
        return self.unit if self.torch is None else under_torch(self.unit, self.torch)

    @property
    def measured(self) -> bool:
        """Whether the contract was watched to its end, so that its figures are those of the code.

        It was not where the test was skipped, where it or its fixtures raised, or where figures are
        unknown in the whole process.
        """
        ended = self.outcome not in ("skipped", "error") and self.error is None
        return ended and self.observed is not None and not self.observed.doubts

    @property
    def figures(self) -> Figures:
        """Its figures, as the summary of a run shows them."""
        return figures(self)

    def to_dict(self) -> dict[str, Any]:
        """The entry of the JSON report's "contracts" list."""
        return {
            "id": self.id,
            "part": self.part,
            "outcome": self.outcome,
            "contract": self.contract,
            "observed": self.observed.to_dict() if self.observed else None,
            "figures": codec.encode(self.figures),
            **self.verdict.to_dict(),
            "error": self.error,
            "reason": self.reason,
            "leaks": list(self.leaks),
            "packages": dict(self.packages),
            "torch": self.torch,
            "policies": self.policies.to_dict() if self.policies else None,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> ContractRecord:
        """Inverse of `to_dict`."""
        return cls(
            id=data["id"],
            part=data.get("part"),
            outcome=data["outcome"],
            contract=data["contract"],
            observed=Observation.from_dict(data["observed"]) if data["observed"] else None,
            verdict=Verdict.from_dict(data),
            error=data.get("error"),
            reason=data.get("reason"),
            leaks=tuple(data.get("leaks", ())),
            packages=data.get("packages", {}),
            torch=data.get("torch"),
            policies=Comparison.from_dict(data["policies"]) if data.get("policies") else None,
        )


def under_torch(name: str, torch: str) -> str:
    """The name of a test or a contract in a report of several releases of torch."""
    return f"{name} [torch {torch}]"


def ids_of(unit: str) -> Iterator[str]:
    """The ids of tests that a unit may be of, the longest first: itself, or one whose block it is.

    A block may have blanks and brackets in its name: "test_a.py::test (prefill (2))".
    """
    while unit:
        yield unit
        unit = unit.rpartition(" (")[0]


def is_within(unit: str, path: str) -> bool:
    """Whether a unit lies in what a call of pytest named, relative to the rootdir ("." is all)."""
    if path == ".":
        return not unit.startswith("../")
    # A folder or a file, a class or a function with all its parameters, a test with its blocks.
    ends = ("/", "::", "[", " (")
    return unit == path or any(unit.startswith(path + end) for end in ends)
