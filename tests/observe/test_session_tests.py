from __future__ import annotations

import functools
import gc
from collections.abc import Callable
from typing import Any

import pytest

from pytest_compilecheck.observe.session_tests import SessionTests


def check_a() -> None:
    pass


def check_b() -> None:
    check_a()


def check_c() -> Callable[[], None]:
    def inner() -> None:
        check_b()

    return inner


def check_d() -> None:
    pass


@pytest.fixture
def tests() -> SessionTests:
    made = SessionTests()
    for function in (check_a, check_b, check_c, check_d):
        made.collected(function)
    return made


def waiting(tests: SessionTests) -> str:
    every: tuple[Any, ...] = (check_a, check_b, check_c, check_d)
    return "".join(each.__name__[-1] for each in every if tests.waits(each))


def test_all_wait_until_one_runs_and_then_all_others(tests: SessionTests) -> None:
    assert waiting(tests) == "abcd"
    tests.begins(check_a)
    assert waiting(tests) == "bcd"
    tests.begins(check_d)
    assert waiting(tests) == "abc"


def test_a_test_that_another_names_is_involved(tests: SessionTests) -> None:
    tests.begins(check_b)
    assert waiting(tests) == "cd"
    tests.begins(check_c)
    assert waiting(tests) == "d"


def test_what_is_no_test_never_waits(tests: SessionTests) -> None:
    assert not tests.waits(waiting)


def test_a_function_that_a_test_wraps_waits_with_it() -> None:
    wrapper = functools.wraps(check_d)(lambda *_: None)
    tests = SessionTests()
    tests.collected(wrapper)
    assert tests.waits(wrapper)
    assert waiting(tests) == "d"
    tests.begins(wrapper)
    assert not tests.waits(wrapper)
    assert waiting(tests) == ""


@pytest.mark.parametrize("thing", [functools.partial(check_a), print, None, SessionTests])
def test_a_test_may_be_any_callable(thing: object) -> None:
    tests = SessionTests()
    tests.collected(thing)
    tests.begins(thing)
    assert tests.involved == frozenset()


def test_none_is_kept_alive() -> None:
    def gone() -> None:
        pass

    tests = SessionTests()
    tests.collected(gone)
    del gone
    gc.collect()
    tests.begins(check_a)
    assert waiting(tests) == ""


def test_a_function_that_wraps_itself() -> None:
    def loop() -> None:
        pass

    loop.__wrapped__ = loop  # type: ignore[attr-defined]
    tests = SessionTests()
    tests.collected(loop)
    tests.begins(loop)
    assert tests.involved == {loop}
