"""Names of installed files that every machine has in common."""

from __future__ import annotations

import re
from functools import lru_cache

# What stands before a package in the path of its file: where the machine has its installed code.
_INSTALLED = re.compile(r"^.*/(?:(?:site|dist)-packages|lib/python3\.\d+t?)/")


@lru_cache(maxsize=4096)  # a large report names the same files again and again
def portable(file: str) -> str:
    """A file as every machine names it: that of an installed package without what is before it."""
    return _INSTALLED.sub("", file)
