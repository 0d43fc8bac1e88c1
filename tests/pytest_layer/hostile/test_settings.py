"""Code that changes how torch compiles, or what it tells, under the watch."""

from __future__ import annotations

import pytest

from pytest_layer.hostile.cases import Case, hold_cases
from pytest_layer.projects import Project

TRACE = 'shapes={"x": "B"}, dims={"B": [3, 4, 5]}'

CONFIG = {
    "errors suppressed by a fixture that leaves it so": Case(
        """
        def broken(graph, inputs):
            raise ValueError("boom")

        @pytest.fixture
        def suppressed():
            dynamo.suppress_errors = True

        @compile_contract(shapes=[(3,)], backend=broken)
        def test_it(suppressed, x):
            return x + 1
        """,
        "failed",
        "test_it left torch._dynamo.config.suppress_errors = True (was False); put back",
        {"graphs": 0, "kinds": ["fallback", "fallback"]},
    ),
    "errors suppressed for the call": Case(
        """
        def broken(graph, inputs):
            raise ValueError("boom")

        @compile_contract(shapes=[(3,)], backend=broken, compiles="model")
        def test_it(model, x):
            with dynamo.patch(suppress_errors=True):
                model(x)
        """,
        "failed",
        "suppressed_error: torch._dynamo.config.suppress_errors hid BackendCompilerFailed",
        {"kinds": ["fallback", "fallback"]},
    ),
    "disabled by a fixture": Case(
        """
        @pytest.fixture
        def disabled():
            with dynamo.patch(disable=True):
                yield

        @compile_contract(shapes=[(3,)])
        def test_it(disabled, x):
            return x + 1
        """,
        "failed",
        "disabled: torch._dynamo.config.disable is on",
        {"kinds": ["fallback", "fallback"]},
    ),
    "disabled when all is compiled": Case(
        """
        @compile_contract(shapes=[(3,)], compiles="model")
        def test_it(model, x):
            model(x)
            dynamo.disable = True
        """,
        "passed",
        "left torch._dynamo.config.disable = True (was False); put back",
        {"graphs": 1, "kinds": ["compile", "hit"]},
    ),
    "a limit set in the test": Case(
        f"""
        @compile_contract({TRACE}, compiles="model", max_recompiles=9)
        def test_it(model, x):
            dynamo.recompile_limit = 1
            model(x)
        """,
        "failed",
        "recompile_limit: the recompile limit is reached",
        {"graphs": 1, "kinds": ["compile", "fallback", "fallback", "hit", "fallback", "fallback"]},
    ),
    "a limit set by its old name, from code within a call": Case(
        f"""
        @torch.compiler.disable
        def limit():
            dynamo.cache_size_limit = 1

        @compile_contract({TRACE}, max_graph_breaks=1, max_recompiles=9)
        def test_it(x):
            limit()
            return x + 1
        """,
        "failed",
        "recompile_limit: the recompile limit is reached",
    ),
    "sizes that stay numbers": Case(
        f"""
        @compile_contract({TRACE}, compiles="model", max_recompiles=1)
        def test_it(model, x):
            dynamo.automatic_dynamic_shapes = False
            model(x)
        """,
        "failed",
        "recompiles: 2, at most 1 allowed",
    ),
    "a capture that is switched on too late": Case(
        """
        class Scaled(torch.nn.Module):
            def forward(self, x):
                return x * x.sum().item()

        @pytest.fixture
        def scaled():
            return Scaled()

        @compile_contract(shapes=[(3,)], compiles="scaled")
        def test_it(scaled, x):
            scaled(x)
            dynamo.capture_scalar_outputs = True
        """,
        "failed",
        "graph breaks (sites): 1, at most 0 allowed",
    ),
    "recompiles that are errors, swallowed": Case(
        f"""
        @compile_contract({TRACE}, compiles="model")
        def test_it(model, x):
            dynamo.error_on_recompile = True
            try:
                model(x)
            except Exception:
                pass
        """,
        "failed",
        "4 calls raised an error of the compiler",
        {"kinds": ["compile", "error", "error", "hit", "error", "error"]},
    ),
}

