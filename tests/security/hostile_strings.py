"""Texts that harm whoever shows them as they are, and what must be in no text that is shown."""

from __future__ import annotations

import re
from typing import Final

STEERING: Final = (
    "\x1b[2J\x1b]0;title\x07",  # clears the screen, sets the title of the window
    "\x1b]8;;https://evil.example\x1b\\link\x1b]8;;\x1b\\",
    "\x9b2J",  # the same without ESC, for terminals of 8 bits
    "over\rwritten\b\b\x7f",
    "a\n::error file=x::a\r\n::error::b",
    "\u202egnp.exe\u2066",
    "zero\u200bwidth\u2060\ufeff",
    "\udc9b",
    "next\u2028line\x85\x0b\x0c",
    "nul\x00",
)
OF_FORMATS: Final = (
    "%0A::error::a%25",
    "::error file=a,line=1::b",
    "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "| a | b |\\`*_{}[]()#@someone #1 $x$",
    "```\n<b>\n```",
    "'\"; import os #",
    "../../../../etc/passwd",
    "//evil.example/x",
    "{0}{{7*7}}%s${GITHUB_TOKEN}",
    "datum.x; alert(1)",
)

STEERS: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)
"""What steers a terminal; line breaks and tabs are ours."""
