"""Places in Python source: columns, names of resumed functions, whose code a file is."""

from __future__ import annotations

import linecache
import os
import re
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass, field

from pytest_compilecheck.observe.errors import message_of
from pytest_compilecheck.observe.values.observation import Owner

_RESUMED = re.compile(r"^torch_dynamo_resume_in_(?P<function>.+)_at_(?P<line>\d+)$")
_SITE_PARTS = ("site-packages", "dist-packages")


def character_column(file: str, line: int, offset: int | None) -> int | None:
    """1-based column in characters of a 0-based offset in UTF-8 bytes, as code objects carry it."""
    if offset is None:
        return None
    text = linecache.getline(file, line)
    return len(text.encode("utf-8")[:offset].decode("utf-8", "ignore")) + 1 if text else offset + 1


def source_line(file: str, line: int) -> str:
    """The stripped source line, "" where it cannot be read."""
    return linecache.getline(file, line).strip()


def is_of_pytest(file: str) -> bool:
    """Whether a file is pytest's own: what calls the code that the author wrote."""
    return "_pytest" in re.split(r"[/\\]", file)


def author_name(function: str) -> str:
    """The name that the author gave: `f` for the part of `f` that torch resumes after a break."""
    while match := _RESUMED.match(function):
        function = match["function"]
    return function


def resumed_line(function: str) -> int | None:
    """The line after whose break a resume function goes on; None for any other function."""
    match = _RESUMED.match(function)
    return int(match["line"]) if match else None


OwnerLabel = Callable[[str], "Owner | None"]
"""Tells the owner of a file, None to leave it to where the file lies."""


@dataclass(frozen=True)
class Ownership:
    """Whose code a file is, seen from a project's root directory.

    "torch" is torch's own package and the code that it generates, "own" lies under `root` and in no
    site-packages (a notebook cell or typed-in code counts as own), all else is "third_party".
    `label` may say otherwise of a file outside torch. Where it raises, `troubles` tells so from the
    moment on that the file is asked for, until they are cleared.
    """

    root: str
    torch_directory: str
    label: OwnerLabel | None = None
    troubles: dict[str, None] = field(default_factory=dict, compare=False, repr=False)
    _known: dict[str, Owner] = field(default_factory=dict, compare=False, repr=False)
    _unsure: dict[str, str] = field(default_factory=dict, compare=False, repr=False)

    def owner(self, file: str) -> Owner:
        """The owner of a source file, given as a code object names it."""
        if file not in self._known:
            self._known[file] = self._find(file)
        if file in self._unsure:
            self.troubles[self._unsure[file]] = None
        return self._known[file]

    def relative(self, file: str) -> str:
        """The file as reports name it: relative to the root, with `/`, where it lies under it."""
        if file.startswith("<"):
            return file
        for resolve in (os.path.abspath, os.path.realpath):  # the second for links to the root
            path, root = resolve(file), resolve(self.root)
            if path.startswith(os.path.join(root, "")):
                return os.path.relpath(path, root).replace(os.sep, "/")
        return os.path.abspath(file).replace(os.sep, "/")

    def _find(self, file: str) -> Owner:
        if file.startswith("<"):
            return "torch" if file.startswith(("<eval_with_key>", "<frozen")) else "own"
        path = os.path.realpath(file)
        if path.startswith(os.path.join(os.path.realpath(self.torch_directory), "")):
            return "torch"
        return self._labelled(file) or self._by_place(path)

    def _labelled(self, file: str) -> Owner | None:
        try:
            return self.label(file) if self.label is not None else None
        except Exception as error:  # noqa: BLE001 - it is anybody's, and told
            self._unsure[file] = (
                f"the owner of {self.relative(file)} is not known: {message_of(error)}"
            )
            return None

    def _by_place(self, path: str) -> Owner:
        if any(part in _SITE_PARTS for part in path.split(os.sep)):
            return "third_party"
        if "ipykernel" in os.path.basename(os.path.dirname(path)):
            return "own"
        standard = os.path.join(os.path.realpath(sysconfig.get_path("stdlib")), "")
        under_root = path.startswith(os.path.join(os.path.realpath(self.root), ""))
        return "own" if under_root and not path.startswith(standard) else "third_party"
