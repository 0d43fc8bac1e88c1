"""What a report says of work that ran eagerly, and what to do about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_compilecheck.observe.values.observation import Fallback, FallbackKind, Observation
from pytest_compilecheck.report.parts.limit import limit_history, rebuilds_of
from pytest_compilecheck.report.ranges import calls_text
from pytest_compilecheck.report.style import BLANK, Line, Span, indent, line
from pytest_compilecheck.report.wording import function_name, place, printable, sentence

MEANING = "Fallbacks: work that should have run compiled ran eagerly, without an error."

KINDS: Mapping[FallbackKind, str] = {
    "disabled": "compilation is switched off",
    "recompile_limit": "torch's limit of rebuilds is reached",
    "suppressed_error": "compiling failed and the error was suppressed",
    "skipped_frame": "torch gave the function up",
    "nothing_compiled": "nothing was compiled",
}

_CAUSES_SHOWN = 3
_CURES: Mapping[FallbackKind, str] = {
    "disabled": "unset TORCH_COMPILE_DISABLE, and look for torch.compiler.set_stance(...) or"
    " torch._dynamo.config.disable in the test, the model and conftest.py",
    "recompile_limit": "take away what makes torch compile again; a higher"
    " torch._dynamo.config.recompile_limit only puts it off",
    "suppressed_error": "set torch._dynamo.config.suppress_errors = False and run again: the error"
    " then shows itself",
    "skipped_frame": "remove what makes torch give up: the reason above, or the graph break in"
    " that function",
    "nothing_compiled": "check that the compiled function does its tensor operations itself, and"
    " remove the graph break that keeps all of it out of a graph",
}


def fallbacks_section(fallbacks: Sequence[Fallback], observed: Observation) -> list[Line]:
    """Each fallback: what ran eagerly, in which calls, why, and what to do."""
    if not fallbacks:
        return []
    lines = [line(Span(MEANING, "heading"))]
    for fallback in fallbacks:
        lines += [BLANK, line(Span(fallback_title(fallback), "bad"))]
        if where := fallback_place(fallback):
            lines.append(line("  ", Span(where, "location")))
        lines += indent(fallback_facts(fallback, observed))
    return lines


def fallback_facts(fallback: Fallback, observed: Observation) -> list[Line]:
    """Why it fell back, the history of a function at its limit, what to do."""
    lines = []
    if fallback.reason.strip():
        lines.append(line(Span("why  ", "dim"), sentence(fallback.reason)))
    if fallback.kind == "recompile_limit":
        lines += limit_history(fallback, observed)
    return lines + [line(Span("fix  ", "cure"), text) for text in _cures(fallback, observed)]


def _cures(fallback: Fallback, observed: Observation) -> list[str]:
    rebuilds = rebuilds_of(fallback, observed) if fallback.kind == "recompile_limit" else []
    causes = list(dict.fromkeys(printable(rebuild.cure) for rebuild in rebuilds))
    return [*causes[:_CAUSES_SHOWN], _CURES[fallback.kind]]


def fallback_title(fallback: Fallback) -> str:
    """ "calls 8-10: torch's limit of rebuilds is reached"."""
    kind = KINDS[fallback.kind]
    return f"{calls_text(fallback.calls)}: {kind}" if fallback.calls else kind


def fallback_place(fallback: Fallback) -> str:
    """ "model/mlp.py:9 in forward", or what of it is known; empty if nothing is."""
    known = []
    if fallback.file and fallback.line:
        known.append(place(fallback.file, fallback.line))
    if fallback.function:
        known.append(f"in {function_name(fallback.function)}")
    return " ".join(known)
