"""Draws the trace of a program: steps that change inputs, globals and attributes, and call."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

_GLOBAL_CHANGES = {
    "flag changes": "FLAG = not FLAG",
    "counter changes": "COUNT = {small}",
    "function changes": "ACT = {function}",
    "compiler is reset": "torch._dynamo.reset()",
}
_MODULE_CHANGES = {
    "attribute changes": "NET.scale = {small}",
    "attribute changes type": "NET.scale = 2.0",
    "training changes": "NET.train({bool})",
    "items change": "NET.items = [1] * {small}",
    "submodule changes": "NET.block = Block()",
    "parameter changes": "NET.weight.requires_grad_({bool})",
    "hook added": 'NET.block.register_forward_hook(lambda *_: print("hook"))',
}
_AROUND = {
    "no_grad": "with torch.no_grad():",
    "inference mode": "with torch.inference_mode():",
    "autocast": 'with torch.autocast("cpu", dtype=torch.bfloat16):',
    "force_eager": 'with torch.compiler.set_stance("force_eager"):',
    "eager_on_recompile": 'with torch.compiler.set_stance("eager_on_recompile"):',
    "fail_on_recompile": 'with torch.compiler.set_stance("fail_on_recompile"):',
    "recompile limit": "with torch._dynamo.config.patch(recompile_limit=1):",
    "an exception": "with handling():",
    "a dispatch mode": "with torch.utils.flop_counter.FlopCounterMode(display=False):",
    "a function mode": 'with torch.device("cpu"):',
    "suppress_errors": "with torch._dynamo.config.patch(suppress_errors=True):",
}
_SETTINGS: tuple[tuple[str, dict[str, object]], ...] = (
    ("nested_graph_breaks", {"nested_graph_breaks": True}),
    ("capture_scalar_outputs", {"capture_scalar_outputs": True}),
    ("recompile_limit of 2", {"recompile_limit": 2}),
    ("no automatic dynamic", {"automatic_dynamic_shapes": False}),
)
_OF_FUNCTION = {
    "lambda": "lambda x, k: run(x, k)",
    "partial": "functools.partial(lambda s, x, k: run(x, k) * s, 2)",
    "generator": "lambda x, k: (yield run(x, k))",
    "no_grad function": "torch.no_grad()(run)",
}
_OF_MODULE = {
    "bound method": "NET.forward",
    "lambda": "lambda x, k: NET(x, k) + 1",
    "function of two modules": "lambda x, k: NET(NET(x, k), k)",
}
_INPUTS = {
    "mark_dynamic": "torch._dynamo.mark_dynamic(x, 0)",
    "mark_static": "torch._dynamo.mark_static(x)",
    "input is a Parameter": "x = nn.Parameter(x)",
    "input is a view": "x = torch.stack([x, x])[1]",
    "input is detached": "x = x.detach()",
}
_HANDLING = """\
@contextlib.contextmanager
def handling():
    try:
        raise KeyError("handled")
    except KeyError:
        yield

