"""Which tests hold contracts, noted where they are collected: the only process, or each worker."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from pytest_compilecheck import codec
from pytest_compilecheck.pytest_layer.collecting.collection import has_contract
from pytest_compilecheck.pytest_layer.collecting.imported import NOT_IMPORTED
from pytest_compilecheck.pytest_layer.collecting.named_paths import from_rootdir
from pytest_compilecheck.pytest_layer.node_id import node_id, note_node_id
from pytest_compilecheck.pytest_layer.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """Tests with contracts. What is chosen is by the node id that pytest reports it under.

    `asking` are tests that ask for the fixture `compilecheck`, to watch blocks of their own; in an
    audit they are all others. `left_out` are ids of both sorts that were collected and then
    deselected, by whomever.
    `passed_over` are paths, relative to the rootdir, that were not looked into: files that skip
    themselves, and what a conftest or a plugin ignores. `not_imported` are modules of library code
    that need a package that is not there, with what Python says of it.
    """

    contracts: Mapping[str, str] = field(default_factory=dict)
    asking: Mapping[str, str] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    passed_over: tuple[str, ...] = ()
    not_imported: Mapping[str, str] = field(default_factory=dict)

    @property
    def names(self) -> dict[str, str]:
        """The ids of all that is chosen, by the node ids that pytest reports them under."""
        return {**self.contracts, **self.asking}

    @classmethod
    def joined(cls, parts: Iterable[Collected]) -> Collected:
        """What several workers found, each in the same tests."""
        found = tuple(parts)
        return cls(
            contracts=ChainMap(*(dict(part.contracts) for part in found)),
            asking=ChainMap(*(dict(part.asking) for part in found)),
            left_out=tuple(dict.fromkeys(each for part in found for each in part.left_out)),
            passed_over=tuple(dict.fromkeys(each for part in found for each in part.passed_over)),
            not_imported=ChainMap(*(dict(part.not_imported) for part in found)),
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON-able form, as a worker of xdist sends it."""
        data: dict[str, Any] = codec.encode(self)
        return data

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Collected:
        """Inverse of `to_dict`."""
        return codec.decode(cls, data)


KEY = pytest.StashKey[Collected]()
OUTPUT = "compilecheck_collected"
"""Key of `config.workeroutput`, which xdist carries to the controller when a worker ends."""


class CollectionNotes:
    """Compares the tests that were collected with those that are left to run."""

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        self._config = config
        self._settings = settings
        self._items: list[pytest.Item] = []
        self._passed_over: list[str] = []

    @pytest.hookimpl(wrapper=True)
    def pytest_ignore_collect(self, collection_path: Path) -> Generator[None, object, object]:
        """Note what a conftest or a plugin does not want to be looked into."""
        ignores = yield
        if ignores:
            self._passed_over.append(from_rootdir(self._config, collection_path))
        return ignores

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note a file that skips itself as a whole."""
        if report.skipped:
            self._passed_over.append(report.nodeid)

    @pytest.hookimpl(tryfirst=True)
    def pytest_itemcollected(self, item: pytest.Item) -> None:
        """Note a test before any plugin takes it out or gives it another name."""
        note_node_id(item)
        self._items.append(item)

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_make_collect_report(self) -> Generator[None, pytest.CollectReport, object]:
        """Note what --lf takes out of the files that it reads, before pytest counts it."""
        report = yield
        if self._config.getoption("lf", False):
            self._items += [node for node in report.result if isinstance(node, pytest.Item)]
        return report

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Note what is chosen, when marks that plugins add are there too."""
        chosen = set(map(id, session.items))
        gone = [item for item in self._items if id(item) not in chosen]
        self._items = []
        contracts = {item.nodeid: node_id(item) for item in session.items if self._holds(item)}
        asking = {item.nodeid: node_id(item) for item in session.items if self._asks(item)}
        not_imported = self._config.stash.get(NOT_IMPORTED, {})
        found = Collected(
            contracts=contracts,
            asking={nodeid: asking[nodeid] for nodeid in asking if nodeid not in contracts},
            left_out=tuple(node_id(item) for item in gone if self._holds(item) or self._asks(item)),
            passed_over=tuple(self._passed_over),
            not_imported=not_imported,
        )
        if hasattr(self._config, "workeroutput"):
            self._config.workeroutput[OUTPUT] = found.to_dict()
        else:
            self._config.stash[KEY] = found

    def _holds(self, item: pytest.Item) -> bool:
        return self._settings.active and has_contract(item)

    def _asks(self, item: pytest.Item) -> bool:
        return self._settings.audit or "compilecheck" in getattr(item, "fixturenames", ())