RESETS = {
    "in each step": Case(
        f"""
        @compile_contract({TRACE}, compiles="model")
        def test_it(model, x):
            torch.compiler.reset()
            model(x)
        """,
        "failed",
        "whether that was a recompile, and what is warm, is unknown",
        {"graphs": 6, "recompiles": 0},
    ),
    "in a call": Case(
        f"""
        @torch.compiler.disable
        def reset():
            torch._dynamo.reset()

        @compile_contract({TRACE}, max_graph_breaks=1)
        def test_it(x):
            y = x + 1
            reset()
            return y * 2
        """,
        "failed",
        "torch._dynamo.reset() threw away the graphs of test_it",
        {"graphs": 12},
    ),
    "by a name that was bound before": Case(
        f"""
        from torch._dynamo import reset

        @compile_contract({TRACE}, compiles="model")
        def test_it(model, x):
            model(x)
            reset()
        """,
        "failed",
        "threw away the graphs of forward",
    ),
    "before the same inputs": Case(
        """
        @compile_contract(watch_only=True)
        def test_it(model):
            torch.compiler.reset()
            torch.compile(model, backend="eager")(torch.ones(3))
        """,
        "passed",
        figures={"graphs": 2, "captured_ops": 2, "kinds": ["compile", "compile"]},
    ),
    "before the same inputs, between two calls": Case(
        """
        @compile_contract(shapes=[(3,)], compiles="model", min_captured_ops=3)
        def test_it(model, x):
            model(x)
            torch._dynamo.reset()
            model(x)
        """,
        "failed",
        "captured operations: 2, at least 3 required",
        {
            "graphs": 3,
            "captured_ops": 2,
            "recompiles": 0,
            "kinds": ["compile"] * 2 + ["hit", "compile"],
        },
    ),
    "before the same inputs, with an operator that is opaque": Case(
        """
        @torch.library.custom_op("reset_twice::shift", mutates_args=())
        def shift(x: torch.Tensor) -> torch.Tensor:
            return x + 1

        @shift.register_fake
        def _(x):
            return torch.empty_like(x)

        @compile_contract(watch_only=True, max_opaque_ops=1, max_graph_breaks=1)
        def test_it():
            def shifted(x):
                y = x * 2
                torch._dynamo.graph_break()
                return torch.ops.reset_twice.shift(y)

            torch.compiler.reset()
            torch.compile(shifted, backend="eager")(torch.ones(3))
        """,
        "passed",
        figures={"graphs": 4, "captured_ops": 2, "kinds": ["compile", "compile"]},
    ),
    "before another number": Case(
        """
        @compile_contract(watch_only=True, passes=1)
        def test_it():
            compiled = torch.compile(lambda x, n: x + n, backend="eager")
            for n in (1, 2):
                torch._dynamo.reset()
                compiled(torch.ones(2), n)
        """,
        "failed",
        "threw away the graphs of <lambda>",
    ),
    "before another text": Case(
        """
        @compile_contract(watch_only=True, passes=1)
        def test_it():
            compiled = torch.compile(lambda x, how: getattr(x, how)(), backend="eager")
            for how in ("sin", "cos"):
                torch._dynamo.reset()
                compiled(torch.ones(2), how)
        """,
        "failed",
        "threw away the graphs of <lambda>",
    ),
    "before another attribute": Case(
        """
        class Scaled(torch.nn.Module):
            by = 1

            def forward(self, x):
                return x * self.by

        @compile_contract(watch_only=True, passes=1)
        def test_it():
            model = Scaled()
            compiled = torch.compile(model, backend="eager")
            for model.by in (1, 2):
                torch._dynamo.reset()
                compiled(torch.ones(2))
        """,
        "failed",
        "threw away the graphs of forward",
    ),
    "before another dtype": Case(
        """
        @compile_contract(watch_only=True, passes=1)
        def test_it():
            compiled = torch.compile(lambda x: x + 1, backend="eager")
            for dtype in (torch.float32, torch.float64):
                torch._dynamo.reset()
                compiled(torch.ones(2, dtype=dtype))
        """,
        "failed",
        "threw away the graphs of <lambda>",
    ),
    "before another grad mode": Case(
        """
        @compile_contract(watch_only=True, passes=1)
        def test_it(model):
            compiled = torch.compile(model, backend="eager")
            for enabled in (True, False):
                torch._dynamo.reset()
                with torch.set_grad_enabled(enabled):
                    compiled(torch.ones(3))
        """,
        "failed",
        "threw away the graphs of forward",
    ),
    "before another number behind a graph break": Case(
        """
        @compile_contract(watch_only=True, passes=1, max_graph_breaks=1)
        def test_it():
            def broken(x, n):
                y = x + 1
                torch._dynamo.graph_break()
                return y * n

            compiled = torch.compile(broken, backend="eager")
            for n in (1, 2):
                torch._dynamo.reset()
                compiled(torch.ones(2), n)
        """,
        "failed",
        "threw away the graphs of",
    ),
    "before the same of another model": Case(
        """
        @compile_contract(watch_only=True)
        def test_it():
            torch._dynamo.reset()
            model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.ReLU())
            torch.compile(model, backend="eager")(torch.ones(2, 3))
        """,
        "passed",
        figures={"graphs": 2, "kinds": ["compile", "compile"]},
    ),
    "before the same, broken": Case(
        """
        @compile_contract(watch_only=True, max_graph_breaks=1)
        def test_it():
            def broken(x, n):
                y = x + 1
                torch._dynamo.graph_break()
                return y * n

            torch._dynamo.reset()
            torch.compile(broken, backend="eager")(torch.ones(2), 3)
        """,
        "passed",
        figures={"graphs": 4, "kinds": ["compile", "compile"]},
    ),
    "around all that is compiled": Case(
        """
        @compile_contract(watch_only=True, passes=1)
        def test_it(model):
            torch.compiler.reset()
            torch.compile(model, backend="eager")(torch.ones(3))
            torch.compiler.reset()
        """,
        "passed",
        figures={"graphs": 1, "kinds": ["compile"]},
    ),
    "in the backend, which torch refuses": Case(
        """
        def resetting(graph, inputs):
            torch._dynamo.reset()
            return graph.forward

        @compile_contract(shapes=[(3,)], backend=resetting)
        def test_it(x):
            return x + 1
        """,
        "failed",
        figures={"graphs": 0, "kinds": ["error"]},
    ),
}

