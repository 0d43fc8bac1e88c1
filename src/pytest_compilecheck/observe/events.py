"""What the torch adapter tells the recorder: facts in plain words, free of torch's types."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType
from typing import Any, Literal, Protocol

from pytest_compilecheck.observe.values.recompile import Change, FragileGuard

SkipReason = Literal[
    "skip_file",  # torch's own list of files that are never traced
    "disabled",  # config.disable
    "dispatch_mode",  # a TorchDispatchMode is active
    "error",  # tracing stopped with an error: a graph break, a user exception, a failed backend
    "no_tensors",  # Dynamo saw no tensor among what the frame can reach, and did not trace it
    "no_ops",  # traced to the end without a tensor operation
    "other",
]


@dataclass(frozen=True, slots=True)
class Reason:
    """Why one cached graph does not serve a call: its compile id ("0/1"), the guard that failed."""

    compile_id: str
    text: str


@dataclass(frozen=True, slots=True)
class StackFrame:
    """A frame of user code. Columns are 1-based, in characters; `end_column` is exclusive."""

    file: str
    line: int
    function: str
    column: int | None = None
    end_column: int | None = None


@dataclass(frozen=True, slots=True)
class BreakEvent:
    """Dynamo stopped capture.

    `traced` is the stack from the frame being compiled inwards, `above` the live frames outside it
    up to where the region was entered; both outer to inner.
    """

    text: str
    traced: tuple[StackFrame, ...]
    above: tuple[StackFrame, ...]


@dataclass(frozen=True, slots=True)
class TracingError:
    """An exception that ended tracing; `soft` ones (unsupported code) torch always swallows."""

    event: BreakEvent
    soft: bool
    unsupported: bool
    message: str


class FrameGuards(Protocol):
    """Explains the rebuild of a frame; it never raises."""

    def name(self, source: str) -> str:
        """The author's name for an expression of torch's."""

    def explain(self, reasons: Sequence[Reason]) -> None:
        """Find what changed, while the frame is at hand."""

    def changes(self) -> tuple[Change, ...]:
        """What changed, the main thing first; complete once the conversion is over."""


@dataclass(frozen=True, slots=True)
class FrameFacts:
    """A frame that Dynamo is asked to convert. The callables are valid only until it is done.

    `is_first` tells whether no other code that torch traces runs in the call already; `resets`
    counts how often the compile cache was emptied during the watch. `variant_of` is the number of
    the graph that runs and is compiled once more: there is no frame then.
    """

    code: CodeType
    has_entries: bool
    is_first: Callable[[], bool]
    sizes: Callable[[], dict[str, tuple[int, ...]]]
    reaches_tensor: Callable[[], bool]
    guards: FrameGuards
    resets: int = 0
    variant_of: int | None = None


@dataclass(frozen=True, slots=True)
class GraphFacts:
    """What a compiled graph assumes.

    `sizes` are those of tensors by the author's names, None where a size is a symbol; `fragile`
    are the assumptions that are likely to fail. `digest` is equal for graphs that assume the same
    of everything but sizes, None where that is not known.
    """

    sizes: Mapping[str, tuple[int | None, ...]]
    fragile: tuple[FragileGuard, ...]
    digest: int | None = None


@dataclass(frozen=True, slots=True)
class OpaqueCall:
    """A graph calls an operator that is not torch's own, from code at `traced` (outer to inner)."""

    name: str
    traced: tuple[StackFrame, ...]


@dataclass(frozen=True, slots=True)
class GeneratedCode:
    """What Inductor made of a graph: a module of Python, as text.

    `cudagraph_skip` says why the graph runs without CUDA graphs though they were asked for.
    """

    source: str
    cudagraph_skip: str | None = None


@dataclass(frozen=True, slots=True)
class GraphOrigin:
    """The code that a graph was compiled from, and the resume functions that are called then."""

    code: CodeType
    resumes: tuple[CodeType, ...] = ()


