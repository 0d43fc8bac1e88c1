from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterator

import hypothesis
import pytest

pytest_plugins = ["pytester"]

if "HYPOTHESIS_PROFILE" in os.environ:  # "ci" draws the same examples in each run
    hypothesis.settings.load_profile(os.environ["HYPOTHESIS_PROFILE"])

_FREEZE_EACH = 100
"""Tests: to freeze takes as long as one."""
_RAN = pytest.StashKey[int]()
_SECONDS = 300
"""How long a test may take: a hang fails, with the stack of every thread."""


def pytest_configure() -> None:
    # A shell that runs this in the background ignores Ctrl-C, and so would what tests start.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def _on_a_desk() -> Iterator[None]:
    """What is run shows the same in CI, where pytest cuts no line and GitHub's form is chosen."""
    with pytest.MonkeyPatch.context() as patch:
        for name in (
            "CI",
            "BUILD_NUMBER",
            *(name for name in os.environ if name.startswith("GITHUB_")),
        ):
            patch.delenv(name, raising=False)
        yield


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # No setting of the project: contracts/ is run by people who do not have pytest-timeout.
    for item in items:
        if item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(_SECONDS))


def pytest_runtest_setup(item: pytest.Item) -> None:
    # The collector is asked for regions and functions that exist, in each watch of its own and each
    # run of pytest within this one: what is left of earlier tests is none of theirs.
    ran = item.config.stash[_RAN] = item.config.stash.get(_RAN, -1) + 1
    if "torch._dynamo" in sys.modules and ran % _FREEZE_EACH == 0:
        gc.collect()
        gc.freeze()
    # torch times the guards of whatever it compiles, for its log, and first empties the caches of
    # the processor: three quarters of the time of a small compile.
    guards = sys.modules.get("torch._dynamo.guards")
    if hasattr(guards, "profile_guard_manager"):
        guards.profile_guard_manager = lambda *_: 0.0  # type: ignore[union-attr]
