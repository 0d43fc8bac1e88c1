"""The productions of the grammar: templates of statements and expressions.

In a template `{n}` is a number that no other statement has, `{t}` a tensor, `{i}` an int, `{c}` a
condition of plain Python, `{helper}` and `{method}` functions of the program, and a line `{block}`
stands for statements. `x` is always a tensor of two dims, `k` an int.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Production:
    """One way to write a statement. `needs` names what must be in scope."""

    name: str
    weight: int
    text: str
    needs: str = ""

    @property
    def nests(self) -> bool:
        """Whether statements stand inside it."""
        return "{block}" in self.text


TENSORS = (
    "x", "x + 1", "x * 2", "x - {i}", "x * k", "x.sin()", "torch.relu(x)", "x.abs()", "x + x.sum()",
    "torch.cat([x, x], 0)[: x.shape[0]]", "x.t().t()", "x.reshape(-1).reshape(x.shape)",
    "torch.ones_like(x) + x", "x.clone()", "x * x.size(0)", "F.relu(x + k)", "x[:, :1] + x",
)  # fmt: skip
METHOD_TENSORS = ("x * self.scale", "self.block(x)", "x + self.weight", "x + self.steps")
INTS = ("1", "2", "k", "k + 1", "x.shape[0]", "x.dim()", "len(str(k))", "COUNT")
METHOD_INTS = ("self.scale", "self.steps", "len(self.items)")
CONDITIONS = (
    "k > 2", "x.shape[0] > 3", "x.shape[1] == 4", "FLAG", "COUNT % 2", "x.requires_grad",
    "x.dtype == torch.float64", "torch.compiler.is_compiling()", "torch.is_grad_enabled()",
    "k", "isinstance(k, int)", "not FLAG and k > 1", "x.shape[0] == x.shape[1]",
)  # fmt: skip
METHOD_CONDITIONS = ("self.training", "self.steps > 1", "self.items", "self.scale == 2")

P = Production
STATEMENTS = (
    # What torch captures.
    P("operation", 30, "x = {t}"),
    P("two operations", 6, "a{n} = {t}\nx = a{n} + x"),
    P("in place", 3, "x = x.clone()\nx.add_(1)"),
    P("int arithmetic", 4, "k = {i} + 1\nx = x * k"),
    P("global counter", 3, "COUNT += 1\nx = x + COUNT", "global"),
    P("attribute counter", 3, "self.steps += 1\nx = x + self.steps", "self"),
    P("attribute", 3, "x = x * self.scale", "self"),
    P("submodule", 4, "x = self.block(x)", "self"),
    P("list attribute", 2, "for t{n} in self.items:\n    x = x + t{n}", "self"),
    P("list attribute grows", 1, "self.items.append(1)\nx = x + len(self.items)", "self"),
    P("closure module", 1, "x = BLOCK(x)"),
    P("global list grows", 1, "LOG.append(k)\nx = x + len(LOG)"),
    P("global dict grows", 1, "SEEN[k] = {i}\nx = x + len(SEEN)"),
    P("global tensor", 1, "x = x + LAST\nLAST = x.sum().detach() * 0"),
    P("cache grows", 1, "self.cache = torch.cat([self.cache, x.detach()[:1, :1]])\n"
      "x = x + self.cache.sum()", "self"),
    P("buffer", 1, "self.count.add_(1)\nx = x * self.count", "self"),
    P("module list", 2, "for m{n} in self.blocks:\n    x = m{n}(x)", "self"),
    P("sequential", 1, "x = self.pipe(x)", "self"),
    P("walrus", 1, "if (a{n} := {i}) > 2:\n    x = x + a{n}"),
    P("match", 2, "match k:\n    case 1 | 2:\n        {block}\n    case _:\n        {block}"),
    P("unpacking", 1, "a{n}, *b{n} = x, {t}, x\nx = a{n} + b{n}[0]"),
    P("f-string", 1, 'a{n} = f"{k}-{x.shape[0]}"\nx = x + len(a{n})'),
    P("deletion", 1, "a{n} = {t}\ndel a{n}"),
    P("check", 1, "torch._check(x.shape[0] > 0)"),
    P("cond", 1, "x = torch.cond(x.sum() > 0, lambda y: y + 1, lambda y: y - 1, (x,))"),
    # Branches.
    P("branch", 7, "if {c}:\n    {block}"),
    P("branch with else", 6, "if {c}:\n    {block}\nelse:\n    {block}"),
    P("branch on data", 3, "if (x.sum() > {i}):\n    {block}"),
    P("branch on data with else", 2, "if (x > 0).any():\n    {block}\nelse:\n    {block}"),
    P("early return", 2, "if {c}:\n    return x"),
    P("early return on data", 1, "if x.sum() > 90:\n    return x"),
    P("conditional expression", 2, "x = x + 1 if {c} else x - 1"),
    P("conditional on data", 1, "x = x + 1 if x.mean() > 0 else x - 1"),
    # Breaks.
    P("print", 9, 'print("p{n}")'),
    P("print of a value", 3, 'print("p{n}", {i})'),
    P("print of a tensor", 1, 'print("p{n}", x.shape, x.sum())'),
    P("print over lines", 1, 'print(\n    "p{n}",\n    {i},\n)'),
    P("explicit break", 4, "torch._dynamo.graph_break()"),
    P("item", 4, "s{n} = x.sum().item()\nx = x + s{n}"),
    P("item in a condition", 2, "if x.max().item() > 1:\n    {block}"),
    P("two items on a line", 1, "x = x + x.sum().item() + x.max().item()"),
    P("float of a tensor", 2, "x = x * float(x.mean())"),
    P("int of a tensor", 2, "k = int(x.sum()) % 4\nx = x + k"),
    P("bool of a tensor", 1, "b{n} = bool((x > 0).all())\nx = x + b{n}"),
    P("tolist", 1, "x = x + len(x.tolist())"),
    P("nonzero", 2, "x = x + torch.nonzero(x).shape[0]"),
    P("mask", 1, "x = x + x[x > 0].sum()"),
    P("disabled function", 4, "x = off(x)"),
    P("disabled function in an expression", 2, "x = off(x + 1) * off(x)"),
    P("time", 1, "time.time()"),
    P("random", 1, "x = x + random.randint(1, 1)"),
    P("logging", 1, 'logging.getLogger("fuzz").info("l{n}")'),
    P("warning", 1, 'warnings.warn("w{n}")'),
    P("id", 1, "a{n} = id(x)"),
    P("class statement", 1, "class C{n}:\n    size = 1\nx = x + C{n}.size"),
    P("import", 1, "import math as m{n}\nx = x + m{n}.floor(1.5)"),
    P("eval", 1, 'x = x + eval("1")'),
    P("string of a tensor", 1, "a{n} = str(x)"),
    P("numpy", 1, "x = x + torch.from_numpy(x.detach().numpy().copy())"),
    P("assert", 1, "assert x.shape[0] > 0"),
    P("assert on data", 1, 'assert x.numel() >= 0 and (x == x).all(), "nan"'),
    P("data pointer", 1, "a{n} = x.data_ptr()"),
    P("tensor subclass check", 1, "a{n} = type(x) is torch.Tensor\nx = x + a{n}"),
    P("unsupported builtin", 1, "a{n} = sys.getsizeof(k)"),
    # Containers.
    P("list", 3, "l{n} = [x, {t}]\nl{n}.append({t})\nx = l{n}[0] + l{n}[-1]"),
    P("dict", 3, 'd{n} = {"a": x, "b": {t}}\nd{n}["c"] = {i}\nx = d{n}["a"] + d{n}["b"]'),
    P("dataclass", 2, "p{n} = Pair(x, {t})\nx = p{n}.left + p{n}.right"),
    P("dataclass over a block", 2, "p{n} = Pair({t}, x)\n{block}\nx = p{n}.left + x"),
    P("dataclass with a method", 2, "p{n} = Pair(x, {t})\nx = p{n}.both()"),
    P("namedtuple", 2, "q{n} = Point(x, {i})\nx = q{n}.value * q{n}.size"),
    P("namedtuple over a block", 1, "q{n} = Point({t}, {i})\n{block}\nx = x + q{n}.value"),
    P("list over a block", 2, "l{n} = [x, {t}]\n{block}\nx = x + l{n}[1]"),
    P("dict over a block", 1, 'd{n} = {"a": {t}}\n{block}\nx = x + d{n}["a"]'),
    P("tuple swap", 1, "a{n}, x = x, {t}\nx = x + a{n}"),
    P("set of ints", 1, "a{n} = {1, k}\nx = x + len(a{n})"),
    P("deque", 1, "a{n} = collections.deque([x, {t}], maxlen=2)\nx = x + a{n}.pop()"),
    # Calls.
    P("helper", 12, "x = {helper}(x, k)", "helper"),
    P("helper twice", 2, "x = {helper}(x, k) + {helper}(x + 1, k)", "helper"),
    P("helper in a helper's argument", 2, "x = {helper}({helper}(x, k), k)", "helper"),
    P("method", 8, "x = self.{method}(x, k)", "method"),
    P(
        "nested function",
        3,
        "def f{n}(x):\n    global COUNT, LAST\n    {block}\n    return x\nx = f{n}(x)",
    ),
    P("closure", 2, "y{n} = {t}\ndef f{n}(x):\n    return x + y{n} * k\nx = f{n}({t})"),
    P(
        "nonlocal",
        1,
        "c{n} = 0\ndef f{n}(x):\n    nonlocal c{n}\n"
        "    c{n} += 1\n    return x + c{n}\nx = f{n}(x)",
    ),
    P("lambda", 1, "x = (lambda t: t + k)(x)"),
    P("partial", 1, "x = functools.partial({helper}, k=2)(x)", "helper"),
    P("map", 1, "for t{n} in map(lambda y: y + 1, [x, {t}]):\n    x = x + t{n}"),
    P("function argument", 2, "x = ACT(x)"),
    P("recursion", 1, "x = down(x, 2)"),
    P("compiled function", 2, "x = deep(x)"),
    P("object with __call__", 1, "x = Scale(2)(x)"),
    P("property that breaks", 1, "x = x * Odd().size"),
    P("operator method", 1, "x = (Vector(x) + Vector({t})).value"),
    P("autograd function", 1, "x = Twice.apply(x)"),
    P("disabled function that calls", 1, "x = shallow(x)"),
    P("checkpoint", 1, "x = checkpoint({helper}, x, k, use_reentrant=False)", "helper"),
    P("optimizer step", 1, "OPT.step()", "self"),
    P("region calls itself", 1, "if k is not None and k > 2:\n    x = region(x, 1)"),
    P("cached function", 1, "x = x + cached(k)"),
    P("static method", 1, "x = Tools.twice(x)"),
    P("class method that breaks", 1, "x = Tools.noisy(x)"),
    P("keywords and defaults", 1, "x = keyed(x, scale={i})"),
    P("star arguments", 1, "x = starred(x, *[{i}, k], name=x)"),
    P("sort with a key", 1, "x = sorted([x, x + 1], key=lambda y: k)[0]"),
    # Loops and comprehensions.
    P("for", 4, "for i{n} in range(2):\n    {block}"),
    P("for over a shape", 2, "for i{n} in range(x.shape[0]):\n    x = x + i{n}"),
    P("for over an int", 2, "for i{n} in range(min(k, 3)):\n    x = x + {i}"),
    P(
        "for with continue",
        1,
        "for i{n} in range(3):\n    if i{n} == k:\n        continue\n    {block}",
    ),
    P("enumerate", 1, "for i{n}, t{n} in enumerate([x, {t}]):\n    x = x + t{n} * i{n}"),
    P("while", 2, "w{n} = 2\nwhile w{n} > 0:\n    w{n} -= 1\n    {block}"),
    P("while on data", 1, "while x.sum() < 9:\n    x = x.abs() + 1"),
    P("list comprehension", 2, "x = sum([x + i for i in range(2)])"),
    P("comprehension with calls", 2, "x = sum([{helper}(y, k) for y in (x, {t})])", "helper"),
    P("dict comprehension", 1, "x = sum({i: x * i for i in range(2)}.values())"),
    P("generator expression", 1, "x = sum(y + 1 for y in (x, {t}))"),
    P("generator", 1, "for t{n} in gen(x):\n    x = x + t{n}"),
    P("generator that breaks", 1, "for t{n} in noisy_gen(x):\n    x = x + t{n}"),
    # Context managers.
    P("no_grad", 3, "with torch.no_grad():\n    {block}"),
    P("enable_grad", 1, "with torch.enable_grad():\n    {block}"),
    P("set_grad_enabled", 1, "with torch.set_grad_enabled({c} is True):\n    {block}"),
    P("autocast", 2, 'with torch.autocast("cpu", dtype=torch.bfloat16):\n    {block}'),
    P("autocast off", 1, 'with torch.autocast("cpu", enabled=False):\n    {block}'),
    P("nullcontext", 1, "with contextlib.nullcontext():\n    {block}"),
    P("own context", 3, "with Quiet(k):\n    {block}"),
    P("own context that breaks", 2, "with Noisy():\n    {block}"),
    P("own context from a generator", 1, "with scoped():\n    {block}"),
    P("suppress", 1, "with contextlib.suppress(ValueError):\n    {block}"),
    P("no_grad decorator", 1, "x = frozen(x)"),
    # Exceptions.
    P("try", 3, "try:\n    {block}\nexcept ValueError:\n    {block}"),
    P(
        "try and raise",
        2,
        'try:\n    {block}\n    raise ValueError("v{n}")\nexcept ValueError:\n    {block}',
    ),
    P("finally", 2, "try:\n    {block}\nfinally:\n    {block}"),
    P("helper that raises", 1, "try:\n    x = refuse(x, k)\nexcept ValueError:\n    {block}"),
    P("raise", 1, 'if k == 4:\n    raise ValueError("v{n}")'),
    P("type error", 1, 'if k == 5:\n    x = x + "no"'),
    P("context that swallows", 1, 'with Swallow():\n    {block}\n    raise ValueError("v{n}")'),
    P("shape error", 1, "if k == 3:\n    x = x.view(-1, 7)"),
    P("finally with a global", 1, "try:\n    {block}\nfinally:\n    COUNT += 0", "global"),
    P("else of a try", 1, "try:\n    {block}\nexcept ValueError:\n    x = x + 1\n"
      "else:\n    {block}"),
    P("nested try", 1, 'try:\n    try:\n        {block}\n        raise KeyError("k{n}")\n'
      "    finally:\n        {block}\nexcept KeyError:\n    x = x * 2"),
    P("lookup error", 1, "try:\n    a{n} = {}[k]\nexcept KeyError:\n    x = x - 1"),
)  # fmt: skip
