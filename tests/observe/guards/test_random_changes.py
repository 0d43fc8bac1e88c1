"""Random changes from call to call, against what a counting backend saw and what the calls were."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import torch
from hypothesis import given, note, settings
from hypothesis import strategies as st
from observe.facts import watched
from torch import nn

from pytest_compilecheck.observe.values.observation import Observation
from pytest_compilecheck.observe.values.recompile import Change, RecompileEvent

Call = dict[str, Any]
"""The settings of a call, by name."""

FACTOR = 2


class Model(nn.Module):
    """Uses everything that it is given, in one graph."""

    step = 0

    def forward(
        self,
        x: torch.Tensor,
        m: torch.Tensor,
        bias: torch.Tensor | None,
        *,
        flag: bool,
        text: str,
        ratio: float,
        items: list[float],
        table: dict[str, float],
    ) -> torch.Tensor:
        y = x.sum() * ratio + m.sum() * self.step * FACTOR + len(text)
        for item in items:
            y = y + item
        for key in table:  # noqa: PLC0206 - the keys are what changes
            y = y * table[key]
        if bias is not None:
            y = y + bias.sum()
        if self.training:
            y = y + 1
        return y if flag else -y


@dataclass(frozen=True)
class Setting:
    """Something that changes: its values, and by name what is told of each in words.

    torch makes a symbol of it if it is `symbolic`.
    """

    values: tuple[Any, ...]
    words: Callable[[Any], dict[str, str]]
    symbolic: bool = False


def named(name: str, words: Callable[[Any], str] = repr) -> Callable[[Any], dict[str, str]]:
    return lambda value: {name: words(value)}


SETTINGS = {
    "size": Setting((3, 4, 5, 6), named("x.size(0)"), symbolic=True),
    "ratio": Setting((1.5, 2.5, 3.5), named("ratio"), symbolic=True),
    "dtype": Setting((torch.float32, torch.float64), named("x.dtype")),
    "grads": Setting((False, True), named("x.requires_grad")),
    "turned": Setting(
        (False, True),
        lambda turned: dict(
            zip(("m.stride(0)", "m.stride(1)"), ("1", "3") if turned else ("5", "1"), strict=True)
        ),
        symbolic=True,
    ),
    "bias": Setting((False, True), named("bias", lambda there: "Tensor" if there else "None")),
    "flag": Setting((False, True), named("flag")),
    "text": Setting(("a", "bb", "a # b"), named("text")),
    "items": Setting((1, 2, 3), named("len(items)")),
    "keys": Setting(
        (("a", "b"), ("b", "a"), ("a", "c")), named("table", lambda keys: f"keys {list(keys)}")
    ),
    "step": Setting((0, 1, 2), named("self.step")),
    "training": Setting((False, True), named("self.training")),
    "factor": Setting((2, 3), named("FACTOR")),
    "grad mode": Setting((True, False), named("grad mode", lambda on: "on" if on else "off")),
    "autocast": Setting(
        (False, True),
        named("autocast on cpu", lambda on: "on, torch.bfloat16" if on else "off"),
    ),
}
MODES = {"grad mode", "autocast on cpu"}

FIRST: Call = {name: setting.values[0] for name, setting in SETTINGS.items()}


def one_change(name: str) -> st.SearchStrategy[Call]:
    return st.sampled_from(SETTINGS[name].values).map(lambda value: {name: value})


changes = st.lists(st.sampled_from(list(SETTINGS)).flatmap(one_change), min_size=1, max_size=3).map(
    lambda several: {name: value for each in several for name, value in each.items()}
)


@st.composite
def sequences(draw: st.DrawFn) -> list[Call]:
    """Calls of which each differs in a few settings from the one before."""
    sequence = [FIRST]
    for change in draw(st.lists(changes, min_size=1, max_size=6)):
        sequence.append({**sequence[-1], **change})
    return sequence


def make(model: Model, compiled: Any, call: Call) -> None:
    """One call with these settings."""
    model.step = call["step"]
    model.train(call["training"])
    globals()["FACTOR"] = call["factor"]
    x = torch.ones(call["size"], 2, dtype=call["dtype"], requires_grad=call["grads"])
    m = torch.ones(5, 3).t() if call["turned"] else torch.ones(3, 5)
    bias = torch.ones(1) if call["bias"] else None
    with torch.set_grad_enabled(call["grad mode"]), torch.autocast("cpu", enabled=call["autocast"]):
        compiled(
            x,
            m,
            bias,
            flag=call["flag"],
            text=call["text"],
            ratio=call["ratio"],
            items=[0.5] * call["items"],
            table=dict.fromkeys(call["keys"], 0.25),
        )


def observe(sequence: Iterable[Call]) -> tuple[Observation, int]:
    """What is seen of the calls, and how many graphs a backend was given."""
    graphs = []

    def counts(module: torch.fx.GraphModule, _: object) -> Callable[..., Any]:
        graphs.append(module)
        return module.forward

    def run() -> None:
        model = Model()
        compiled = torch.compile(model, backend=counts)
        for call in sequence:
            make(model, compiled, call)

    return watched(run), len(graphs)


def words(call: Call) -> dict[str, str]:
    """All that can be told of a call, by name."""
    told: dict[str, str] = {}
    for name, setting in SETTINGS.items():
        told |= setting.words(call[name])
    return told


APART = {"zero_one": "2 or more"}
SYMBOLIC = {
    name for each in SETTINGS.values() if each.symbolic for name in each.words(each.values[0])
}


def tells_the_difference(event: RecompileEvent, before: Call, now: Call) -> bool:
    """Whether the changes are those between two calls, with the values of both.

    What is a symbol by now may be told (the graph may be from before it became one, or 1 is
    compiled apart) or not.
    """
    then, current = words(before), words(now)
    differing = {name for name in current if then[name] != current[name]}
    told = {change.source for change in event.changes}
    return differing - SYMBOLIC <= told <= differing and all(
        change.actual == current[change.source]
        and change.expected in (then[change.source], APART.get(change.special))
        for change in event.changes
    )


def check(event: RecompileEvent, sequence: list[Call]) -> None:
    now, previous = sequence[event.call], sequence[event.call - 1]
    sources = [change.source for change in event.changes]
    assert len(set(sources)) == len(sources)
    # The graph that served last is that of the call before. Where a mode differs from it, another
    # one with the mode of this call may be nearer.
    before = [previous]
    if any(words(previous)[mode] != words(now)[mode] for mode in MODES):
        before = sequence[: event.call]
    assert any(tells_the_difference(event, call, now) for call in before), told(event.changes)


def told(found: Iterable[Change]) -> list[tuple[str, str, str]]:
    return [(change.source, change.expected, change.actual) for change in found]


@settings(max_examples=25, deadline=None)
@given(sequences())
def test_the_count_is_right_and_what_is_named_did_change(sequence: list[Call]) -> None:
    seen, graphs = observe(sequence)
    note(str([(event.call, told(event.changes)) for event in seen.recompile_events]))
    assert seen.problems == ()
    assert seen.recompile_attempts == ()
    assert len(seen.recompile_events) == seen.recompiles == graphs - 1
    for event in seen.recompile_events:
        check(event, sequence)
        symbols = {change.source for change in event.changes if change.automatic_dynamic}
        assert symbols <= SYMBOLIC
