"""The report of a whole run: what was measured with, and one record for each contract."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pytest_compilecheck.judge.audited import AuditedTest
from pytest_compilecheck.judge.record import ContractRecord

SCHEMA: Final = "pytest-compilecheck/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How a report is shown, on this machine: no part of what it says, nor of its JSON.

    Relative paths in a report start from `root`; `repository` is the root of the checkout, for what
    shows source files by their path in it. Tables of a summary have `top` rows: 0 is all, None the
    usual number.
    """

    root: str = "."
    repository: str = "."
    top: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReport:
    """One run of pytest, or several that were merged.

    `torch` and `python` are versions ("2.13.0", "3.11.7"). `complete` is False if the run was
    stopped or lost a worker, so that contracts may be missing. `audit` has one entry for each test
    that was watched without a contract, None where none was to be.
    """

    torch: str
    python: str
    complete: bool
    contracts: tuple[ContractRecord, ...]
    audit: tuple[AuditedTest, ...] | None = None
    layout: Layout = field(default=Layout(), compare=False)

    def to_dict(self) -> dict[str, Any]:
        """The JSON report: contracts and audited tests sorted by id."""
        data: dict[str, Any] = {
            "schema": SCHEMA,
            "torch": self.torch,
            "python": self.python,
            "complete": self.complete,
            "contracts": [record.to_dict() for record in sorted(self.contracts, key=_order)],
        }
        if self.audit is not None:
            data["audit"] = [each.to_dict() for each in sorted(self.audit, key=lambda a: a.id)]
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> RunReport:
        """Inverse of `to_dict`."""
        audit = data.get("audit")
        return cls(
            torch=data["torch"],
            python=data["python"],
            complete=data["complete"],
            contracts=tuple(map(ContractRecord.from_dict, data["contracts"])),
            audit=None if audit is None else tuple(map(AuditedTest.from_dict, audit)),
        )


def _order(record: ContractRecord) -> tuple[str, str]:
    return record.id, record.part or ""
