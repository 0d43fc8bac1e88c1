"""The exception by which a broken contract fails its test."""

from __future__ import annotations

from pytest_compilecheck.judge.record import ContractRecord


class ContractViolation(Exception):
    """A compile contract does not hold; `record` has the whole story.

    `str()` is the headline. Usable with `pytest.mark.xfail(raises=ContractViolation)`.
    """

    def __init__(self, headline: str, record: ContractRecord) -> None:
        super().__init__(headline)
        self.record = record

    def __reduce__(self) -> tuple[type[ContractViolation], tuple[str, ContractRecord]]:
        return type(self), (str(self), self.record)
