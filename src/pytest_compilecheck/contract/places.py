"""Where the fields of a contract file are written, down to each part of a value."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from pytest_compilecheck.contract.faults import Fault, Place, about
from pytest_compilecheck.contract.trace.spec import spec
from pytest_compilecheck.contract.yaml_spelling import in_yaml


@dataclass(frozen=True, slots=True)
class Places:
    """Where a value and its parts are written.

    `parts` are the items of a list by index and the values of a mapping by key, `keys` the places
    of these keys. `text` is a value that is one, `note` tells where other dialects see another.
    `sound` is False where something in it is faulty as YAML, and was left out.
    """

    place: Place
    parts: Mapping[object, Places] = field(default_factory=dict)
    keys: Mapping[object, Place] = field(default_factory=dict)
    text: str | None = None
    note: str = ""
    sound: bool = True


@dataclass(frozen=True, slots=True)
class FieldPlaces:
    """Fields that are written each in a place of its own; `whole` is that of what has them."""

    whole: Place
    fields: Mapping[str, Places]

    @property
    def file(self) -> str:
        """The file of all of them."""
        return self.whole.file

    def fault(self, field: str | None, message: str) -> Fault:
        """A fault of a field, at the very part that the message is about."""
        if field is None or field not in self.fields:
            return self.whole.fault(field, in_yaml(message))
        place, note = _locate(self.fields[field], field, message)
        return Fault(in_yaml(about(field, message)) + (f" ({note})" if note else ""), place)


_STEP: Final = re.compile(r"\[(?:(\d+)|(['\"])(.*?)\2)\]|\.(\w+)")
_WORDS: Final = "|".join([*inspect.signature(spec).parameters, "max_steps"])
_NAME: Final = re.compile(rf"^(?:: )?({_WORDS})\b|'([^']*)'")

# In a file the items of an input stand in a mapping of their own: {tuple: [...]}.
_WRAPPERS: Final = ("tuple", "list", "dict", "arguments")


def _locate(written: Places, field: str, message: str) -> tuple[Place, str]:
    """The place of the part that a message is about, and the note on it.

    A message begins with the path of the part, as "['S'][1]: expected ...", or has it in it, as
    "the dim 'S' of inputs['x'] has ...". Behind a path at the beginning, or without any, the first
    name that is a key of it is looked for, as in "'B S' is no dim name", a key of a tensor in
    "low: expected ...", and a text in it that the message begins with, as "'me' is no owner".
    """
    label = re.search(rf"\b{re.escape(field)}(?=\[)", message)
    inside = label is not None and not message.startswith("[")
    at = label.end() if label is not None and inside else 0
    while step := _STEP.match(message, at):
        index, _, key, attribute = step.groups()
        part = _part(written, int(index) if index else key if key is not None else attribute)
        if part is None:
            break
        written, at = part, step.end()
    for name in () if inside else _NAME.finditer(message[at:]):
        word, quoted = name.groups()
        if word in written.parts:
            return written.parts[word].place, written.parts[word].note
        if quoted in written.keys:
            return written.keys[quoted], ""
        begins = name.start() == 0 or message[at : at + name.start()] == ": "
        for part in written.parts.values() if begins and quoted is not None else ():
            if part.text == quoted:
                return part.place, part.note
    return written.place, written.note


def _part(written: Places, key: object) -> Places | None:
    inner = (written.parts[name].parts for name in _WRAPPERS if name in written.parts)
    return next((parts[key] for parts in (written.parts, *inner) if key in parts), None)
