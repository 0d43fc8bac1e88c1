"""Contracts below what another decorator makes of their function: nobody would read them."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest

from pytest_layer.projects import Project, assert_shows

# From line 4 on; none of these uses functools.wraps.
DECORATORS = """
import functools, unittest
def retried(f):
    def inner(*given): return f(*given)
    return inner
def by_default(f):
    return lambda *given, f=f: f(*given)
def by_keyword(f):
    def inner(*given, f=f): return f(*given)
    return inner
def chained(*functions):
    def inner(): return [each() for each in functions]
    return inner
class Retried:
    def __init__(self, f): self.f = f
    def __call__(self): return self.f()
    def call(self): return self.f()
def breaks():
    print("break")
def holds():
    torch.compile(lambda x: x + 1, backend="eager")(torch.ones(3))
contract = compile_contract(watch_only=True)
mark = pytest.mark.compile_contract(watch_only=True)
"""

HIDDEN = {
    "a fixture": """
        @pytest.fixture
        @contract
        def model(): pass
        """,
    "a fixture of a decorator's function": """
        @pytest.fixture
        @retried
        @contract
        def model(): pass
        """,
    "a decorator": """
        @retried
        @contract
        def test_it(): breaks()
        """,
    "two decorators": """
        @retried
        @retried
        @contract
        def test_it(): breaks()
        """,
    "a decorator that keeps it as a default": """
        @by_default
        @contract
        def test_it(): breaks()
        """,
    "a decorator that keeps it as a default of a keyword": """
        @by_keyword
        @contract
        def test_it(): breaks()
        """,
    "a decorator that takes several": """
        @chained
        @contract
        def test_it(): breaks()
        """,
    "a decorator above a mark": """
        @retried
        @mark
        def test_it(): breaks()
        """,
    "two decorators above a mark": """
        @retried
        @retried
        @mark
        def test_it(): breaks()
        """,
    "a decorator above a mark, in a module with one": """
        pytestmark = mark
        @retried
        @mark
        def test_it(): breaks()
        """,
    "a method of an object": """
        test_it = Retried(contract(lambda: breaks())).call
        """,
    "a partial function": """
        test_it = functools.partial(contract(lambda: breaks()))
        """,
    "a partial function of a decorator's": """
        @functools.partial
        @retried
        @mark
        def test_it(): breaks()
        """,
    "a static method": """
        class TestIt:
            @staticmethod
            @retried
            @contract
            def test_it(): breaks()
        """,
    "a method": """
        class TestIt:
            @retried
            @retried
            @contract
            def test_it(self): breaks()
        """,
    "a method that is inherited": """
        class Mixin:
            @retried
            @contract
            def test_it(self): breaks()
        class TestIt(Mixin): pass
        """,
    "another of the same name": """
        class Mixin:
            @contract
            def test_it(self): breaks()
        class TestIt(Mixin):
            test_it = retried(Mixin.test_it)
        """,
    "hypothesis": """
        from hypothesis import given, strategies
        @given(n=strategies.integers())
        @contract
        def test_it(n): breaks()
        """,
    "a decorator that keeps it as an attribute": """
        def by_attribute(f):
            def inner(): return inner.f()
            inner.f = f
            return inner
        @by_attribute
        @contract
        def test_it(): breaks()
        """,
    "a property": """
        class TestIt:
            @property
            @contract
            def model(self): pass
        """,
    "what a function makes": """
        def case():
            @contract
            def run(): breaks()
            def test(): run()
            return test
        test_it = case()
        """,
}
IN_TEST_CASES = {
    "a decorator": """
        @retried
        @contract
        def test_it(self): breaks()
        """,
    "two decorators": """
        @retried
        @retried
        @contract
        def test_it(self): breaks()
        """,
    "a decorator above a mark": """
        @retried
        @mark
        def test_it(self): breaks()
        """,
    "a static method": """
        @staticmethod
        @retried
        @contract
        def test_it(): breaks()
        """,
    "an object that is called": """
        test_it = Retried(contract(lambda: breaks()))
        """,
    "a partial method": """
        test_it = functools.partialmethod(contract(lambda self: breaks()))
        """,
    "the only test": """
        @retried
        @contract
        def runTest(self): breaks()
        """,
}
ALL = HIDDEN | {
    f"{name} in a unittest class": "class TestIt(unittest.TestCase):\n"
    + indent(dedent(text), "    ")
    for name, text in IN_TEST_CASES.items()
}


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize("name", ALL)
def test_a_hidden_contract_is_refused(project: Project, name: str, check: bool) -> None:
    project.tests(DECORATORS + dedent(ALL[name]))
    project.beside = ("hypothesispytest",) if name == "hypothesis" else ()
    result = project.run(check=check)
    result.assert_outcomes(errors=1)
    assert_shows(result, "makes another object of the function, and hides the contract: put")


def test_the_place_of_a_hidden_mark(project: Project) -> None:
    project.tests(DECORATORS + dedent(HIDDEN["a decorator above a mark"]))
    assert_shows(
        project.run(),
        "1 fault in the compile contract of test_it",
        "test_it.py:27: the decorator above compile_contract makes another object",
        "@retried",
    )


LIBRARY = """
from pytest_compilecheck import compile_contract

