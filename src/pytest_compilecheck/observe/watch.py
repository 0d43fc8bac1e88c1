"""`watch()`: see what torch.compile does, without pytest."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from types import TracebackType
from typing import Any

import torch

from pytest_compilecheck.observe import torch_adapter
from pytest_compilecheck.observe.assembly.assemble import StepMark, assemble
from pytest_compilecheck.observe.break_ids import break_ids_by_title
from pytest_compilecheck.observe.custom_ops import CustomOpCheck
from pytest_compilecheck.observe.events import RegionGuest
from pytest_compilecheck.observe.hooks.install import TorchHooks
from pytest_compilecheck.observe.recording.conversion import Cut
from pytest_compilecheck.observe.recording.recorder import Recorder
from pytest_compilecheck.observe.self_check import self_check
from pytest_compilecheck.observe.source import OwnerLabel, Ownership
from pytest_compilecheck.observe.values.doubt import Doubt
from pytest_compilecheck.observe.values.observation import Mismatch, Observation
from pytest_compilecheck.releases import best_effort, refuse_old


class Watch:
    """What torch did between entering and leaving a `with` block; prints as the terminal report.

    A watch is used once. It may be read while it is open, for what happened so far.
    """

    def __init__(
        self,
        root: str | os.PathLike[str] | None = None,
        *,
        existing: Callable[[], Iterable[Any]] | None = torch_adapter.live_regions,
        around: RegionGuest | None = None,
        custom_ops: CustomOpCheck | None = None,
        label_owner: OwnerLabel | None = None,
    ) -> None:
        self._ownership = Ownership(
            root=os.path.abspath(root if root is not None else os.getcwd()),
            torch_directory=os.path.dirname(torch.__file__),
            label=label_owner,
        )
        self._existing = existing
        self._recorder = Recorder(torch_adapter)
        self._hooks = TorchHooks(self._recorder, around, custom_ops)
        self._custom_ops = custom_ops
        self._marks: list[StepMark] = []
        self._compiled: dict[str, range] = {}
        self._idle_steps: list[int] = []
        self._mismatches: list[Mismatch] = []
        self.memory_growth: int | None = None  # in bytes, told by the driver of a contract
        self.remade_inputs: tuple[str, ...] = ()  # told by the driver too
        self.doubts: tuple[Doubt, ...] = ()  # what no watch of this process can know
        self._finished: Observation | None = None
        self._entered = False

    def __enter__(self) -> Watch:
        if self._entered:
            raise RuntimeError("a watch is used once: make a new one with watch()")
        refuse_old(torch.__version__)
        self._entered = True
        self.doubts = self_check()
        try:
            self._hooks.install(self._existing)
        except BaseException:
            self._hooks.remove()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._hooks.remove()
        self._recorder.settle(error)
        self._recorder.close()
        self._finished = self._assembled()
        # The records hold code objects and graphs; the facts are enough.
        self._recorder = Recorder(torch_adapter)
        self._hooks = TorchHooks(self._recorder)

    @property
    def observation(self) -> Observation:
        """The facts, as plain values."""
        return self._finished if self._finished is not None else self._assembled()

    @property
    def root(self) -> str:
        """The directory whose code counts as own."""
        return self._ownership.root

    def to_dict(self) -> dict[str, Any]:
        """The "observed" object of the JSON report."""
        return self.observation.to_dict()

    def __str__(self) -> str:
        from pytest_compilecheck.report.observed import observation_lines
        from pytest_compilecheck.report.style import plain

        note = best_effort(torch.__version__)
        told = plain(observation_lines(self.observation, root=self.root))
        return f"{note}\n\n{told}" if note else told

    def trouble(self, where: str, error: BaseException | None = None) -> None:
        """Something could not be watched: the observation says so."""
        self._recorder.trouble(where, error)

    # For the driver of a contract, which knows its own steps and what it compiles.

    @contextmanager
    def compiling(self, name: str) -> Iterator[None]:
        """Regions that are made in the block belong to this parameter."""
        first = self._recorder.regions_made
        yield
        self._compiled[name] = range(first, self._recorder.regions_made)

    @property
    def made_nothing(self) -> bool:
        """Whether torch.compile made no region of anything that it was to compile."""
        return bool(self._compiled) and not any(map(len, self._compiled.values()))

    def begin_step(
        self, step: int, pass_: int, sizes: Mapping[str, tuple[int, ...]], weight: int
    ) -> None:
        """Calls from now on belong to this step of a trace."""
        self._marks.append(StepMark(self._recorder.calls_made, step, pass_, sizes, weight))

    def differed(self, step: int, pass_: int, difference: str, *, compared: bool) -> None:
        """A step gave something else than its eager run, or could not be compared."""
        self._mismatches.append(
            Mismatch(step=step, pass_=pass_, difference=difference, compared=compared)
        )

    @contextmanager
    def unobserved(self) -> Iterator[None]:
        """What runs in the block runs eagerly and is no part of what is watched."""
        with self._recorder.ignored(), torch.compiler.set_stance("force_eager"):
            yield

    def end_step(self, *, seconds: float, error: BaseException | None, makes_call: bool) -> None:
        """The step is over.

        One that should have made a call of what is compiled and made none ran with compilation
        switched off: nothing of torch sees it, so it is noted here. Regions of others may have been
        called in it.
        """
        self._recorder.settle(error)
        idle = self._recorder.calls_made == self._marks[-1].first_call
        if makes_call and (idle or self.made_nothing):
            self._recorder.skipped_call(seconds, error)
        elif idle and self._marks[-1].step not in self._idle_steps:
            self._idle_steps.append(self._marks[-1].step)

    def cut(self) -> Observation:
        """What was seen since the last cut; it is forgotten then, the watch goes on."""
        records = self._recorder.cut()
        renumbered = records.count_from_zero()
        self._marks = [replace(m, first_call=renumbered(m.first_call)) for m in self._marks]
        seen = self._of(records)
        self._marks.clear()
        return seen

    def _assembled(self) -> Observation:
        return self._of(self._recorder.records())

    def _of(self, records: Cut) -> Observation:
        self._ownership.troubles.clear()
        seen = assemble(
            calls=records.calls,
            conversions=records.conversions,
            graphs=records.graphs,
            known=records.compiled,
            marks=self._marks,
            ownership=self._ownership,
            ids_by_title=break_ids_by_title(),
            problems=records.troubles,
            doubts=self.doubts,
            compiled={} if self.made_nothing else self._compiled,
            idle_steps=self._idle_steps,
            mismatches=self._mismatches,
            operator_faults=self._custom_ops.faults() if self._custom_ops else None,
            backwards=records.backwards,
            rerecords=records.rerecords,
            memory_growth=self.memory_growth,
            remade_inputs=self.remade_inputs,
        )
        # Owners are asked for while the facts are put together.
        return replace(seen, problems=(*seen.problems, *self._ownership.troubles))


def watch(root: str | os.PathLike[str] | None = None) -> Watch:
    """Watch every compiled region of the process, for use in a `with` statement.

    Args:
        root: directory whose code is "own" in the report; the current directory by default.
    """
    return Watch(root)
