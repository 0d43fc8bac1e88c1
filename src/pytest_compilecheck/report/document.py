"""The JSON report: one document, with a version and a published schema."""

from __future__ import annotations

import importlib.resources
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pytest_compilecheck.judge.audited import AuditedTest
from pytest_compilecheck.judge.record import ContractRecord

SCHEMA = "pytest-compilecheck/1"


def document(
    records: Iterable[ContractRecord],
    *,
    torch: str,
    python: str,
    complete: bool,
    audit: Iterable[AuditedTest] | None = None,
) -> dict[str, Any]:
    """The whole report as JSON-able data, contracts sorted by id.

    Args:
        records: one for each contract item.
        torch: version of torch, "2.13.0".
        python: version of Python, "3.11.7".
        complete: False if the run was stopped, so that contracts are missing.
        audit: one for each test that was watched without a contract; None where none was to be.
    """
    data: dict[str, Any] = {
        "schema": SCHEMA,
        "torch": torch,
        "python": python,
        "complete": complete,
        "contracts": [record.to_dict() for record in sorted(records, key=_order)],
    }
    if audit is not None:
        data["audit"] = [test.to_dict() for test in sorted(audit, key=lambda each: each.id)]
    return data


def _order(record: ContractRecord) -> tuple[str, str]:
    return record.id, record.part or ""


def write_json(path: str | os.PathLike[str], document: Mapping[str, Any]) -> None:
    """Write a document as UTF-8 JSON; a reader sees the old file or the whole new one.

    Missing parent directories are made.

    Raises:
        OSError: the file cannot be written; it names `path`.
        ValueError: a number is not finite, which JSON cannot carry.
    """
    text = json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    # Paths that are no valid UTF-8 hold lone surrogates; "\udc80" is how JSON writes one.
    content = text.encode("utf-8", errors="backslashreplace")
    target = Path(path)
    beside = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            beside.write_bytes(content)
            os.replace(beside, target)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error


def schema() -> dict[str, Any]:
    """The published JSON Schema of the document (draft 2020-12)."""
    package = importlib.resources.files("pytest_compilecheck.report")
    text = (package / "schema" / "report-1.json").read_text(encoding="utf-8")
    data: dict[str, Any] = json.loads(text)
    return data
