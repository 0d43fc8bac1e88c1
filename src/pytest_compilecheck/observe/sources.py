"""What each figure rests on, held against what a watch of a known program saw.

The program (`self_check`) breaks once, at a known line, and is called three times: the first call
compiles two graphs, the second one more because a flag changed, the third hits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from pytest_compilecheck.observe.assembly.break_text import BreakText
from pytest_compilecheck.observe.events import BreakEvent
from pytest_compilecheck.observe.recording.conversion import Call, Conversion
from pytest_compilecheck.observe.values.doubt import FIGURES, Doubt, Figure
from pytest_compilecheck.releases import KNOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What was heard of the program: its calls, cache misses in each, where and how it breaks."""

    calls: Sequence[Call]
    misses: Sequence[int]
    line: int
    read: Callable[[str], BreakText]

    @property
    def conversions(self) -> list[Conversion]:
        """Those of all calls."""
        return list(chain.from_iterable(call.conversions for call in self.calls))

    @property
    def breaks(self) -> list[BreakEvent]:
        """The events of the one break."""
        return list(chain.from_iterable(each.breaks for each in self.conversions))

    @property
    def rebuilds(self) -> list[Conversion]:
        """Conversions of the second call that came with the guards that failed."""
        return [each for each in self.calls[1].conversions if each.reasons]


@dataclass(frozen=True, slots=True)
class Source:
    """Something that torch tells, and the figures that rest on it.

    `silence` says what was done and not heard of; `delivers` whether it was.
    """

    silence: str
    figures: tuple[Figure, ...]
    delivers: Callable[[Heard], bool]


def doubts_of(heard: Heard, torch_version: str) -> Iterator[Doubt]:
    """A doubt for each source that did not deliver.

    Behind one without which no other can deliver the others have nothing to say.
    """
    for source in _SOURCES:
        if not source.delivers(heard):
            yield doubt(source.figures, source.silence, torch_version)
            if set(source.figures) >= set(_BUT_CALLS):
                return


def doubt(figures: tuple[Figure, ...], silence: str, torch_version: str) -> Doubt:
    """Figures that are unknown, with what to do about it."""
    return Doubt(
        figures,
        f"{silence} (self-check under torch {torch_version}); use torch {KNOWN}, without other"
        " tools that replace parts of torch.compile, or set no bound on it",
    )


def _enters(heard: Heard) -> bool:
    return len(heard.calls) == 3


def _converts(heard: Heard) -> bool:
    return any(each.outcome.compiled for each in heard.conversions)


def _makes_graphs(heard: Heard) -> bool:
    return [sum(len(each.graphs) for each in call.conversions) for call in heard.calls] == [2, 1, 0]


def _launches(heard: Heard) -> bool:
    return [len(call.launched) for call in heard.calls] == [2, 2, 2]


def _breaks(heard: Heard) -> bool:
    return len(heard.breaks) > 0


def _tells_why_it_breaks(heard: Heard) -> bool:
    texts = [heard.read(each.text) for each in heard.breaks]
    return all(text.reason and text.gb_id for text in texts)


def _tells_where_it_breaks(heard: Heard) -> bool:
    return all(each.traced and each.traced[-1].line == heard.line for each in heard.breaks)


def _recompiles(heard: Heard) -> bool:
    return len(heard.rebuilds) > 0


def _tells_what_changed(heard: Heard) -> bool:
    told = [
        (change.source, change.expected, change.actual)
        for each in heard.rebuilds
        for change in each.changes
    ]
    return not heard.rebuilds or told == [("flag", "True", "False")]


def _tells_what_is_assumed(heard: Heard) -> bool:
    return all(each.outcome.graph for each in heard.conversions if each.outcome.compiled)


def _misses(heard: Heard) -> bool:
    return heard.misses[1] > 0 and heard.misses[2] == 0


def _takes_time(heard: Heard) -> bool:
    first, _, hit = heard.calls
    return first.compile_seconds > 0 and hit.compile_seconds == 0


_BUT_CALLS: Final = tuple(each for each in FIGURES if each != "calls")

# What makes the most doubtful comes first.
_SOURCES: Final = (
    Source("three calls were made, and torch told of others", FIGURES, _enters),
    Source("code was compiled, and torch told of no frame", _BUT_CALLS, _converts),
    Source(
        "three graphs were compiled, and torch told of others",
        # A call that compiles looks like a warm one then, or like one that ran eagerly.
        tuple(
            each
            for each in _BUT_CALLS
            if each not in ("graph_breaks", "recompiles", "compile_seconds")
        ),
        _makes_graphs,
    ),
    Source(
        "two graphs ran in each call, and other launches were counted",
        ("graph_launches", "fallbacks", "hit_rate", "kernels"),
        _launches,
    ),
    Source(
        "a function broke, and torch told of no graph break",
        # A function that is left to Python because it breaks is a fallback.
        ("graph_breaks", "fallbacks", "hit_rate"),
        _breaks,
    ),
    Source(
        "a graph break came without its reason or the id of it",
        ("graph_breaks",),
        _tells_why_it_breaks,
    ),
    Source("a graph break came with another place", ("graph_breaks",), _tells_where_it_breaks),
    Source(
        "a function was compiled again, and torch told of no guard that failed",
        # Rebuilds look like first compiles then, and count among what is captured.
        ("recompiles", "captured_ops", "opaque_ops", "kernels", "dynamic_dims"),
        _recompiles,
    ),
    Source(
        "the guard that failed could not be told with its value before and after",
        ("recompiles", "dynamic_dims"),
        _tells_what_changed,
    ),
    Source(
        "what a compiled graph assumes could not be read",
        ("fragile_guards", "dynamic_dims"),
        _tells_what_is_assumed,
    ),
    Source(
        "a cached graph did not serve a call, and torch told of no cache miss",
        ("fallbacks", "hit_rate"),
        _misses,
    ),
    Source("the seconds of compiling were not measured", ("compile_seconds",), _takes_time),
)
