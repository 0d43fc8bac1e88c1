"""Where a function of somebody else raised, for a message that names the line to look at."""

from __future__ import annotations

import traceback
from types import CodeType


def line_below(caller: CodeType, error: BaseException) -> tuple[str, int] | None:
    """File and line in what `caller` called: the innermost of the file of that function.

    None where the error came through no function of Python that `caller` called.
    """
    frames = [(frame.f_code, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    codes = [code for code, _ in frames]
    below = frames[codes.index(caller) + 1 :] if caller in codes else []
    lines = [(code.co_filename, line) for code, line in below]
    own = [each for each in lines if each[0] == lines[0][0]]
    return own[-1] if own else None
