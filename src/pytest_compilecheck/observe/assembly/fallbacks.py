"""Finds the work that ran eagerly without an error."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from types import CodeType

from pytest_compilecheck.observe.assembly.break_text import SKIPS_REST
from pytest_compilecheck.observe.assembly.bytecode import does_work
from pytest_compilecheck.observe.reason_text import without_place
from pytest_compilecheck.observe.recording.conversion import Call, Conversion, Graph
from pytest_compilecheck.observe.source import Ownership, author_name, resumed_line
from pytest_compilecheck.observe.values.observation import CallKind, Fallback, FallbackKind

_NO_GRAPH = "there is no tensor operation in it, so torch compiled nothing"
_NEVER_AGAIN = "from this call on torch does not try it again"


def conversion_fallback(conversion: Conversion, ownership: Ownership) -> FallbackKind | None:
    """The kind of fallback that a conversion is, or None. The first that applies counts."""
    outcome = conversion.outcome
    if outcome.raised or outcome.skip == "skip_file" or conversion.variant_of is not None:
        return None
    if outcome.compiled:
        return "skipped_frame" if _gave_up_rest(conversion) else None
    if outcome.skip == "disabled":
        return "disabled" if conversion.is_root or conversion.had_entries else None
    if outcome.at_limit:
        return "recompile_limit"
    if outcome.errors_suppressed and any(not error.soft for error in conversion.errors):
        return "suppressed_error"
    return "skipped_frame" if _is_skipped_work(conversion, ownership) else None


def ran_eagerly(call: Call, kind: CallKind) -> bool:
    """Whether work of a call ran eagerly without an error; something may be compiled in it too."""
    return kind == "fallback" or (call.has_eager_work and call.error is None)


def _gave_up_rest(conversion: Conversion) -> bool:
    return bool(conversion.unresumed) or any(SKIPS_REST in e.text for e in conversion.breaks)


def _is_skipped_work(conversion: Conversion, ownership: Ownership) -> bool:
    """Whether a skipped frame had or should have had a graph."""
    if conversion.is_root or conversion.had_entries:
        return True
    owner = ownership.owner(conversion.code.co_filename)
    if owner == "torch":
        return False
    failed = bool(conversion.errors or conversion.breaks or _is_generator(conversion.code))
    if failed:  # a library's logging call fails as well; what has no tensors is no lost work
        return owner == "own" or conversion.reaches_tensor
    # torch's look at a frame is shallow: it takes work on a tuple's subclass for none. Library code
    # that is resumed behind a break mostly hands a result on, so only the author's own counts.
    resumed = owner == "own" and resumed_line(conversion.code.co_name) is not None
    overlooked = conversion.outcome.skip == "no_tensors" and conversion.reaches_tensor
    return resumed and overlooked and does_work(conversion.code)


def _is_generator(code: CodeType) -> bool:
    return bool(code.co_flags & inspect.CO_GENERATOR)


_Key = tuple[FallbackKind, int | str]
"""Kind, and the id of the code or another name for what ran eagerly (equal codes may differ)."""


class FallbackFinder:
    """Makes the fallbacks of a watch."""

    def __init__(self, ownership: Ownership) -> None:
        self._ownership = ownership
        self._codes: dict[int, CodeType] = {}

    def find(
        self,
        conversions: Sequence[Conversion],
        eager_calls: Sequence[Call],
        graphs: Sequence[Graph],
    ) -> list[Fallback]:
        """All fallbacks: of frames in the order they were met, then those that only calls show.

        `eager_calls` are those in which work ran eagerly, whatever their kind (`ran_eagerly`).
        """
        found: dict[_Key, tuple[str, set[int]]] = {}
        roots: dict[int, _Key] = {}
        for conversion in conversions:
            kind = conversion_fallback(conversion, self._ownership)
            if kind is None:
                continue
            if not graphs and _has_nothing_to_compile(conversion):
                kind = "nothing_compiled"
            self._codes[id(conversion.code)] = conversion.code
            key: _Key = (kind, id(conversion.code))
            _, calls = found.setdefault(key, (_reason(conversion, kind), set()))
            if conversion.call is not None:
                calls.add(conversion.call)
            if conversion.is_root and conversion.region is not None:
                roots[conversion.region.number] = key
        for call in eager_calls:
            self._attribute(call, found, roots, graphs)
        return [self._fallback(key, reason, calls) for key, (reason, calls) in found.items()]

    def _attribute(
        self,
        call: Call,
        found: dict[_Key, tuple[str, set[int]]],
        roots: dict[int, _Key],
        graphs: Sequence[Graph],
    ) -> None:
        """Put a call that ran eagerly under the fallback that explains it."""
        for stance in call.eager_stances:
            self._switch(stance, found).add(call.index)
        if call.stance != "default" and (not call.launched or call.unanswered > 0):
            self._switch(call.stance, found).add(call.index)
        elif call.unanswered > 0:
            at_limit = [key for key in found if key[0] == "recompile_limit"]
            if len(at_limit) == 1:
                found[at_limit[0]][1].add(call.index)
            else:
                reason = self._limit_of(at_limit)
                found.setdefault(("recompile_limit", ""), (reason, set()))[1].add(call.index)
        elif any(call.index in calls for _, calls in found.values()):
            return  # told already
        elif call.region.number in roots:
            found[roots[call.region.number]][1].add(call.index)
        elif len(skips := [key for key in found if key[0] != "disabled"]) == 1:
            found[skips[0]][1].add(call.index)
        else:
            kind: FallbackKind = "skipped_frame" if graphs or skips else "nothing_compiled"
            reason = "no compiled graph ran in this call, and torch gives no reason"
            found.setdefault((kind, ""), (reason, set()))[1].add(call.index)

    @staticmethod
    def _switch(stance: str, found: dict[_Key, tuple[str, set[int]]]) -> set[int]:
        """The calls that ran eagerly since this stance wanted it."""
        if stance == "disabled":
            reason = (
                "compilation is switched off (TORCH_COMPILE_DISABLE or disable=True), or "
                "something replaced torch.compile"
            )
            return found.setdefault(("disabled", "switch"), (reason, set()))[1]
        reason = f"torch.compiler.set_stance({stance!r}) was in force"
        return found.setdefault(("disabled", stance), (reason, set()))[1]

    def _limit_of(self, keys: list[_Key]) -> str:
        names = [author_name(self._codes[key].co_name) for _, key in keys if isinstance(key, int)]
        if names:
            return f"one of {', '.join(names)} is at the recompile limit and met new inputs"
        return "no cached graph fitted and torch compiled none: the limit was reached before"

    def _fallback(self, key: _Key, reason: str, calls: set[int]) -> Fallback:
        kind, told_by = key
        code = self._codes.get(told_by) if isinstance(told_by, int) else None
        return Fallback(
            kind=kind,
            calls=tuple(sorted(calls)),
            function=author_name(code.co_name) if code else None,
            file=self._ownership.relative(code.co_filename) if code else None,
            line=code.co_firstlineno if code else None,
            reason=reason,
        )


def _has_nothing_to_compile(conversion: Conversion) -> bool:
    stopped = bool(conversion.breaks or conversion.errors or _unseen(conversion))
    return not stopped and conversion.outcome.skip in ("no_ops", "no_tensors")


def _unseen(conversion: Conversion) -> bool:
    """Whether torch found no tensor because it does not look inside the objects that hold one."""
    return conversion.outcome.skip == "no_tensors" and conversion.reaches_tensor


def _reason(conversion: Conversion, kind: FallbackKind) -> str:
    """One sentence on why a frame ran eagerly."""
    if kind == "recompile_limit":
        return f"the recompile limit is reached; last guard that failed: {_last_guard(conversion)}"
    if kind == "suppressed_error":
        error = next(error for error in conversion.errors if not error.soft)
        return f"torch._dynamo.config.suppress_errors hid {error.message}; {_NEVER_AGAIN}"
    if kind == "disabled":
        return "torch._dynamo.config.disable is on"
    if conversion.outcome.compiled:
        return "torch compiled the part before the graph break and left the rest to Python"
    if _has_nothing_to_compile(conversion):
        before = f"; its compiled graphs are not used any more, {_NEVER_AGAIN}"
        return _NO_GRAPH + (before if conversion.had_entries else "")
    if _unseen(conversion):
        return "torch does not look for tensors inside the objects that hold them here"
    if _is_generator(conversion.code):
        return "torch does not compile generator functions"
    if conversion.breaks:
        return "a graph break from which torch cannot resume made the whole function eager"
    if conversion.errors:
        return f"tracing ended with {conversion.errors[-1].message}; {_NEVER_AGAIN}"
    return conversion.outcome.skip_text or "torch skipped the frame and gives no reason"


def _last_guard(conversion: Conversion) -> str:
    return without_place(conversion.reasons[0].text) if conversion.reasons else "not told"
