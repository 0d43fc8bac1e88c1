from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
import torch
import torch._dynamo.config
import torch._inductor.config

from pytest_compilecheck.observe.running.isolation import (
    Settings,
    leaked,
    put_back,
    read_settings,
    trace_unheard,
    vanished,
    worth_telling,
)


class RunnersHandler(logging.NullHandler):
    """Comes and goes with the phases of a test."""


def transient(handler: logging.Handler) -> bool:
    return isinstance(handler, RunnersHandler) or type(handler).__module__.startswith("_pytest.")


def read() -> Settings:
    return read_settings(transient)


@pytest.fixture(autouse=True)
def _nothing_stays() -> Iterator[None]:
    before = read()
    yield
    after = read()
    put_back(leaked(before, after), transient)
    assert leaked(before, read()) == {}


CONFIG = "torch._dynamo.config"


def set_recompile_limit() -> None:
    torch._dynamo.config.recompile_limit = 3


def change_a_set_in_place() -> None:
    torch._dynamo.config.traceable_tensor_subclasses.add(int)  # type: ignore[arg-type]


def set_inductor() -> None:
    torch._inductor.config.max_autotune = True


def set_level() -> None:
    logging.getLogger("torch._dynamo").setLevel(logging.CRITICAL)


def add_handler() -> None:
    logging.getLogger("torch").addHandler(logging.NullHandler())


def change_propagation() -> None:
    logger = logging.getLogger("torch._inductor")
    logger.propagate = not logger.propagate


LEAKS: list[tuple[Callable[[], Any], str]] = [
    (set_recompile_limit, f"{CONFIG}.recompile_limit"),
    (change_a_set_in_place, f"{CONFIG}.traceable_tensor_subclasses"),
    (set_inductor, "torch._inductor.config.max_autotune"),
    (set_level, "logger torch._dynamo"),
    (add_handler, "logger torch"),
    (change_propagation, "logger torch._inductor"),
    (lambda: torch.compiler.set_stance("force_eager"), "torch.compiler stance"),
    (lambda: torch.set_grad_enabled(False), "grad mode"),
    (lambda: torch.set_default_dtype(torch.float64), "default dtype"),
    (lambda: torch.set_deterministic_debug_mode("error"), "deterministic algorithms"),
    (lambda: torch.set_num_threads(torch.get_num_threads() + 1), "intra-op threads"),
]


@pytest.mark.parametrize(("leak", "name"), LEAKS, ids=[name for _, name in LEAKS])
def test_a_leak_is_told_by_name_and_put_back(leak: Callable[[], Any], name: str) -> None:
    before = read()
    leak()
    found = leaked(before, read())
    assert list(found) == [name]
    put_back(found, transient)
    after = read()
    assert leaked(before, after) == {}
    assert after[name] == before[name]


def test_logs_that_were_switched_on_go_off_again() -> None:
    before = read()
    logger = logging.getLogger("torch._dynamo.guards")
    was_on = logger.isEnabledFor(logging.DEBUG)
    torch._logging.set_logs(guards=True, recompiles=True, dynamo=logging.DEBUG)
    found = leaked(before, read())
    assert "torch._logging settings" in found
    put_back(found, transient)
    assert leaked(before, read()) == {}
    assert logger.isEnabledFor(logging.DEBUG) is was_on


def test_deterministic_algorithms_that_only_warn_do_so_again() -> None:
    torch.use_deterministic_algorithms(True, warn_only=True)
    before = read()
    torch.use_deterministic_algorithms(True)
    put_back(leaked(before, read()), transient)
    assert torch.is_deterministic_algorithms_warn_only_enabled()


def test_a_stance_is_put_back_with_its_arguments() -> None:
    torch.compiler.set_stance("default", skip_guard_eval_unsafe=False)
    before = read()
    torch.compiler.set_stance("eager_on_recompile")
    put_back(leaked(before, read()), transient)
    assert read()["torch.compiler stance"] is before["torch.compiler stance"]


def test_handlers_of_a_test_runner_are_no_setting_and_stay() -> None:
    logger = logging.getLogger("torch")
    before = read()
    handler, lasting = RunnersHandler(), logging.NullHandler()
    logger.addHandler(handler)
    assert leaked(before, read()) == {}
    logger.addHandler(lasting)
    put_back(leaked(before, read()), transient)
    assert handler in logger.handlers
    assert lasting not in logger.handlers
    logger.removeHandler(handler)


# Plain dicts are enough for who changed what.


@pytest.mark.parametrize(
    ("after", "held", "put_back_to"),
    [
        (8, [], None),
        (2, [], 8),  # by the test or a fixture of its own
        (4, [8, 4], None),  # by a fixture of wider scope
        (2, [8, 4], 4),  # by the test, over what such a fixture holds
        (6, [6, 8, 8, 4, 4, 6], None),  # by such a fixture that ended, as it had found it
        (2, [8, 4, 6, 8], 8),  # by the test, when such a fixture ended
    ],
)
def test_what_is_a_leak(after: int, held: list[int], put_back_to: int | None) -> None:
    found = leaked({"limit": 8}, {"limit": after}, {"limit": held})
    assert found == ({} if put_back_to is None else {"limit": put_back_to})


def test_a_setting_that_was_not_there_before_is_nobodys_leak() -> None:
    assert leaked({}, {"limit": 2}) == {}


def test_a_setting_that_vanished_is_told_with_its_value() -> None:
    assert vanished({"a": 1, "b": 2}, {"b": 3}) == {"a": 1}


def test_loggers_are_not_told_beside_the_call_that_set_them_all() -> None:
    loggers = ["logger torch.b", "logger torch.a"]
    assert worth_telling(loggers) == sorted(loggers)
    assert worth_telling([*loggers, "torch._logging settings"]) == ["torch._logging settings"]
    assert worth_telling(["logger torch", *loggers, "mode"]) == ["logger torch", "mode"]
    assert worth_telling(["logger torch.a", "logger torch.ab"]) == sorted(
        ["logger torch.a", "logger torch.ab"]
    )


class Uncomparable:
    def __eq__(self, other: object) -> bool:
        raise TypeError

    __hash__ = object.__hash__


def test_values_that_cannot_be_compared_differ_unless_they_are_one() -> None:
    one, other = Uncomparable(), Uncomparable()
    assert leaked({"a": one}, {"a": one}) == {}
    assert leaked({"a": one}, {"a": other}) == {"a": one}


def test_nobody_hears_the_trace_who_only_passes_by() -> None:
    logger = logging.getLogger("torch.__trace")
    passing, lasting = RunnersHandler(), logging.NullHandler()
    logger.addHandler(passing)
    logger.addHandler(lasting)
    try:
        with suppress(ValueError), trace_unheard(transient):
            assert passing not in logger.handlers
            assert lasting in logger.handlers
            raise ValueError
        assert passing in logger.handlers
    finally:
        logger.removeHandler(passing)
        logger.removeHandler(lasting)
