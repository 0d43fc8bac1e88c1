"""Compiled code runs as its author wrote it; all other code keeps its rewritten asserts."""

from __future__ import annotations

import pytest

from pytest_compilecheck.observe.as_written import AsWritten
from pytest_layer.projects import Project, assert_shows

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

CONFTEST = """
import pytest

pytest.register_assert_rewrite("rewritten")

def helper(y):
    assert y.sum() >= 0
    return y + 1
"""


def test_compiled_asserts(project: Project) -> None:
    project.file("conftest.py", CONFTEST)
    project.file("rewritten.py", CONFTEST)
    files = {f"test_{number}.py": where for number, where in enumerate(COMPILED)}
    for name, where in files.items():
        project.tests(COMPILED[where], name)
    contracts = project.report()["contracts"]
    assert len(contracts) == len(COMPILED)
    broken = {
        files[contract["id"].split("::")[0]]: (contract["violations"], contract["error"])
        for contract in contracts
        if contract["outcome"] != "passed"
    }
    assert broken == {}


@pytest.mark.parametrize("where", ["a closure from a fixture", "a module made in the fixture"])
def test_the_only_function_made_of_a_nested_code(project: Project, where: str) -> None:
    project.tests(COMPILED[where])
    project.run().assert_outcomes(passed=1)


def test_the_same_asserts_break_where_pytest_has_rewritten_them(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without this, the test above could not fail."""
    monkeypatch.setattr(AsWritten, "_look", lambda swap: None)
    project.tests(COMPILED["a helper"])
    (contract,) = project.report(outcomes={"failed": 1})["contracts"]
    assert len(contract["observed"]["break_sites"]) == 1


def test_what_is_not_compiled_keeps_rewritten_asserts(project: Project) -> None:
    project.tests(
        """
        def helper(n):
            assert n == 3, "three"
            return n

        rewritten = helper.__code__

        def test_before():
            helper(4)

        @compile_contract(shapes=[(2, 3)])
        def test_holds(x):
            return x + helper(3)

        @compile_contract(shapes=[(2, 3)])
        def test_raises(x):
            y = x + helper(3)
            raise ValueError

        @pytest.fixture
        def model():
            def inner(x):
                assert x.numel() == 6
                return x + helper(3)
            return inner

        @compile_contract(compiles="model", shapes=[(2, 3)])
        def test_body(model, x):
            model(x)
            helper(5)

        def test_after():
            assert helper.__code__ is rewritten
            helper(6)

        def test_function_of_a_contract_called_by_another():
            with pytest.raises(AssertionError, match="assert 7 == 3"):
                helper(7)
        """
    )
    result = project.run()
    result.assert_outcomes(passed=2, failed=4)
    for number in (4, 5, 6):
        result.stdout.fnmatch_lines(["*AssertionError: three", f"*assert {number} == 3"])


def test_what_a_region_runs_eagerly_keeps_its_meaning(project: Project) -> None:
    """Written code runs in a region; only the words of a failing assert are fewer."""
    project.tests(
        """
        @torch.compiler.disable
        def check(y):
            assert y.sum().item() == 99, "the sum"

        @compile_contract(shapes=[(2, 3)], max_graph_breaks=1)
        def test_it(x):
            y = x + 1
            check(y)
            return y
        """
    )
    result = project.run()
    result.assert_outcomes(failed=1)
    assert_shows(result, "> *assert y.sum().item() == 99", "AssertionError: the sum")


def test_without_rewriting(project: Project) -> None:
    project.tests(COMPILED["a helper"])
    (contract,) = project.report("--assert=plain", outcomes={"passed": 1})["contracts"]
    assert contract["observed"]["graphs"] == 1


def test_warm_calls_look_for_no_functions(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = []
    look = AsWritten._look
    monkeypatch.setattr(AsWritten, "_look", lambda swap: (looks.append(1), look(swap)))
    project.tests(
        """
        @pytest.fixture
        def model():
            return torch.nn.ReLU()

        @compile_contract(compiles="model", shapes=[(2, 3)], passes=3)
        def test_it(model, x):
            def inner(y):
                assert y.numel() == 6
                return model(y)
            for _ in range(10):
                inner(x)
        """
    )
    project.report(outcomes={"passed": 1})
    assert len(looks) <= 2 * 3  # for the `inner` of each pass, not for each of its calls
