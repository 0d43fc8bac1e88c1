"""Raw records of a watch, made by hand: each function gives one, with any field set by keyword."""

from __future__ import annotations

from types import CodeType
from typing import Any

from pytest_compilecheck.observe.events import (
    BreakEvent,
    Outcome,
    Reason,
    StackFrame,
    TracingError,
)
from pytest_compilecheck.observe.recording.conversion import Call, Conversion, Graph, Region
from pytest_compilecheck.observe.source import Ownership
from pytest_compilecheck.observe.values.recompile import Change

MODEL = "/project/model.py"
LIBRARY = "/env/site-packages/einops/layers.py"
OPTIMIZER = "/env/site-packages/torch/optim/optimizer.py"

OWNERSHIP = Ownership(root="/project", torch_directory="/env/site-packages/torch")

COMPILED = Outcome(compiled=True)


def code(
    name: str = "forward", *, file: str = MODEL, line: int = 10, lines: int = 5, body: str = "x"
) -> CodeType:
    """The code of a function whose `def` stands at `line`, with `lines` lines of body."""
    source = "\n" * (line - 1) + "def function(x):\n" + f"    {body}\n" * lines
    found = compile(source, file, "exec").co_consts[0]
    assert isinstance(found, CodeType)
    return found.replace(co_name=name)


def resumed(name: str, after: int, *, file: str = MODEL, line: int = 10) -> CodeType:
    """The code of what torch resumes behind a break in line `after` of a function."""
    return code(f"torch_dynamo_resume_in_{name}_at_{after}", file=file, line=line)


def region(number: int = 0, root: CodeType | None = None) -> Region:
    return Region(number, created_before=False, root=root)


def graph(number: int = 0, ops: int = 1, *, rebuild: bool = False) -> Graph:
    return Graph(number, ops, rebuild)


def conversion(of: CodeType | None = None, **fields: Any) -> Conversion:
    """A frame that was compiled in call 0, no recompile, unless said otherwise."""
    return Conversion(
        **{
            "code": of if of is not None else code(),
            "call": 0,
            "region": region(),
            "had_entries": False,
            "outcome": COMPILED,
            **fields,
        }
    )


def recompiled(of: CodeType | None = None, number: int = 1, **fields: Any) -> Conversion:
    """A frame that was compiled again, to graph `number`, because of the number `n`."""
    given = {
        "reasons": reasons("n == 1"),
        "changes": (change(),),
        "had_entries": True,
        "graphs": [graph(number, rebuild=True)],
    }
    return conversion(of, **{**given, **fields})


def reasons(*guards: str) -> tuple[Reason, ...]:
    """Reasons with these guards, the newest cache entry first."""
    return tuple(
        Reason(f"0/{number}", guard)
        for number, guard in zip(reversed(range(len(guards))), guards, strict=True)
    )


def change(**fields: Any) -> Change:
    """The number `n`, an argument, was 1 and is 2."""
    return Change(
        **{
            "cause": "python_value",
            "holder": "argument",
            "source": "n",
            "expected": "1",
            "actual": "2",
            **fields,
        }
    )


def skipped(of: CodeType | None = None, skip: str = "no_ops", **fields: Any) -> Conversion:
    """A frame that torch left to Python."""
    return conversion(of, **{"outcome": Outcome(skip=skip), **fields})  # type: ignore[arg-type]


def call(index: int = 0, *launched: int, **fields: Any) -> Call:
    """A call that launched graphs of these numbers, under the default stance."""
    return Call(
        **{
            "index": index,
            "region": region(),
            "stance": "default",
            "seconds": 0.5,
            "compile_seconds": 0.25,
            "launched": launched,
            "unanswered": 0,
            "conversions": (),
            "sizes": {},
            "error": None,
            **fields,
        }
    )


def at(line: int, column: int | None = None, **fields: Any) -> StackFrame:
    """A frame of the model."""
    return StackFrame(
        **{"file": MODEL, "line": line, "function": "forward", "column": column, **fields}
    )


def broke(*traced: StackFrame, text: str = "", above: tuple[StackFrame, ...] = ()) -> BreakEvent:
    """A break whose traced stack is this, outer to inner."""
    return BreakEvent(text=text, traced=traced, above=above)


def error(message: str = "ValueError: no", *, soft: bool = False, **fields: Any) -> TracingError:
    """An exception that ended tracing."""
    return TracingError(
        **{"event": broke(), "soft": soft, "unsupported": soft, "message": message, **fields}
    )


def titled(title: str, gb_id: str | None = None) -> str:
    """The text of a break record, as torch lays it out."""
    link = f"\n For more details, visit: https://x.org/gb/{gb_id.lower()}.html\n" if gb_id else ""
    return f"Graph Break Reason: {title}\n  Explanation: why.\n  Hint: do this.\n{link}"
