"""Code that ends in a way of its own: rare exceptions, and ones that cannot be told."""

from __future__ import annotations

import pytest

from pytest_layer.hostile.cases import Case, hold_cases
from pytest_layer.projects import Project

SWALLOWED = """
        def fails(graph, inputs):
            if inputs[0].shape[0] == 4:
                raise {error}
            return graph.forward

        @compile_contract(shapes=[(3,), (4,)], backend=fails, compiles="model", dynamic=False)
        def test_it(model, x):
            try:
                model(x)
            except BaseException:
                pass
"""

IN_THE_BACKEND = {
    error: Case(
        SWALLOWED.format(error=error),
        "failed",
        "2 calls raised an error of the compiler",
        {"graphs": 1, "kinds": ["compile", "error", "hit", "error"]},
    )
    for error in ("SystemExit(3)", "KeyboardInterrupt", "RecursionError", "MemoryError('by hand')")
}

IN_THE_FUNCTION = {
    error: Case(
        f"""
        def ends(x):
            y = x + 1
            raise {error}

        @compile_contract(watch_only=True, passes=1)
        def test_it(model):
            with pytest.raises({error.partition("(")[0]}):
                torch.compile(ends, backend="eager")(torch.ones(3))
            torch.compile(model, backend="eager")(torch.ones(3))
        """,
        "failed",
        "graph breaks (sites): 1, at most 0 allowed",
        {"kinds": ["error", "compile"]},
    )
    for error in ("SystemExit(3)", "KeyboardInterrupt", "MemoryError('by hand')")
}
IN_THE_FUNCTION["a recursion without an end"] = Case(
    """
    def deep(x):
        return deep(x + 1)

    @compile_contract(shapes=[(3,)])
    def test_it(x):
        return deep(x)
    """,
    "failed",
    "maximum recursion depth exceeded",
    {"kinds": ["error"]},
)

UNTOLD = """
        class Untold({base}):
            def __str__(self):
                raise RuntimeError("no words")
            __repr__ = __str__

        class Raising(torch.nn.Module):
            def forward(self, x):
                y = x + 1
                raise Untold

        @pytest.fixture
        def raising():
            return Raising()

        def fails(graph, inputs):
            raise Untold
"""

WITHOUT_WORDS = {
    "raised by the function": Case(
        UNTOLD.format(base="Exception")
        + """
        @compile_contract(shapes=[(3,)], compiles="raising")
        def test_it(raising, x):
            raising(x)
        """,
        "failed",
        "Untold: its message cannot be read: __str__ raised RuntimeError",
    ),
    "raised by the function and swallowed": Case(
        UNTOLD.format(base="Exception")
        + """
        @compile_contract(shapes=[(3,)], compiles="raising", max_graph_breaks=1)
        def test_it(raising, x):
            with pytest.raises(Untold):
                raising(x)
        """,
        "failed",
        "nothing was compiled",
        {"kinds": ["error", "error"]},
    ),
    "no Exception, raised by the backend": Case(
        UNTOLD.format(base="BaseException")
        + """
        @compile_contract(shapes=[(3,)], backend=fails, compiles="model")
        def test_it(model, x):
            with pytest.raises(Untold):
                model(x)
        """,
        "failed",
        "2 calls raised an error of the compiler",
        {"kinds": ["error", "error"]},
    ),
    "with words that are none": Case(
        """
        class Untold(Exception):
            def __str__(self):
                return 5

        @compile_contract(shapes=[(3,)], compiles="model")
        def test_it(model, x):
            model(x)
            raise Untold
        """,
        "failed",
        "Untold: its message cannot be read: __str__ raised TypeError",
        {"graphs": 1},
    ),
    "that takes no notes": Case(
        """
        class Silent(Exception):
            def add_note(self, note):
                raise RuntimeError("no notes")

        @compile_contract(shapes={"x": "B"}, dims={"B": [3, 4]}, compiles="model")
        def test_it(model, x):
            model(x)
            raise Silent("as it was")
        """,
        "failed",
        "Silent: as it was",
        {"graphs": 1},
    ),
}


def test_errors_of_a_backend_that_the_test_swallows(project: Project) -> None:
    hold_cases(project, IN_THE_BACKEND)


@pytest.mark.slow
def test_errors_of_a_function(project: Project) -> None:
    hold_cases(project, IN_THE_FUNCTION)


@pytest.mark.slow
def test_errors_that_cannot_be_told(project: Project) -> None:
    hold_cases(project, WITHOUT_WORDS)


STEERS = "\\x1b[31m\\x1b]0;title\\x07\\x00"


@pytest.mark.parametrize("style", ["long", "line"])
def test_what_steers_a_terminal_is_escaped_in_torchs_message(project: Project, style: str) -> None:
    project.tests(
        f"""
        def fails(graph, inputs):
            raise ValueError("{STEERS}")

        @compile_contract(shapes=[(3,)], backend=fails)
        def test_it(x):
            return x + 1
        """
    )
    text = project.run(f"--tb={style}").stdout.str()
    assert "\\x1b[31m\\x1b]0;title\\x07\\x00" in text