"""


@dataclass(slots=True)
class Steps:
    """A trace of some steps, each a function of the program."""

    rng: random.Random
    as_module: bool
    second: str | None  # a helper that is compiled as a region of its own
    used: set[str] = field(default_factory=set)
    full_graph: bool = False
    settings: dict[str, object] = field(default_factory=dict)
    before: int = 0
    fails_at: int | None = None
    _size: list[int] = field(default_factory=lambda: [3, 4])
    _k: object = 2
    _dtype: str = "float32"
    _grad: bool = False

    def lines(self) -> list[str]:
        """The regions and the steps."""
        if self.rng.random() < 0.15:
            name, self.settings = self.rng.choice(_SETTINGS)
            self._use(name)
        if self.rng.random() < 0.04:
            self.fails_at = self._use("backend that fails", self.rng.choice((0, 1, 2)))
            if self.rng.random() < 0.5:
                self.settings = self._use("errors suppressed", {"suppress_errors": True})
        target = self._target()
        lines = [f"region = compiled({target}{self._options()})"]
        regions = ["region"]
        if self.second is not None or self.rng.random() < 0.05:
            self._use("second region" if self.second else "two regions of one function")
            lines.append(f"other = compiled({self.second or target})")
            regions.append("other")
        self._size = [self.rng.choice((1, 2, 3, 3, 3, 4)), self.rng.choice((4, 4, 5, 3))]
        self._k = self.rng.choice((0, 1, 2, 2, 3))
        self._grad = self.rng.random() < 0.2
        count = self.rng.choice((2, 2, 3, 3, 4))
        if self.rng.random() < 0.08:
            self.before = self._use("watch begins after a step", 1)
        if self.rng.random() < 0.015:
            count = self._use("many steps", 12)
        for number in range(count):
            lines += self._step(number, regions, first=number == 0)
        if any("handling()" in line for line in lines):
            lines = [*_HANDLING.splitlines(), *lines]
        return [*lines, f"STEPS = [{', '.join(f'step{n}' for n in range(count))}]", ""]

    def _target(self) -> str:
        usual, others = ("NET", _OF_MODULE) if self.as_module else ("run", _OF_FUNCTION)
        if self.rng.random() < 0.88:
            return usual
        name = self.rng.choice(sorted(others))
        self._use(f"region of a {name}")
        return others[name]

    def _options(self) -> str:
        drawn = self.rng.random()
        if drawn < 0.1:
            self._use("dynamic=True")
            return ", dynamic=True"
        if drawn < 0.2:
            self._use("dynamic=False")
            return ", dynamic=False"
        if drawn < 0.25:
            self.full_graph = True
            self._use("fullgraph")
            return ", fullgraph=True"
        return ""

    def _step(self, number: int, regions: list[str], *, first: bool) -> list[str]:
        lines = [f"def step{number}():", "    global COUNT, FLAG, ACT"]
        around = ""
        if not first:
            lines += [f"    {line}" for line in self._changes()]
            if self.rng.random() < 0.12:
                name = self.rng.choice(sorted(_AROUND))
                around = self._use(f"called under {name}", _AROUND[name])
        lines.append(f"    x = {self._tensor()}")
        if self.rng.random() < 0.1:
            name = self.rng.choice(sorted(_INPUTS))
            lines.append("    " + self._use(name, _INPUTS[name]))
        indent = "    "
        if around:
            lines.append("    " + around)
            indent = "        "
        for region in regions if self.rng.random() < 0.3 else [self.rng.choice(regions)]:
            lines.append(f"{indent}call({region}, x, {self._k!r})")
        if self.rng.random() < 0.03:
            self._use("call in a thread")
            lines += [
                f"{indent}thread = threading.Thread(target=call, args=(region, x, {self._k!r}))",
                f"{indent}thread.start()",
                f"{indent}thread.join()",
            ]
        if self.rng.random() < 0.05:
            self._use("two calls in a step")
            lines.append(f"{indent}call(region, x, {self._k!r})")
        return [*lines, ""]

    def _changes(self) -> list[str]:
        """What is other than in the step before."""
        drawn = self.rng.random()
        if drawn < 0.3:
            return []
        if drawn < 0.5:
            self._size[self.rng.randrange(2)] = self.rng.choice((1, 2, 3, 4, 5, 6, 7))
            self._use("size changes")
            return []
        if drawn < 0.65:
            self._k = self._use("int changes", self.rng.choice((0, 1, 2, 3, 4, 5, True, 1.5)))
            return []
        if drawn < 0.73:
            self._dtype = self._use("dtype changes", self.rng.choice(("float32", "float64")))
            return []
        if drawn < 0.8:
            self._grad = self._use("requires_grad changes", not self._grad)
            return []
        changes = {**_GLOBAL_CHANGES, **(_MODULE_CHANGES if self.as_module else {})}
        name = self.rng.choice(sorted(changes))
        return [
            self._use(name, changes[name]).format(
                small=self.rng.choice((0, 1, 2, 3)),
                bool=self.rng.choice((True, False)),
                function=self.rng.choice(("torch.relu", "torch.sin", "(lambda t: t - 1)")),
            )
        ]

    def _tensor(self) -> str:
        rows, columns = self._size
        value = self.rng.choice(("1.0", "1.0", "-1.0", "0.5"))
        grad = ", requires_grad=True" if self._grad else ""
        plain = f"torch.full(({rows}, {columns}), {value}, dtype=torch.{self._dtype}{grad})"
        if self.rng.random() < 0.05:
            self._use("stride changes")
            return f"torch.full(({columns}, {rows}), {value}, dtype=torch.{self._dtype}{grad}).t()"
        return plain

    def _use(self, name: str, value: Any = None) -> Any:
        self.used.add(name)
        return value
