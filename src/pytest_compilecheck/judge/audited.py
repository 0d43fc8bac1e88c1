"""What an audit keeps of one test: what torch compiled in it, without a verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pytest_compilecheck import codec
from pytest_compilecheck.observe.values.observation import Observation


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditedTest:
    """One test of a suite: pytest's node id, its own outcome, what was observed."""

    id: str
    outcome: str
    observed: Observation

    @property
    def compiled(self) -> bool:
        """Whether it made a call of anything compiled."""
        return bool(self.observed.timeline)

    def to_dict(self) -> dict[str, Any]:
        """The entry of the JSON report's "audit" list."""
        data: dict[str, Any] = codec.encode(self)
        return data

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> AuditedTest:
        """Inverse of `to_dict`."""
        return codec.decode(cls, data)
