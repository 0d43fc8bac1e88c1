from __future__ import annotations

import builtins
import sys
from typing import Any

import pytest

from pytest_compilecheck.observe.running.memory import memory_growth

MEGABYTES = 64


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc, as Linux has it")
def test_memory_that_is_kept_is_growth() -> None:
    with memory_growth() as growth:
        kept = bytearray(b"x" * (MEGABYTES << 20))
    assert growth.size is not None
    assert 0.9 * len(kept) < growth.size < 1.5 * len(kept)


def test_a_system_that_does_not_tell_gives_none(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = builtins.open

    def refusing(path: Any, *args: Any, **kwargs: Any) -> Any:
        if str(path).startswith("/proc"):
            raise FileNotFoundError(path)
        return opened(path, *args, **kwargs)

    monkeypatch.setattr(builtins, "open", refusing)
    with memory_growth() as growth:
        pass
    assert growth.size is None
