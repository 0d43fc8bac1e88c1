"""What a report says of the kernels that Inductor's code launches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pytest_compilecheck.observe.values.observation import KernelKind, KernelUse, Observation
from pytest_compilecheck.report.style import Line, Span, line
from pytest_compilecheck.report.wording import plural, printable, sentence

MEANING = "Kernels that one run of the compiled code launches"
_SHORT: dict[KernelKind, str] = {
    "generated": "generated",
    "extern": "of a library",
    "fallback": "of plain operators",
}
_KINDS = {**_SHORT, "fallback": "of plain operators, which nothing is fused into"}
_SHOWN = 8


def kernels_section(observation: Observation, *, verbose: bool) -> list[Line]:
    """Kernels by kind, the most launched first; why CUDA graphs were left out, or made again."""
    kernels = observation.kernels
    lines = []
    if kernels is None:
        lines = [line("The code that Inductor made cannot be read, so its kernels are unknown.")]
    elif kernels:
        total = sum(each.launches for each in kernels)
        lines = [line(Span(f"{MEANING}: {total}", "heading"))]
        lines += [text for kind in _KINDS for text in _of_kind(kind, kernels, verbose=verbose)]
    left_out = Counter(observation.cudagraph_skips)
    lines += [_cudagraphs("CUDA graphs left out", reason) for reason in left_out]
    again = Counter(observation.cudagraph_rerecords)
    return lines + [
        _cudagraphs(f"CUDA graph recorded again, {plural(count, 'time')}", reason)
        for reason, count in again.items()
    ]


def _cudagraphs(what: str, reason: str) -> Line:
    return line(Span(f"{what}: ", "heading"), sentence(reason))


def kernels_text(kernels: Sequence[KernelUse]) -> str:
    """How many of each kind: "3 generated, 2 of a library"."""
    counts = {kind: sum(each.launches for each in kernels if each.kind == kind) for kind in _KINDS}
    return ", ".join(f"{count} {_SHORT[kind]}" for kind, count in counts.items() if count)


def _of_kind(kind: KernelKind, kernels: Sequence[KernelUse], *, verbose: bool) -> list[Line]:
    found = sorted((each for each in kernels if each.kind == kind), key=lambda each: -each.launches)
    if not found:
        return []
    shown = found if verbose else found[:_SHOWN]
    names = [
        printable(each.name) + (f" x{each.launches}" if each.launches > 1 else "") for each in shown
    ]
    more = [f"and {plural(len(found) - len(shown), 'other')}"] if len(shown) < len(found) else []
    launches = sum(each.launches for each in found)
    return [line(f"  {launches} {_KINDS[kind]}: {', '.join([*names, *more])}")]
