"""Files that torch names in its own way, and whose they are."""

from __future__ import annotations

import glob
import os
import sysconfig
from functools import lru_cache

import torch

_TORCH_BASE = os.path.dirname(os.path.abspath(torch.__file__))
_STANDARD = os.path.join(os.path.realpath(sysconfig.get_path("stdlib")), "")


@lru_cache(maxsize=1024)
def full_path(short: str) -> str:
    """The path of a file that torch named without what it has in common with torch's own path.

    (`shorten_filename` of `torch/_logging` drops a character too much where they share only "/".)
    """
    base = _TORCH_BASE
    while base != os.path.dirname(base):
        candidate = os.path.join(base, short)
        if os.path.exists(candidate):
            return candidate
        base = os.path.dirname(base)
    return next(iter(glob.glob(f"{base}?{glob.escape(short)}")), short)


@lru_cache(maxsize=1024)
def is_library(file: str) -> bool:
    """Whether a file is an installed package's or Python's own."""
    return "site-packages" in file or os.path.realpath(file).startswith(_STANDARD)
