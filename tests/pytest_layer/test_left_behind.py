"""However a contract ends, torch and the process are as they were."""

from __future__ import annotations

import gc
import logging
import sys
import threading
import warnings
from typing import Any

import pytest
import torch
from pytest_layer.projects import Project
from torch._C._dynamo import eval_frame as c_eval_frame
from torch._dynamo import convert_frame, eval_frame, output_graph

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


def state() -> dict[str, Any]:
    """All that a watch touches."""
    found = {f"{owner.__name__}.{name}": getattr(owner, name) for owner, name in TORCH_HOOKS}
    found["guard hook"] = guard_hook()
    found["stance"] = eval_frame._stance
    found["warnings"] = list(warnings.filters)
    found["threads"] = (torch.get_num_threads(), threading.active_count())
    found["random"] = torch.random.get_rng_state().tolist()
    found["grad mode"] = torch.is_grad_enabled()
    log_state = torch._logging._internal.log_state
    found["log state"] = (dict(log_state.log_qname_to_level), set(log_state.artifact_names))
    for name, module in list(sys.modules.items()):
        if name.startswith("torch.") and hasattr(type(module), "get_config_copy"):
            found[name] = module.get_config_copy()
    for name, logger in list(logging.Logger.manager.loggerDict.items()):
        if name.split(".")[0] == "torch" and isinstance(logger, logging.Logger):
            # Handlers of pytest's own come and go; torch's lazy one leaves when it is first asked.
            handlers = [h for h in logger.handlers if type(h).__module__.startswith("torch._inductor")]
            found[name] = (logger.level, logger.propagate, list(logger.filters), handlers)
    return found


def changes(before: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    after = state()
    return {
        name: (before.get(name), after.get(name))
        for name in before.keys() & after.keys()
        if before[name] != after[name]
    }


IN_THE_FUNCTION = """
import time

@compile_contract(shapes=[(2, 3)])
def test_it(x):
    y = x + 1
    assert y.numel() == 6
    {statement}
    return y
"""

IN_THE_COMPILER = """
import time

def interrupted(graph, inputs):
    {statement}

@compile_contract(shapes=[(2, 3)], backend=interrupted, threads=1)
def test_it(x):
    assert x.numel() == 6
    return x + 1
"""

IN_THE_BODY = """
import time

@pytest.fixture
def model():
    return torch.nn.Linear(3, 3)

@compile_contract(shapes=[(2, 3)], compiles="model")
def test_it(model, x):
    y = model(x)
    {statement}
"""

IN_UNITTEST = """
import time, unittest

class TestIt(unittest.TestCase):
    @compile_contract(watch_only=True)
    def test_it(self):
        torch.compile(lambda x: x + 1, backend="eager")(torch.ones(3))
        {statement}
"""

ENDS = {
    "pytest.skip('ends')": {"skipped": 1},
    "pytest.fail('ends')": {"failed": 1},
    "pytest.xfail('ends')": {"xfailed": 1},
    "raise ValueError('ends')": {"failed": 1},
    "raise SystemExit('ends')": {"failed": 1},
    "raise KeyboardInterrupt": {},
    "pytest.exit('ends')": {},
}


@pytest.mark.parametrize("where", [IN_THE_FUNCTION, IN_THE_COMPILER, IN_THE_BODY, IN_UNITTEST])
@pytest.mark.parametrize("statement", ENDS)
def test_ends(project: Project, where: str, statement: str) -> None:
    project.tests(where.format(statement=statement))
    before = state()
    result = project.run()
    print(result.stdout)
    assert changes(before) == {}
    result.assert_outcomes(**ENDS[statement])