@compile_contract(shapes=[(3,)])
def scaled():
    return 1

unnamed = compile_contract(shapes=[(3,)])(lambda: 1)

class Model:
    @compile_contract(shapes=[(3,)])
    def forward(self):
        return 1
"""
# With the number of tests that each has. The contracts in it, if any, are held where they are.
USED = {
    "a test that is made of a function": ("test_it = retried(ops.scaled)", 1),
    "two decorators": ("test_it = retried(retried(ops.scaled))", 1),
    "a function without a name": ("test_it = retried(ops.unnamed)", 1),
    "a method": ("test_it = retried(ops.Model().forward)", 1),
    "a partial function": ("test_it = functools.partial(ops.scaled)", 1),
    "a fixture": (
        """
        def fixture_of(f):
            def made(): return f
            return made
        scaling = pytest.fixture(fixture_of(ops.scaled))
        def test_it(scaling): assert scaling() == 1
        """,
        1,
    ),
    "a test that another one uses": (
        """
        @pytest.mark.compile_contract(shapes=[(3,)])
        def test_it(x): return x + 1
        test_other = functools.partial(test_it, torch.ones(3))
        """,
        2,
    ),
    "a contract of its own": (
        """
        @compile_contract(watch_only=True)
        @retried
        @contract
        def test_it(): holds()
        """,
        1,
    ),
    "a mark of its own": (
        """
        @pytest.mark.compile_contract(watch_only=True)
        @retried
        @contract
        def test_it(): holds()
        """,
        1,
    ),
    "functools.wraps": (
        """
        def kept(f):
            @functools.wraps(f)
            def inner(x): return f(x)
            return inner
        @kept
        @compile_contract(shapes=[(3,)])
        def test_it(x): return x + 1
        """,
        1,
    ),
    "functools.lru_cache": (
        """
        @functools.lru_cache
        @compile_contract(watch_only=True)
        def test_it(): holds()
        """,
        1,
    ),
    "a static method": (
        """
        class TestIt:
            @staticmethod
            @compile_contract(shapes=[(3,)])
            def test_it(x): return x + 1
        """,
        1,
    ),
    "a class with a mark in a closure": (
        """
        @pytest.mark.compile_contract(shapes=[(3,)])
        class TestIt:
            def setup_method(self): super().__init__()
            def test_it(self, x): return x + 1
        def close(kind):
            return lambda: kind
        of_class = close(TestIt)
        """,
        1,
    ),
    "a cell without contents": (
        """
        def case():
            def test(): assert True or never
            return test
            never = None
        test_it = case()
        """,
        1,
    ),
}


@pytest.mark.parametrize("name", USED)
def test_what_is_only_used_is_not_hidden(project: Project, name: str) -> None:
    text, tests = USED[name]
    project.file("ops.py", LIBRARY)
    project.tests(DECORATORS + "import ops\n" + dedent(text))
    result = project.run("-W", "ignore::pytest.PytestReturnNotNoneWarning")
    result.assert_outcomes(passed=tests)
