"""However a contract ends, torch and the process are as they were."""

from __future__ import annotations

import logging
import sys
import threading
import warnings
from collections import Counter
from textwrap import dedent
from typing import Any

import pytest
import torch
from torch._C._dynamo import eval_frame as c_eval_frame
from torch._dynamo import convert_frame, eval_frame, output_graph

from pytest_layer.projects import Project

TORCH_HOOKS = (
    (convert_frame.CatchErrorsWrapper, "__call__"),
    (eval_frame.OptimizeContext, "__init__"),
    (output_graph.OutputGraph, "call_user_compiler"),
    (output_graph.OutputGraph, "install_global_unsafe"),
    (output_graph.OutputGraph, "compile_subgraph"),
    (torch._logging, "trace_structured"),
)


def guard_hook() -> Any:
    hook = c_eval_frame.set_guard_complete_hook(None)
    c_eval_frame.set_guard_complete_hook(hook)
    return hook


def comes_and_goes(handler: logging.Handler) -> bool:
    """Whether it is pytest's own, or torch's lazy one, which leaves when it is first asked."""
    kind = type(handler)
    return kind.__module__.startswith("_pytest.") or kind.__name__ == "LazyTraceHandler"


def state() -> dict[str, Any]:
    """All that a watch touches."""
    found = {f"{owner.__name__}.{name}": getattr(owner, name) for owner, name in TORCH_HOOKS}
    found["guard hook"] = guard_hook()
    found["stance"] = eval_frame._stance
    found["warnings"] = list(warnings.filters)
    found["threads"] = (torch.get_num_threads(), threading.active_count())
    with torch.random.fork_rng():
        found["random numbers to come"] = torch.rand(3).tolist()
    found["grad mode"] = torch.is_grad_enabled()
    log_state = torch._logging._internal.log_state
    found["log state"] = (dict(log_state.log_qname_to_level), set(log_state.artifact_names))
    for name, module in list(sys.modules.items()):
        if name.startswith("torch.") and hasattr(type(module), "get_config_copy"):
            found[name] = module.get_config_copy()
    for name, logger in list(logging.Logger.manager.loggerDict.items()):
        if name.split(".")[0] == "torch" and isinstance(logger, logging.Logger):
            handlers = [h for h in logger.handlers if not comes_and_goes(h)]
            found[name] = (logger.level, logger.propagate, [*logger.filters], handlers)
    return found


def changes(before: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    after = state()
    return {
        name: (before.get(name), after.get(name))
        for name in before.keys() & after.keys()
        if before[name] != after[name]
    }


WHERE = {
    "in the function": """
        {mark}
        @compile_contract(shapes=[(2, 3)])
        def test_{number}(x):
            y = x + 1
            assert y.numel() == 6
            {statement}
        """,
    "in the compiler": """
        def interrupted_{number}(graph, inputs):
            {statement}

        {mark}
        @compile_contract(shapes=[(2, 3)], backend=interrupted_{number}, threads=1)
        def test_{number}(x):
            assert x.numel() == 6
            return x + 1
        """,
    "between calls": """
        {mark}
        @compile_contract(shapes=[(2, 3)], compiles="model")
        def test_{number}(model, x):
            assert model(x).numel() == 6
            {statement}
        """,
    "in unittest": """
        class TestCase{number}(unittest.TestCase):
            {mark}
            @compile_contract(watch_only=True, threads=1)
            def test_it(self):
                torch.compile(lambda x: x + 1, backend="eager")(torch.ones(3))
                {statement}
        """,
}

HEAD = """\
import time
import unittest

@pytest.fixture
def model():
    return torch.nn.ReLU()

@compile_contract(shapes=[(2, 3)])
def test_holds(x):
    assert x.numel() == 6
    return x + 1
"""

SLEEP = "time.sleep(60)"

ENDS = {
    "pytest.skip('ends')": "skipped",
    "pytest.fail('ends')": "failed",
    "pytest.xfail('ends')": "xfailed",
    "raise ValueError('ends')": "failed",
    "raise SystemExit('ends')": "failed",
    SLEEP: "failed",
}


# pytest tears down no test after Ctrl-C: the seed of the contract stays, and the process ends.
NOT_AFTER_THE_END = {"random numbers to come"}


def write_tests(project: Project, where: str, statements: list[str]) -> None:
    text = dedent(WHERE[where])
    tests = [
        text.format(
            number=number,
            statement=each,
            mark=f"@pytest.mark.timeout({3 if each == SLEEP else 60}, method='signal')",
        )
        for number, each in enumerate(statements)
    ]
    # Before and after: what ended badly is not in the way of the next contract.
    last = "test_holds_again = test_holds"
    project.tests("\n".join([HEAD, *tests, last]))


@pytest.mark.slow
@pytest.mark.parametrize("where", WHERE)
def test_a_test_that_ends_early(project: Project, where: str) -> None:
    write_tests(project, where, list(ENDS))
    before = state()
    result = project.run()
    assert changes(before) == {}
    result.assert_outcomes(passed=2, **Counter(ENDS.values()))


@pytest.mark.parametrize("where", WHERE)
def test_ctrl_c(project: Project, where: str) -> None:
    write_tests(project, where, ["raise KeyboardInterrupt"])
    before = state()
    result = project.run()
    assert changes(before).keys() <= NOT_AFTER_THE_END
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.assert_outcomes(passed=1)


def test_exit(project: Project) -> None:
    write_tests(project, "in the function", ["pytest.exit('ends')"])
    before = state()
    result = project.run()
    assert changes(before).keys() <= NOT_AFTER_THE_END
    result.stdout.fnmatch_lines("*Exit: ends*")
    result.assert_outcomes(passed=1)
