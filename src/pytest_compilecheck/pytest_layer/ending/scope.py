"""What a run of pytest covered: what came of each contract, and where it looked for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import PurePosixPath

from pytest_compilecheck.judge.record import ids_of, is_within

_NO_IDS: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Ids of tests that hold contracts, by what came of them; each id is in one of the sets.

    `ran` were measured to their end, `unmeasured` came to their end without (they were skipped,
    their own code raised, or a block of theirs failed and those behind it did not run), `left_out`
    were collected and deselected, `missing` chosen and not run to their end. Where no worker of
    xdist lived to tell which tests hold contracts (not `certain`), `missing` has every test that
    did not end.

    `paths` are what the call named, relative to the rootdir, with the names of tests behind them
    ("tests/test_a.py::test_b"); `ignored` paths and patterns were not looked into. `collected`
    tells that all could be collected, `finished` that nothing stopped the run, `narrowed` that
    files were passed over without reading them (--lf). Modules of library code are `not_imported`
    where a package that they need is not there, with what Python says of it.
    """

    ran: frozenset[str] = _NO_IDS
    unmeasured: frozenset[str] = _NO_IDS
    left_out: frozenset[str] = _NO_IDS
    missing: frozenset[str] = _NO_IDS
    certain: bool = True
    paths: tuple[str, ...] = (".",)
    ignored: tuple[str, ...] = ()
    collected: bool = True
    finished: bool = True
    narrowed: bool = False
    not_imported: Mapping[str, str] = field(default_factory=dict)

    @property
    def read(self) -> bool:
        """Whether all that may hold contracts could be looked into."""
        return self.collected and not self.not_imported

    @property
    def complete(self) -> bool:
        """Whether all that was chosen has run."""
        return self.read and self.finished and not self.missing

    def covers(self, contract: str) -> bool:
        """Whether the run says what is true of a contract now, by its id or the name of a block.

        It was measured, or it is not there any more: the run looked where it would be.
        """
        known = self.ran | self.unmeasured | self.left_out | self.missing
        test = next((each for each in ids_of(contract) if each in known), None)
        if test is not None or not self.certain:
            return test in self.ran
        looked = self.collected and self.finished and not self.narrowed
        file = contract.partition("::")[0]
        inside = any(is_within(contract, path) for path in self.paths)
        folders = (file, *map(str, PurePosixPath(file).parents))
        passed_over = any(fnmatch(each, path) for each in folders for path in self.ignored)
        return looked and inside and not passed_over


def not_looked_for(scope: Scope) -> Iterator[str]:
    """What is said of modules whose contracts nobody looked for."""
    for module, why in sorted(scope.not_imported.items()):
        yield (
            f"compilecheck_modules: {module} cannot be imported ({why}), so its contracts were not"
            " looked for: install what it needs; --compilecheck-strict fails a run that lacks it"
        )


def none_held(scope: Scope, skipped: int) -> str:
    """What is said of a run with --compilecheck that ran no contract, and skipped so many."""
    counts = (
        (len(scope.left_out), "left out by the call"),
        (skipped, "skipped"),
    )
    found = ", ".join(f"{count} {what}" for count, what in counts if count)
    return f"no contract was held{f': {found}' if found else ''}"
