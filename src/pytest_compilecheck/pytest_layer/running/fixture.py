"""The `compilecheck` fixture: contracts on parts of a test."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import chain, count
from types import TracebackType
from typing import Any, TypeVar, cast

import pytest

from pytest_compilecheck.contract.faults import ContractError, Fault, Place, about
from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.contract.read import Layer, read_contract
from pytest_compilecheck.observe.running.driver import Block, watched_block
from pytest_compilecheck.observe.watch import Watch
from pytest_compilecheck.pytest_layer import settings
from pytest_compilecheck.pytest_layer.collecting.collection import default_layer
from pytest_compilecheck.pytest_layer.extra_bounds import names_for
from pytest_compilecheck.pytest_layer.installed import torch_version
from pytest_compilecheck.pytest_layer.running.execution import conclude
from pytest_compilecheck.pytest_layer.running.surroundings import surroundings
from pytest_compilecheck.pytest_layer.running.torch_trace import torch_trace

T = TypeVar("T")


class CompileCheck:
    """What the fixture `compilecheck` gives to a test."""

    def __init__(self, item: pytest.Item) -> None:
        self._item = item
        self._settings = item.config.stash[settings.KEY]
        self._parts: list[str] = []
        self._blocks: list[tuple[_Block, Place]] = []

    def watch(self, name: str | None = None, **fields: object) -> AbstractContextManager[Watch]:
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
        caller = sys._getframe(1)
        place = Place(caller.f_code.co_filename, caller.f_lineno, "compilecheck.watch")
        contract = _contract(self._item, fields, place)
        block = _Block(lambda: _watched_part(self._item, contract, self._part(name)))
        self._blocks.append((block, place))
        return block

    def close(self) -> None:
        """For the plugin, when the test is over: fail it for a watch that holds no block."""
        unused = [Fault(_UNUSED, place) for block, place in self._blocks if not block.entered]
        if unused:
            pytest.fail(str(ContractError(unused, self._item.name)), pytrace=False)

    def _part(self, name: str | None) -> str:
        """What the report calls a block that starts, as no other of the test."""
        wanted = str(name or f"watch {len(self._parts) + 1}")
        numbered = (f"{wanted} ({number})" for number in count(2))
        part = next(each for each in chain([wanted], numbered) if each not in self._parts)
        self._parts.append(part)
        return part

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


class _Block(AbstractContextManager[Watch]):
    """A `with` block; no decorator, which would hold each call as the same block."""

    def __init__(self, begin: Callable[[], AbstractContextManager[Watch]]) -> None:
        self._begin = begin
        self._context: AbstractContextManager[Watch] | None = None

    @property
    def entered(self) -> bool:
        return self._context is not None

    def __enter__(self) -> Watch:
        __tracebackhide__ = True
        if self._context is not None:
            raise RuntimeError("a watch is used once: make a new one with compilecheck.watch()")
        self._context = self._begin()
        return self._context.__enter__()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        __tracebackhide__ = True
        assert self._context is not None
        return self._context.__exit__(kind, error, trace)


_UNUSED = "no block ran in this watch, so that it held nothing: `with compilecheck.watch(...):`"


@contextmanager
def _watched_part(item: pytest.Item, contract: Contract, part: str) -> Iterator[Watch]:
    """A `with` block that is watched and then judged."""
    __tracebackhide__ = True
    if not item.config.stash[settings.KEY].active:
        yield Watch(item.config.rootpath)
        return
    block: Block | None = None
    try:
        with (
            torch_trace(item, part),
            watched_block(contract, surroundings(item.config), fresh=False) as block,
        ):
            yield block.watch
    finally:
        if block is not None:
            conclude(item, contract, block.run(), part, getattr(item, "funcargs", {}).values())


def _contract(item: pytest.Item, fields: dict[str, object], place: Place) -> Contract:
    __tracebackhide__ = True
    subject = item.name
    refused = [name for name in REFUSED if name in fields]
    faults = [Fault(about(name, REFUSED[name]), place) for name in refused]
    layers = [*_defaults(item.config), ({**fields, "watch_only": True}, place)]
    try:
        contract = read_contract(
            layers,
            subject=subject,
            arguments=(),
            fixtures=None,
            compile_keywords=(),
            torch_version=torch_version(),
            extra_bounds=names_for(layers, item, subject),
        )
    except ContractError as error:
        faults += [fault for fault in error.faults if not _is_about(refused, fault)]
    if faults:
        pytest.fail(str(ContractError(faults, subject)), pytrace=False)
    return contract


def _defaults(config: pytest.Config) -> list[Layer]:
    """The project's defaults, without those that are about the steps of a trace."""
    return [
        ({name: value for name, value in fields.items() if name not in _OF_STEPS}, place)
        for fields, place in default_layer(config)
    ]


def _is_about(names: Sequence[str], fault: Fault) -> bool:
    return any(fault.message.startswith(f"{name}:") for name in names)


_MAKERS = ("shapes", "dims", "values", "passes", "seed")
_POLICIES = ("policies", "preferred_policy", "policy_margin")
_OF_STEPS = (*_MAKERS, *_POLICIES, "dynamic_dims", "match_eager", "rtol", "atol", "backward")
_NO_TRACE = "makes the inputs of a trace, and a watched block has none: leave it out"
REFUSED = {
    **dict.fromkeys(_MAKERS, _NO_TRACE),
    "watch_only": "a watched block compiles nothing by itself: leave it out",
}
"""Fields that a block cannot have, each with the reason."""
