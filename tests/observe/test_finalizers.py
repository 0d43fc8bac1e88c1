"""What torch keeps of graphs that are gone is let go of, and nothing else."""

from __future__ import annotations

import functools
import weakref

import torch
from torch import nn

from pytest_compilecheck.observe import torch_adapter
from pytest_compilecheck.observe.finalizers import detach_finalizers


class Owner:
    """Something with methods, which may be what a finalizer calls."""

    def __init__(self, *, done: bool = False) -> None:
        self.done = done

    def told(self, *_: object) -> None:
        pass


def is_done(thing: object) -> bool:
    return isinstance(thing, Owner) and thing.done


def test_only_finalizers_of_what_is_done_are_detached() -> None:
    waits_for = Owner()
    over, going = Owner(done=True), Owner()
    partial = functools.partial(over.told, 1)
    gone = [weakref.finalize(waits_for, over.told), weakref.finalize(waits_for, partial)]
    kept = [weakref.finalize(waits_for, going.told), weakref.finalize(waits_for, print, "over")]
    detach_finalizers(is_done)
    assert [each.alive for each in gone] == [False, False]
    assert [each.alive for each in kept] == [True, True]
    for each in kept:
        each.detach()


def finalizers_of_checkers() -> int:
    """How many finalizers hold what checks the guards of a graph."""
    found = (each.peek() for each in list(vars(weakref.finalize)["_registry"]))
    calls = (call for _, call, *_ in filter(None, found) if isinstance(call, functools.partial))
    owners = [getattr(call.func, "__self__", None) for call in calls]
    return sum(type(each) is torch_adapter.guards.CheckFunctionManager for each in owners)


def test_a_reset_leaves_nothing_that_checked_its_graphs() -> None:
    torch_adapter.reset()
    assert finalizers_of_checkers() == 0
    compiled = torch.compile(nn.Linear(3, 3), backend="eager")
    for length in (2, 3):
        compiled(torch.ones(length, 3))
    in_use = finalizers_of_checkers()
    assert in_use >= 2
    detach_finalizers(torch_adapter._checks_no_graph)
    assert finalizers_of_checkers() == in_use
    torch_adapter.reset()
    assert finalizers_of_checkers() == 0