@dataclass(frozen=True, slots=True)
class RegionTarget:
    """What was handed to torch.compile: a name for it, its code where it has Python code."""

    name: str
    code: CodeType | None


@dataclass(frozen=True, slots=True)
class Specialization:
    """torch fixed a symbolic size to a number, because the code at `traced` (outer to inner) did.

    `sources` are torch's names of what is fixed ("L['x'].size()[0]"), or the author's.
    """

    sources: tuple[str, ...]
    value: str
    reason: str
    traced: tuple[StackFrame, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a conversion ended: compiled, left alone (why), or with an exception that left Dynamo.

    `graph` is what the compiled code assumes, None where it cannot be read; `resumes` are the
    resume functions that it calls.
    """

    compiled: bool = False
    graph: GraphFacts | None = None
    resumes: tuple[CodeType, ...] = ()
    at_limit: bool = False
    skip: SkipReason | None = None
    skip_text: str = ""
    errors_suppressed: bool = False
    raised: bool = False


class ConversionSink(Protocol):
    """Takes what happens while one frame is converted."""

    def broke(self, event: BreakEvent) -> None:
        """Capture stopped."""

    def failed(self, error: TracingError) -> None:
        """Tracing ended with an exception."""

    def recompiling(self, reasons: tuple[Reason, ...]) -> None:
        """Entries exist and none held: the failed guard of each, most recently hit first."""

    def specialized(self, event: Specialization) -> None:
        """A symbolic size became a number."""

    def gave_up_rest(self, event: BreakEvent) -> None:
        """The rest of the function was left to Python, without a resume function."""

    def generated(self, code: GeneratedCode) -> None:
        """Inductor made code of a graph, or of a part of one, that is being compiled."""

    def graph_compiled(self, ops: int, opaque: tuple[OpaqueCall, ...]) -> None:
        """A backend returned a callable for a graph with so many operations, opaque ones among."""

    def ended(self, outcome: Outcome) -> None:
        """The conversion is over."""


class Listener(Protocol):
    """Takes what happens between conversions."""

    def region_entry(self, created_before: bool) -> Callable[[], Callable[[], None]]:
        """A compiled region exists: give the function to run at each entry into it.

        What that one gives is run when the entry is left.
        """

    def guards_missed(self) -> None:
        """A frame with cache entries was entered and none of them held."""

    def conversion(self, frame: FrameFacts) -> ConversionSink:
        """Dynamo is about to look at a frame."""

    def current(self) -> ConversionSink | None:
        """The innermost conversion under way in this thread."""

    def compiling_variant(self) -> ConversionSink | None:
        """The graph that this thread runs is about to be compiled once more, without a frame."""

    def launch_counter(
        self, graph: Callable[..., Any], origin: GraphOrigin | None = None
    ) -> Callable[..., Any]:
        """Wrap the callable of a graph, to count its launches.

        It is the one that this thread compiled last, or one from before the watch, of this origin.
        """

    def runs_no_graph(self, origin: GraphOrigin) -> None:
        """Code from before the watch was compiled to this without a graph: it breaks at once."""

    def backward_compiled(self, seconds: float) -> None:
        """A backend compiled a backward, in so many seconds that no conversion counts.

        It may be part of a call, of this thread or of one that waits for it.
        """

    def backward_captured_anew(self, number: int, change: Change) -> None:
        """Compiled autograd captured a backward again, under this number: what is other now."""

    def recorded_again(self, reason: str) -> None:
        """A CUDA graph was recorded once more, for a reason."""

    def trouble(self, where: str, error: BaseException | None = None) -> None:
        """Something could not be watched."""


class RegionGuest(Protocol):
    """Runs around every entry into a compiled region."""

    def region_created(self) -> None:
        """There is one more region."""

    def enter(self) -> Callable[[], None]:
        """A region is entered: gives what to run when it is left."""
