"""The `compilecheck` fixture: contracts on parts of a test."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import TracebackType
from typing import Any, TypeVar, cast

import pytest

from pytest_compilecheck.contract.faults import ContractError, Fault, Place, about
from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.contract.read import read_contract
from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.judge.violation import ContractViolation
from pytest_compilecheck.observe.as_written import AsWritten
from pytest_compilecheck.observe.errors import told
from pytest_compilecheck.observe.watch import Watch
from pytest_compilecheck.pytest_layer import settings
from pytest_compilecheck.pytest_layer.execution import PARTS
from pytest_compilecheck.pytest_layer.installed import torch_version

T = TypeVar("T")


class CompileCheck:
    """What the fixture gives to a test."""

    def __init__(self, item: pytest.Item) -> None:
        self._item = item
        self._settings = item.config.stash[settings.KEY]
        self._started = 0

    def watch(self, name: str | None = None, **fields: object) -> WatchedPart:
        """Hold a `with` block to a contract; `fields` are its bounds and exceptions.

        Nothing is reset: what was compiled before is warm. Watches may follow each other and nest.
        Without --compilecheck nothing is watched and the block is never at fault.

        Args:
            name: what the report calls the block; its number in the test where none is given.
            **fields: bounds and exceptions of a contract.

        A faulty field fails the test with its place and cure.

        Raises:
            ContractViolation: on leaving the block, which does not keep its contract.
        """
        __tracebackhide__ = True
        self._started += 1
        caller = sys._getframe(1)
        place = Place(caller.f_code.co_filename, caller.f_lineno, "compilecheck.watch")
        contract = _contract(fields, place, self._item.name)
        part = name if name is not None else f"watch {self._started}"
        return WatchedPart(self._item, contract, part)

    def compile(self, target: T, **options: object) -> T:
        """`torch.compile` with the run's backend, or the target itself without --compilecheck.

        Args:
            target: a function or module.
            **options: keywords of torch.compile; a `backend` among them wins.
        """
        if not self._settings.active:
            return target
        import torch

        wanted: dict[str, Any] = {"backend": self._settings.backend, **options}
        return cast("T", torch.compile(cast("Any", target), **wanted))


class WatchedPart:
    """A `with` block that is watched and then judged; gives the `Watch`."""

    def __init__(self, item: pytest.Item, contract: Contract, part: str) -> None:
        self._item = item
        self._contract = contract
        self._part = part
        self._active = item.config.stash[settings.KEY].active
        self._swap = AsWritten()
        self._watch = Watch(item.config.rootpath, around=self._swap)
        self._swap.trouble = self._watch.trouble

    def __enter__(self) -> Watch:
        if self._active:
            self._watch.__enter__()
        return self._watch

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        __tracebackhide__ = True
        if not self._active:
            return
        self._watch.__exit__(kind, error, trace)
        self._swap.end()
        self._conclude(error)

    def _conclude(self, error: BaseException | None) -> None:
        from pytest_compilecheck.judge.judge import judge
        from pytest_compilecheck.report.summary_line import headline

        __tracebackhide__ = True
        chosen = self._item.config.stash[settings.KEY]
        observed = self._watch.observation
        verdict = judge(self._contract, observed, torch_version(), strict=chosen.strict)
        broken = not verdict.holds and error is None
        record = ContractRecord(
            id=self._item.nodeid,
            part=self._part,
            outcome="failed" if error is not None or (broken and not chosen.warn) else "passed",
            contract=self._contract.to_dict(),
            observed=observed,
            verdict=verdict,
            error=None if error is None else told(error),
        )
        self._item.stash.setdefault(PARTS, []).append(record)
        if broken and not chosen.warn:
            raise ContractViolation(headline(record), record)


def _contract(fields: dict[str, object], place: Place, subject: str) -> Contract:
    __tracebackhide__ = True
    makers = [name for name in ("shapes", "dims", "values", "passes") if name in fields]
    faults = [Fault(about(name, _NO_TRACE), place) for name in makers]
    try:
        contract = read_contract(
            [({"watch_only": True, **fields}, place)],
            subject=subject,
            arguments=(),
            fixtures=None,
            compile_keywords=(),
            torch_version=torch_version(),
        )
    except ContractError as error:
        faults += [fault for fault in error.faults if not _is_about(makers, fault)]
    if faults:
        pytest.fail(str(ContractError(faults, subject)), pytrace=False)
    return contract


def _is_about(names: Sequence[str], fault: Fault) -> bool:
    return any(fault.message.startswith(f"{name}:") for name in names)


_NO_TRACE = "makes the inputs of a trace, and a watched block has none: leave it out"
