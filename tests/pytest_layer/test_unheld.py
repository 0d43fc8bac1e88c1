"""Contracts in a test module on what pytest makes no test of: nobody would hold them."""

from __future__ import annotations

from textwrap import dedent

import pytest

from pytest_layer.projects import Project, assert_shows

NO_TEST = "test_it.py:*: nobody holds the contract of {0}, which is no test: make a test of it, "
# With the names that are told.
UNHELD = {
    "a function": (
        """
        @compile_contract(shapes=[(2, 4)])
        def scale(x): return x * 2
        """,
        ["scale"],
    ),
    "a function with a mark": (
        """
        @pytest.mark.compile_contract(shapes=[(2, 4)])
        def scale(x): return x * 2
        """,
        ["scale"],
    ),
    "a method of a test class": (
        """
        class TestIt:
            @compile_contract(watch_only=True)
            def scale(self): pass
            def test_it(self): pass
        """,
        ["scale"],
    ),
    "a method of a unittest class": (
        """
        import unittest
        class TestIt(unittest.TestCase):
            @compile_contract(watch_only=True)
            def scale(self): pass
            def test_it(self): pass
        """,
        ["TestIt.scale"],
    ),
    "methods of a model": (
        """
        class Model(torch.nn.Module):
            @compile_contract(shapes=[(2, 4)])
            def forward(self, x): return x * 2
            @staticmethod
            @compile_contract(shapes=[(2, 4)])
            def scale(x): return x * 2
            class Inner:
                @compile_contract(shapes=[(2, 4)])
                def call(self, x): return x * 2
        Model.again = Model
        Model.Inner.outer = Model
        """,
        ["Model.forward", "Model.scale", "Model.Inner.call"],
    ),
}


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize("what", UNHELD)
def test_it_is_an_error_at_collection(project: Project, what: str, check: bool) -> None:
    text, names = UNHELD[what]
    project.tests(text)
    result = project.run(check=check)
    result.assert_outcomes(errors=1)
    assert_shows(result, *(NO_TEST.format(name) for name in names))
    assert "Traceback" not in result.stdout.str()


HELD = {
    "what stands in another module": "from library import scale",
    "a test under a second name": """
        @compile_contract(shapes=[(2, 4)])
        def test_it(x): return x * 2
        again = test_it
        """,
    "what is a test under a second name": """
        @compile_contract(shapes=[(2, 4)])
        def scale(x): return x * 2
        test_it = scale
        """,
    "what is a method of a test class": """
        @compile_contract(shapes=[(2, 4)])
        def scale(self, x): return x * 2
        class TestIt:
            test_it = scale
        """,
    "what a test class inherits": """
        class Mixin:
            @compile_contract(shapes=[(2, 4)])
            def test_it(self, x): return x * 2
        class TestIt(Mixin): pass
        """,
    "what a unittest class inherits": """
        import unittest
        class Mixin:
            @compile_contract(watch_only=True)
            def test_it(self): torch.compile(lambda x: x + 1, backend="eager")(torch.ones(3))
        class TestIt(Mixin, unittest.TestCase): pass
        """,
    "what unittest finds by a name of its own": """
        import unittest
        class TestIt(unittest.TestCase):
            @compile_contract(watch_only=True)
            def runTest(self): torch.compile(lambda x: x + 1, backend="eager")(torch.ones(3))
        """,
    "a class with a mark, to be inherited": """
        @pytest.mark.compile_contract(shapes=[(2, 4)])
        class Mixin:
            def test_it(self, x): return x * 2
        class TestIt(Mixin): pass
        """,
}


@pytest.mark.parametrize("what", HELD)
def test_what_somebody_holds_is_no_error(project: Project, what: str) -> None:
    project.file(
        "library.py",
        """
        from pytest_compilecheck import compile_contract
        @compile_contract(shapes=[(2, 4)])
        def scale(x): return x * 2
        """,
    )
    project.tests(dedent(HELD[what]) + "\ndef test_plain(): pass\n")
    outcomes = {"passed": 1 if "library" in HELD[what] else 2}
    project.run().assert_outcomes(**outcomes)


def test_unittest_knows_no_names_of_pytest(project: Project) -> None:
    project.file("pytest.ini", "[pytest]\npython_functions = check_*\n")
    project.tests(HELD["what a unittest class inherits"])
    project.run().assert_outcomes(passed=1)


def test_a_file_that_is_none_of_tests_is_let_be(project: Project) -> None:
    """Its contracts may be held in another run, and this one wants its doctests."""
    text = dedent(UNHELD["a function"][0]).replace("return", '">>> 1\\n1"; return')
    project.tests(text, "library.py")
    project.run("--doctest-modules", "library.py", check=False).assert_outcomes(passed=1)


def test_a_contract_on_runtest_is_read(project: Project) -> None:
    project.tests(
        """
        import unittest
        class TestIt(unittest.TestCase):
            @compile_contract(shapes=[(2, 4)])
            def runTest(self): pass
        """
    )
    result = project.run()
    result.assert_outcomes(errors=1)
    assert_shows(result, "test_it.py:6: unittest calls its methods itself")
