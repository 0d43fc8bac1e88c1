"""What stands in a page and is no text: data for its scripts, and what the browser may run."""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64encode
from collections.abc import Iterable
from typing import Final

from markupsafe import Markup

# JSON is ASCII here, so that lone surrogates and line separators are escaped as well.
_ENCODE: Final = json.JSONEncoder(allow_nan=False, separators=(",", ":")).encode
_ESCAPED: Final = {ord(char): f"\\u{ord(char):04x}" for char in "<>&"}
_ENDS_SCRIPT: Final = re.compile(r"<(?=/script|script|!--)", re.IGNORECASE)


def json_data(value: object) -> Markup:
    """JSON for a <script type="application/json">: nothing in it ends the element.

    Raises:
        ValueError: a number is not finite, which JSON cannot carry.
    """
    return Markup(_ENCODE(value).translate(_ESCAPED))  # noqa: S704 - no < is left in it


def script_text(source: str) -> Markup:
    """JavaScript for a <script>: what would end the element stands in strings, and is escaped."""
    return Markup(_ENDS_SCRIPT.sub(r"\\x3c", source))  # noqa: S704 - it is our own


def content_policy(scripts: Iterable[Markup], style: Markup) -> str:
    """A Content-Security-Policy under which a page runs these scripts, and loads nothing."""
    runs = " ".join(map(_digest, scripts))
    return (
        f"default-src 'none'; script-src {runs}; style-src {_digest(style)};"
        # Places of tooltips. An attribute runs nothing.
        " style-src-attr 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    )


def _digest(text: Markup) -> str:
    """How a policy names the text of an element."""
    return f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
