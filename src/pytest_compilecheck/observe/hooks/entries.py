"""What runs between the entry into a region and the frame that torch converts."""

from __future__ import annotations

import sys
from traceback import walk_stack
from types import CodeType

from pytest_compilecheck.observe import torch_adapter as adapter
from pytest_compilecheck.observe.hooks.frames import is_conversion


def is_first_of_call(code: CodeType) -> bool:
    """Whether a frame of this code, which is being converted, is the first one that a call traces.

    It is not where code that torch traces runs already: from the cache, or left to Python.
    """
    running: list[CodeType] = []
    first = False
    for frame, _ in walk_stack(sys._getframe(1)):
        if is_conversion(frame):
            running.clear()  # so far it was code of ours that hears of the conversion
        elif adapter.is_entry(frame):  # the outermost is the call
            first = running in ([], [code])  # the frame itself may stand on the stack already
        elif adapter.traces(frame.f_code):
            running.append(frame.f_code)
    return first
