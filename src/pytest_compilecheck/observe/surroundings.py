"""Where a watch stands, and what the watches of a session need to find out only once."""

from __future__ import annotations

from dataclasses import dataclass, field

from pytest_compilecheck.observe.as_written import AsWritten
from pytest_compilecheck.observe.known_regions import KnownRegions
from pytest_compilecheck.observe.source import OwnerLabel


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What is the same for all contracts of a session.

    `root` is the directory whose code is "own", of which `label_owner` may say otherwise, by file.
    """

    root: str
    label_owner: OwnerLabel | None = None
    swap: AsWritten = field(default_factory=AsWritten)
    regions: KnownRegions = field(default_factory=KnownRegions)

    def close(self) -> None:
        """Leave torch as it was."""
        self.swap.close()
        self.regions.close()
