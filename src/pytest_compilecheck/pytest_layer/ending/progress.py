"""Follows a run to tell what came of each contract; lives where the reports arrive."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable
from glob import escape
from typing import Any

import pytest

from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.pytest_layer.collecting.collected import KEY, OUTPUT, Collected
from pytest_compilecheck.pytest_layer.collecting.named_paths import ignored, named
from pytest_compilecheck.pytest_layer.ending.scope import Scope

_FINISHED = (
    pytest.ExitCode.OK,
    pytest.ExitCode.TESTS_FAILED,
    pytest.ExitCode.NO_TESTS_COLLECTED,
)
# Options under which pytest collects tests and does not run them.
_ONLY_SHOWN = ("collectonly", "setuponly", "setupplan")


class Progress:
    """What is to run, what came to its end, and which workers of xdist were lost."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self.is_run = False
        """Whether tests are to run; pytest may be asked to show something of them instead."""
        self._in_loop = False
        self._ended: set[str] = set()
        self._stopped: set[str] = set()
        self._nodes: list[Any] = []
        self._given: set[str] = set()
        self._uncollected = False
        self.crashes: dict[str, str] = {}
        """Node id of the test in which a worker died, by the worker; "" where it ran none."""

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self) -> Generator[None, object, object]:
        """Note a run of tests; --fixtures, --cache-show and their like never ask for this."""
        self.is_run = not any(self._config.getoption(each, False) for each in _ONLY_SHOWN)
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        """Note that nothing stopped the run before its tests."""
        self._in_loop = True
        return (yield)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A file that could not be collected may hold contracts."""
        self._uncollected |= report.failed

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A test is at its end when it is torn down; it was stopped if its body did not pass."""
        if report.when == "call":
            (self._stopped.discard if report.passed else self._stopped.add)(report.nodeid)
        if report.when == "teardown":
            self._ended.add(report.nodeid)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodeready(self, node: Any) -> None:
        """Hold on to a worker: what it sends at its end may come after the last event."""
        self._nodes.append(node)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Iterable[str]) -> None:
        """All tests that a worker is to run, for the case that none lives to say more."""
        self._given.update(ids)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """Note that a worker died."""
        if error is not None:
            self.crashes.setdefault(node.gateway.id, "")

    @pytest.hookimpl(optionalhook=True)
    def pytest_handlecrashitem(self, crashitem: str, report: Any) -> None:
        """Note the test in which it died."""
        self.crashes[report.node.gateway.id] = crashitem

    @property
    def has_begun(self) -> bool:
        """Whether the run got as far as its tests: no worker does where the call is wrong."""
        told = [output.get("exitstatus") for output in self._outputs()]
        return self._in_loop and (not told or set(told) != {pytest.ExitCode.USAGE_ERROR})

    def scope(
        self, session: pytest.Session, exitstatus: int, records: Iterable[ContractRecord]
    ) -> Scope:
        """What the run covered, once it is over."""
        told = self._told()
        chosen = Collected.joined(told) if told else Collected(asking={x: x for x in self._given})
        records_of: dict[str, list[ContractRecord]] = {}
        for record in records:
            records_of.setdefault(record.id, []).append(record)
        missing = self._missing(chosen, records_of.keys())
        ended = {*chosen.names.values(), *records_of} - missing
        stopped = {chosen.names.get(nodeid, nodeid) for nodeid in self._stopped}
        ran = {
            each
            for each in ended
            if _measured(records_of.get(each, ()), is_stopped=each in stopped)
        }
        return Scope(
            ran=frozenset(ran),
            unmeasured=frozenset(ended - ran),
            left_out=frozenset(chosen.left_out) - ended - missing,
            missing=frozenset(missing),
            certain=bool(told) or not self._given,
            paths=named(self._config),
            not_imported=chosen.not_imported,
            ignored=(*ignored(self._config), *map(escape, chosen.passed_over)),
            collected=not self._uncollected,
            finished=self._finished(session, exitstatus),
            narrowed=bool(self._config.getoption("lf", False)),
        )

    def _finished(self, session: pytest.Session, exitstatus: int) -> bool:
        """Whether nothing stopped the run; `pytest.exit` may do so with any exit status."""
        stopped = session.shouldstop or session.shouldfail
        return self.has_begun and exitstatus in _FINISHED and not stopped

    def _told(self) -> list[Collected]:
        """By each place that collected; the same from each worker."""
        outputs = self._outputs()
        told = [Collected.from_dict(each[OUTPUT]) for each in outputs if OUTPUT in each]
        here = self._config.stash.get(KEY, None)
        return told if here is None else [here]

    def _outputs(self) -> list[dict[str, Any]]:
        """What each worker of xdist sent at its end; nothing of one that died."""
        return [getattr(node, "workeroutput", None) or {} for node in self._nodes]

    def _missing(self, chosen: Collected, recorded: Collection[str]) -> set[str]:
        """What did not come to its end, or left no record though it has a contract.

        A test in which a worker died is among them, whatever it holds: nobody knows.
        """
        names = chosen.names
        died_in = {nodeid for nodeid in self.crashes.values() if nodeid}
        unended = {nodeid for nodeid in names.keys() | died_in if nodeid not in self._ended}
        unrecorded = {each for each in chosen.contracts.values() if each not in recorded}
        return {names.get(nodeid, nodeid) for nodeid in unended} | unrecorded


def _measured(records: Iterable[ContractRecord], *, is_stopped: bool) -> bool:
    """Whether all that a test held was watched to its end, and something was.

    Blocks behind the place where a test was stopped left no record.
    """
    measured = [
        record.measured and not (is_stopped and record.part is not None) for record in records
    ]
    return bool(measured) and all(measured)
