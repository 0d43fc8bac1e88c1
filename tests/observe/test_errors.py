from __future__ import annotations

from pytest_compilecheck.observe.errors import told


def test_an_exception_in_one_line() -> None:
    assert told(ValueError("bad\nmore")) == "ValueError: bad"
    assert told(KeyboardInterrupt()) == "KeyboardInterrupt"
    assert told(TypeError("no <object object at 0x7f03>")) == "TypeError: no <object object>"


def test_a_line_that_only_announces_the_next_brings_it_along() -> None:
    error = RuntimeError("backend='inductor' raised:\nValueError: bad\n\nmore")
    assert told(error) == "RuntimeError: backend='inductor' raised: ValueError: bad"
    assert told(RuntimeError("as follows:")) == "RuntimeError: as follows:"


class Untold(Exception):
    def __str__(self) -> str:
        raise KeyError("words")


def test_an_exception_without_a_message_that_can_be_read() -> None:
    assert told(Untold()) == "Untold: its message cannot be read: __str__ raised KeyError"