STANCES = {
    "eager for the call": Case(
        """
        @compile_contract(shapes=[(3,)], compiles="model")
        def test_it(model, x):
            with torch.compiler.set_stance("force_eager"):
                model(x)
        """,
        "failed",
        "disabled: torch.compiler.set_stance('force_eager') was in force",
    ),
    "eager from the first call on": Case(
        """
        @compile_contract(shapes=[(3,)], compiles="model")
        def test_it(model, x):
            model(x)
            torch.compiler.set_stance("force_eager")
        """,
        "failed",
        "left torch.compiler stance = ",
        {"graphs": 1, "kinds": ["compile", "fallback"]},
    ),
    "eager from the middle of a call on": Case(
        """
        @torch.compiler.disable
        def eager():
            torch.compiler.set_stance("force_eager")

        @compile_contract(shapes=[(3,)], max_graph_breaks=1)
        def test_it(x):
            y = x + 1
            eager()
            return y * 2
        """,
        "failed",
        "disabled: torch.compiler.set_stance('force_eager') was in force",
        {"kinds": ["compile", "fallback"]},
    ),
    "eager instead of a recompile": Case(
        f"""
        @compile_contract({TRACE}, compiles="model")
        def test_it(model, x):
            model(x)
            torch.compiler.set_stance("eager_on_recompile")
        """,
        "failed",
        "disabled: torch.compiler.set_stance('eager_on_recompile') was in force",
    ),
    "an error instead of a recompile, swallowed": Case(
        f"""
        @compile_contract({TRACE}, compiles="model")
        def test_it(model, x):
            try:
                model(x)
            except RuntimeError:
                pass
            torch.compiler.set_stance("fail_on_recompile")
        """,
        "failed",
        "4 calls raised an error of the compiler",
    ),
}

BREAK_IN_A_LOOP = """
        class Loop(torch.nn.Module):
            def forward(self, x):
                for _ in range(2):
                    print("break")
                return x + 1

        @pytest.fixture
        def loop():
            return Loop()

        @compile_contract(shapes=[(3,)], compiles="loop")
        def test_it(loop, x):
            {statement}
            loop(x)
"""
BROKEN = {"breaks": [("forward", "GB0059")], "kinds": ["fallback", "fallback"]}

LOGS = {
    "all switched on": Case(
        BREAK_IN_A_LOOP.format(statement="torch._logging.set_logs(all=10, graph_breaks=True)"),
        "failed",
        "left torch._logging settings = ",
        BROKEN,
    ),
    "all switched off": Case(
        BREAK_IN_A_LOOP.format(statement="logging.disable(logging.CRITICAL)"),
        "failed",
        "left logging.disable = 50 (was 0); put back",
        BROKEN,
    ),
    "every logger emptied and disabled": Case(
        """
        def silence():
            for name in list(logging.Logger.manager.loggerDict):
                logger = logging.getLogger(name)
                logger.handlers.clear()
                logger.filters.clear()
                logger.setLevel(logging.CRITICAL)
                logger.disabled = logger.propagate = True
        """
        + BREAK_IN_A_LOOP.format(statement="silence()"),
        "failed",
        "left logger torch = (50, True, True, ())",
        BROKEN,
    ),
}


def test_settings_of_dynamo(project: Project) -> None:
    hold_cases(project, CONFIG)


@pytest.mark.slow
def test_resets(project: Project) -> None:
    hold_cases(project, RESETS)


def test_stances(project: Project) -> None:
    hold_cases(project, STANCES)


def test_logs(project: Project) -> None:
    result = hold_cases(project, LOGS)
    assert result.stdout.str().count("setting leaked: ") == 3
