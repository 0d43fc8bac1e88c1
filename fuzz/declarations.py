"""Functions and classes that statements of the grammar use, by name."""

from __future__ import annotations

DECLARATIONS = {
    "deep": """\
def deep(x):
    return x * 3


deep = compiled(deep)
""",
    "Scale": """\
class Scale:
    def __init__(self, by):
        self.by = by

    def __call__(self, x):
        return x * self.by
""",
    "Odd": """\
class Odd:
    @property
    def size(self):
        print("size")
        return 2
""",
    "Vector": """\
class Vector:
    def __init__(self, value):
        self.value = value

    def __add__(self, other):
        torch._dynamo.graph_break()
        return Vector(self.value + other.value)
""",
    "Twice": """\
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2
""",
    "shallow": """\
def below(x):
    return x.cos() + 1


@torch._dynamo.disable(recursive=False)
def shallow(x):
    return below(x) + 1
""",
    "cached": """\
@functools.lru_cache
def cached(k):
    return k + 1
""",
    "Tools": """\
class Tools:
    @staticmethod
    def twice(x):
        return x * 2

    @classmethod
    def noisy(cls, x):
        print("noisy")
        return cls.twice(x)
""",
    "keyed": """\
def keyed(x, *, scale=2, shift=torch.ones(1)):
    return x * scale + shift
""",
    "starred": """\
def starred(x, *args, **names):
    for each in args:
        x = x + each
    return x + names["name"]
""",
    "Pair": """\
@dataclasses.dataclass
class Pair:
    left: torch.Tensor
    right: torch.Tensor

    def both(self):
        return self.left * self.right
""",
    "Point": """\
class Point(typing.NamedTuple):
    value: torch.Tensor
    size: int
""",
    "Quiet": """\
class Quiet:
    def __init__(self, size):
        self.size = size

    def __enter__(self):
        return self

    def __exit__(self, *args):
        return False
""",
    "Noisy": """\
class Noisy:
    def __enter__(self):
        print("enter")
        return self

    def __exit__(self, *args):
        print("exit")
""",
    "Swallow": """\
class Swallow:
    def __enter__(self):
        return self

    def __exit__(self, *args):
        return True
""",
    "scoped": """\
@contextlib.contextmanager
def scoped():
    yield 1
""",
    "off": """\
@torch.compiler.disable
def off(x):
    return x * 2
""",
    "frozen": """\
@torch.no_grad()
def frozen(x):
    return x + 1
""",
    "refuse": """\
def refuse(x, k):
    if k > 1:
        raise ValueError("refused")
    return x + k
""",
    "down": """\
def down(x, steps):
    if steps == 0:
        return x + 1
    return down(x, steps - 1) * 2
""",
    "gen": """\
def gen(x):
    yield x + 1
    yield x * 2
""",
    "noisy_gen": """\
def noisy_gen(x):
    yield x + 1
    print("between")
    yield x * 2
""",
}
