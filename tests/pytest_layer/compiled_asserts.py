"""Tests with an assert on a tensor in code that is compiled, by where the assert stands."""

from __future__ import annotations

# An assert on a tensor compiles whole in plain Python, and is a graph break once it is rewritten.
COMPILED = {
    "the function of the contract": """
        @compile_contract(shapes=[(2, 3)])
        def test_it(x):
            y = x.relu()
            assert y.sum() >= 0
            return y + 1
        """,
    "a helper": """
        def helper(y):
            assert y.sum() >= 0, "negative"
            return y + 1

        @compile_contract(shapes=[(2, 3)])
        def test_it(x):
            return helper(x.relu())
        """,
    "a helper of conftest": """
        from conftest import helper

        @compile_contract(shapes=[(2, 3)])
        def test_it(x):
            return helper(x.relu())
        """,
    "a method": """
        class TestIt:
            @compile_contract(shapes=[(2, 3)])
            def test_it(self, x):
                y = x.relu()
                assert y.sum() >= 0
                return y + 1
        """,
    "a module from a fixture": """
        class Model(torch.nn.Module):
            def forward(self, x):
                y = x.relu()
                assert y.sum() >= 0
                return y + 1

        @pytest.fixture
        def model():
            return Model()

        @compile_contract(shapes=[(2, 3)])
        def test_it(model, x):
            return model(x)
        """,
    "a module made in the fixture": """
        @pytest.fixture
        def model():
            class Model(torch.nn.Module):
                def forward(self, x):
                    y = x.relu()
                    assert y.sum() >= 0
                    return y + 1
            return Model()

        @compile_contract(shapes=[(2, 3)], compiles="model")
        def test_it(model, x):
            model(x)
        """,
    "a static method, a class method, a property": """
        class Model:
            @staticmethod
            def static(y):
                assert y.sum() >= 0
                return y + 1

            @classmethod
            def made(cls, y):
                assert y.sum() >= 0
                return y + 1

            @property
            def scale(self):
                y = torch.ones(3)
                assert y.sum() >= 0
                return y

        @compile_contract(shapes=[(2, 3)])
        def test_it(x):
            y = x.relu()
            return Model.static(y) + Model.made(y) * Model().scale
        """,
    "a closure": """
        def make(bias):
            def inner(y):
                assert y.sum() >= 0
                return y + bias
            return inner

        helper = make(3)

        @compile_contract(shapes=[(2, 3)])
        def test_it(x):
            return helper(x.relu())
        """,
    "a closure from a fixture": """
        @pytest.fixture
        def helper():
            bias = 3
            def inner(y):
                assert y.sum() >= 0
                return y + bias
            return inner

        @compile_contract(shapes=[(2, 3)])
        def test_it(helper, x):
            return helper(x.relu())
        """,
    "a nested function": """
        @compile_contract(shapes=[(2, 3)])
        def test_it(x):
            def inner(y):
                assert y.sum() >= 0
                return y + 1
            return inner(x.relu())
        """,
    "a function compiled in the test": """
        @compile_contract(watch_only=True)
        def test_it():
            def inner(y):
                assert y.sum() >= 0
                return y + 1
            torch.compile(inner, backend="eager")(torch.ones(3))
        """,
    "a decorated function": """
        import functools

        def twice(function):
            @functools.wraps(function)
            def wrapper(y):
                assert y.numel() > 0
                return function(y) + function(y)
            return wrapper

        @twice
        def helper(y):
            assert y.sum() >= 0
            return y + 1

        @compile_contract(shapes=[(2, 3)])
        def test_it(x):
            return helper(x.relu())
        """,
    "a function decorated without functools.wraps": """
        def twice(function):
            def wrapper(y):
                return function(y) + function(y)
            return wrapper

        @twice
        def helper(y):
            assert y.sum() >= 0
            return y + 1

        @compile_contract(shapes=[(2, 3)])
        def test_it(x):
            return helper(x.relu())
        """,
    "a decorated test": """
        import functools

        def quietly(function):
            @functools.wraps(function)
            def wrapper(*args, **kwargs):
                return function(*args, **kwargs)
            return wrapper

        @compile_contract(shapes=[(2, 3)])
        @quietly
        def test_it(x):
            y = x.relu()
            assert y.sum() >= 0
            return y + 1
        """,
    "a partial in a dict": """
        import functools

        def helper(scale, y):
            assert y.sum() >= 0
            return y * scale

        table = {"double": functools.partial(helper, 2)}

        @compile_contract(shapes=[(2, 3)])
        def test_it(x):
            return table["double"](x.relu())
        """,
    "a file that is not ASCII": """
        @compile_contract(shapes=[(2, 3)])
        def test_it(x):
            größe = x.relu()
            assert größe.sum() >= 0, "größe"
            return größe + 1
        """,
    "a closure that each run makes anew": """
        @pytest.fixture
        def apply():
            def apply(function, y):
                return function(y)
            return apply

        @compile_contract(compiles="apply", shapes=[(2, 3)])
        def test_it(apply, x):
            def inner(y):
                assert y.sum() >= 0
                return y + 1
            apply(inner, x.relu())
            apply(inner, x.relu())
        """,
    "a module made in the body": """
        @pytest.fixture
        def apply():
            def apply(model, y):
                return model(y)
            return apply

        @compile_contract(compiles="apply", shapes=[(2, 3)], max_recompiles=None)
        def test_it(apply, x):
            class Model(torch.nn.Module):
                def forward(self, x):
                    y = x.relu()
                    assert y.sum() >= 0
                    return y + 1
            apply(Model(), x)
        """,
    "a module with odd objects": """
        class Proxy:
            def __getattribute__(self, name):
                raise RuntimeError(name)

        class Slots:
            __slots__ = ("function",)

        odd = [Proxy(), Slots(), torch.nn.Linear(1, 1), pytest, 3]
        odd.append(odd)

        @compile_contract(shapes=[(2, 3)])
        def test_it(x):
            y = x.relu()
            assert y.sum() >= 0
            return y + 1
        """,
    "a partial of a function without a name": """
        import functools

        def helper(scale, y):
            assert y.sum() >= 0
            return y * scale

        helper = functools.partial(helper, 2)

        @compile_contract(shapes=[(2, 3)])
        def test_it(x):
            return helper(x.relu())
        """,
    "a function in an object": """
        class Register:
            def __init__(self, function):
                self.function = function

            def __call__(self, *args):
                return self.function(*args)

        @Register
        def helper(y):
            assert y.sum() >= 0
            return y + 2

        @compile_contract(shapes=[(2, 3)])
        def test_it(x):
            return helper(x.relu())
        """,
    "a function in a list": """
        def helper(y):
            assert y.sum() >= 0
            return y + 2
        table = [helper]
        del helper

        @compile_contract(shapes=[(2, 3)])
        def test_it(x):
            return table[0](x.relu())
        """,
    "a function under no_grad": """
        @torch.no_grad()
        def helper(y):
            assert y.sum() >= 0
            return y + 2

        @compile_contract(shapes=[(2, 3)])
        def test_it(x):
            return helper(x.relu())
        """,
    "a function compiled where it is defined": """
        @torch.compile(backend="eager")
        def helper(y):
            assert y.sum() >= 0
            return y + 2

        @compile_contract(watch_only=True, shapes=[(2, 3)])
        def test_it(x):
            helper(x.relu())
        """,
    "an autograd function": """
        class F(torch.autograd.Function):
            @staticmethod
            def forward(ctx, y):
                assert y.sum() >= 0
                return y + 2
            @staticmethod
            def backward(ctx, g):
                return g

        @compile_contract(shapes=[(2, 3)])
        def test_it(x):
            return F.apply(x.relu())
        """,
    "a hook of a module": """
        @pytest.fixture
        def model():
            m = torch.nn.ReLU()
            def hook(module, args, out):
                assert out.sum() >= 0
                return out + 1
            m.register_forward_hook(hook)
            return m

        @compile_contract(shapes=[(2, 3)], compiles="model")
        def test_it(model, x):
            model(x)
        """,
    "two threads": """
        import threading
        @pytest.fixture
        def model():
            def f(y):
                assert y.sum() >= 0
                return y + 1
            return f

        @compile_contract(shapes=[(2, 3)], compiles="model")
        def test_it(model, x):
            ts = [threading.Thread(target=model, args=(x.relu(),)) for _ in range(2)]
            for t in ts: t.start(); t.join()
        """,
    "a module registered for rewriting": """
        from rewritten import helper
        @compile_contract(shapes=[(2, 3)])
        def test_it(x):
            return helper(x.relu())
        """,
}
