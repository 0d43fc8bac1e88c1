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


def test_where_there_are_only_frames_the_code_that_raised_is_told() -> None:
    frames = """

from user code:
   File "test_it.py", line 14, in test_it
    inner(x)
  File "test_it.py", line 11, in inner
    assert x.shape[0] < 8, "too long"

Set TORCHDYNAMO_VERBOSE=1 for the internal stack trace
"""
    assert told(AssertionError(frames)) == 'AssertionError: assert x.shape[0] < 8, "too long"'
    assert told(AssertionError(f"too long{frames}")) == "AssertionError: too long"
    assert told(AssertionError("from user code:")) == "AssertionError: from user code:"


class Untold(Exception):
    def __str__(self) -> str:
        raise KeyError("words")


def test_an_exception_without_a_message_that_can_be_read() -> None:
    assert told(Untold()) == "Untold: its message cannot be read: __str__ raised KeyError"
