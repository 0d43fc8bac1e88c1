"""Notes what fixtures of wider scope than one test do to torch's settings, while they last."""

from __future__ import annotations

import sys
from collections.abc import Generator
from typing import Any

import pytest

from pytest_compilecheck.pytest_layer.running.log_capture import is_pytest_handler

_Change = tuple[str, Any, Any]
"""Name of a setting, the value that the fixture found, and the one that it set."""


class WiderFixtures:
    """Hooks around fixtures of a class, module, package or session: what they set is no leak."""

    def __init__(self) -> None:
        self._live: dict[object, list[_Change]] = {}
        self._ended: list[_Change] = []

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[Any]
    ) -> Generator[None, object, object]:
        """Note what a fixture changes; before anybody imports torch there is nothing to change."""
        if fixturedef.scope == "function" or "torch" not in sys.modules:
            return (yield)
        from pytest_compilecheck.observe.running.isolation import changed, read_settings

        before = read_settings(is_pytest_handler)
        try:
            return (yield)
        finally:
            self._live[fixturedef] = list(changed(before, read_settings(is_pytest_handler)))

    def pytest_fixture_post_finalizer(self, fixturedef: pytest.FixtureDef[Any]) -> None:
        """A fixture is over: what it changed may be as it found it."""
        self._ended += self._live.pop(fixturedef, ())

    def held(self) -> dict[str, list[Any]]:
        """Values of settings that such fixtures answer for; the last is the one in force."""
        values: dict[str, list[Any]] = {}
        for change in self._live.values():
            for name, found, made in change:
                values.setdefault(name, []).extend((found, made))
        for name, found, made in self._ended:
            values.setdefault(name, []).extend((made, found))
        return values

    def forget_ended(self) -> None:
        """The test in whose teardown fixtures ended is over."""
        self._ended.clear()
