"""Names that would break a page which takes them as they are."""

from __future__ import annotations

from typing import Final

HOSTILE: Final = (
    "</script><script>window.harmed = 1</script>",
    "<img src=x onerror='window.harmed = 1'>",
    '"><svg onload=window.harmed=1>',
    "' onmouseover='window.harmed=1",
    "<!--<script>",
    "{{ 7 * 7 }}{% raw %}",
    "&lt;b&gt; &amp; &#60;i&#62;",
    "javascript:window.harmed=1",
    "x" * 3000,
    "\u202eworb siht\u2066 \u200f\u05e9\u05dc\u05d5\u05dd",
    "\U0001f525\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "\x00\x1b[2J\x07\r\nnext\u2028line",
    "\ud800 alone",
    "zero\u200bwidth\u2060\ufeff \x9b2J",
    "datum.call; signal",
)
