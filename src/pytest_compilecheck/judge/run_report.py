"""The report of a whole run: what was measured with, and one record for each contract."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pytest_compilecheck.judge.audited import AuditedTest
from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.releases import best_effort

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

    `torch` and `python` are versions ("2.13.0", "3.11.7"; of reports that were merged all of them,
    with ", " between). `complete` is False if a contract that was chosen is missing, or may be:
    tests could not be collected, or the run was stopped. `audit` has one entry for each test that
    was watched without a contract, None where none was to be. `missing` are ids of tests that hold
    contracts, were chosen and did not run to their end, `left_out` of those that were collected and
    deselected, `unwatched` of those that ran, could watch blocks of their own, and watched none. In
    an audit the first two are of all tests. Of several releases of torch each id ends in its own,
    as `under_torch` has it. `paths` are what the call named, relative to the rootdir
    ("tests/test_a.py::test_b"); none are known of a report that does not tell them.
    """

    torch: str
    python: str
    complete: bool
    contracts: tuple[ContractRecord, ...]
    audit: tuple[AuditedTest, ...] | None = None
    missing: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    unwatched: tuple[str, ...] = ()
    paths: tuple[str, ...] = (".",)
    layout: Layout = field(default=Layout(), compare=False)

    @property
    def notes(self) -> list[str]:
        """What limits the whole report: releases of torch that we are not known to work under."""
        return [told for each in self.torch.split(", ") if (told := best_effort(each))]

    @property
    def contracts_by_id(self) -> list[ContractRecord]:
        """The records in the order of the JSON report."""
        return sorted(self.contracts, key=_order)

    @property
    def audit_by_id(self) -> list[AuditedTest] | None:
        """The audited tests in that order; None where none was to be."""
        return None if self.audit is None else sorted(self.audit, key=lambda each: each.id)

    def to_dict(self) -> dict[str, Any]:
        """The JSON report: everything sorted by id."""
        data: dict[str, Any] = {
            "schema": SCHEMA,
            "torch": self.torch,
            "python": self.python,
            "complete": self.complete,
            "missing": sorted(self.missing),
            "left_out": sorted(self.left_out),
            "unwatched": sorted(self.unwatched),
            "paths": sorted(self.paths),
            "notes": self.notes,
            "contracts": [record.to_dict() for record in self.contracts_by_id],
        }
        if self.audit_by_id is not None:
            data["audit"] = [each.to_dict() for each in self.audit_by_id]
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
            missing=tuple(data.get("missing", ())),
            left_out=tuple(data.get("left_out", ())),
            unwatched=tuple(data.get("unwatched", ())),
            paths=tuple(data.get("paths", ())),
        )


def _order(record: ContractRecord) -> tuple[str, str, str]:
    return record.id, record.part or "", record.torch or ""
