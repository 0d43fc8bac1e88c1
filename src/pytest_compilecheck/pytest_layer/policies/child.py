"""The process of one policy: pytest runs one item, whose trace is replayed and measured."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_compilecheck.environment import POLICY_REQUEST
from pytest_compilecheck.files import write_whole
from pytest_compilecheck.pytest_layer.node_id import node_id
from pytest_compilecheck.pytest_layer.policies.chosen import CHOSEN
from pytest_compilecheck.pytest_layer.policies.replays import REPLAY
from pytest_compilecheck.pytest_layer.policies.request import PolicyRequest

if TYPE_CHECKING:
    from pytest_compilecheck.contract.policies.policy import Policy
    from pytest_compilecheck.policies.measured import PolicyRun
    from pytest_compilecheck.replay.runner import Told

PROGRAM = """\
import json, sys
asked = json.load(open(sys.argv[1], encoding="utf-8"))
sys.path[:] = asked["sys_path"]
import pytest
plugin = "pytest_compilecheck.pytest_layer.policies.child"
sys.exit(pytest.main(["-p", plugin, *asked["arguments"]]))
"""
"""What Python runs (-c), with the file of the request as argument."""


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """This module is a plugin of that process alone."""
    config.pluginmanager.register(PolicyChild(PolicyRequest.read(os.environ[POLICY_REQUEST])))


class PolicyChild:
    """A pytest plugin that lets one item run, and has its trace replayed in place of watched."""

    def __init__(self, request: PolicyRequest) -> None:
        """Take what is asked."""
        self._request = request

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        """Give options the values that they have in the run that asks."""
        for name, value in self._request.options.items():
            setattr(config.option, name, value)
        config.stash[REPLAY] = self._replay
        if self._request.chosen is not None:
            config.stash[CHOSEN] = tuple(self._request.chosen)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave the one item."""
        items[:] = [item for item in items if node_id(item) == self._request.node]

    def _replay(
        self,
        policies: tuple[Policy, ...],
        replayed: Callable[[Policy, Told], PolicyRun],
    ) -> None:
        from pytest_compilecheck.replay.device import Device

        (policy,) = (each for each in policies if each.name == self._request.policy)
        run = replayed(policy, self._tell)
        measured: dict[str, Any] = {"run": run.to_dict(), "device": Device().name}
        write_whole(self._request.output, json.dumps(measured))

    def _tell(self, phase: str, done: int, of: int) -> None:
        told = json.dumps({"phase": phase, "done": done, "of": of})
        Path(self._request.progress).write_text(told, encoding="utf-8")
