"""What a contract takes over from others: `extends`, and the defaults of its file."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field

from pytest_compilecheck.contract.faults import Fault, Place, did_you_mean
from pytest_compilecheck.contract.file.document import Document, Fields, read_document
from pytest_compilecheck.contract.file.text import UnreadableError
from pytest_compilecheck.contract.plain import shown

_LONGEST = 64


@dataclass(slots=True)
class Inheritance:
    """Finds what contracts extend, in other files too, and reads each file once."""

    fault: Callable[[Fault], None]
    _documents: dict[str, Document | None] = field(default_factory=dict)

    def add(self, document: Document) -> None:
        """Know a file that was read already."""
        self._documents[os.path.abspath(document.path)] = document

    def layers(self, document: Document, name: str) -> list[Fields]:
        """All fields of a contract, from the farthest (defaults) to the nearest (its own).

        What it extends is nearer than the defaults of its file.
        """
        own: list[Fields] = []  # the nearest first
        defaults: list[Fields] = []
        seen: list[tuple[Document, str]] = []
        at: tuple[Document, str] | None = (document, name)
        while at is not None:
            seen.append(at)
            document, name = at
            fields = document.contracts[name]
            own.append(fields)
            if document.defaults is not None and document.defaults not in defaults:
                defaults.append(document.defaults)
            at = self._base(document, fields)
            if at is not None and (why := _endless(at, seen)):
                self.fault(Fault(why, fields.values["extends"].places.place))
                at = None
        return [*defaults, *reversed(own)]

    def _base(self, document: Document, fields: Fields) -> tuple[Document, str] | None:
        """The contract that `extends` names, None where there is none."""
        written = fields.values.get("extends")
        if written is None or written.value is None:
            return None
        place = written.places.place
        if not isinstance(written.value, str) or not written.value:
            got = shown(written.value)
            why = f"extends: expected 'name' or 'other.contract.yaml::name', got {got}"
            self.fault(Fault(why, place))
            return None
        path, _, name = written.value.rpartition("::")
        other = self._document(document, path, place) if path else document
        if other is None:
            return None
        if name not in other.contracts:
            if name not in other.names:  # else its own fault says what is wrong with it
                where = f"{path} has" if path else "there is"
                why = f"extends: {where} no contract {name!r}{did_you_mean(name, other.names)}"
                self.fault(Fault(why, place))
            return None
        return other, name

    def _document(self, document: Document, path: str, place: Place) -> Document | None:
        whole = os.path.join(os.path.dirname(document.path), path)
        key = os.path.abspath(whole)
        if key not in self._documents:
            self._documents[key] = None
            try:
                self._documents[key] = read_document(whole)
            except UnreadableError as error:
                self.fault(Fault(f"extends: {path} cannot be read as a contract file", place))
                for fault in error.faults:
                    self.fault(fault)
        found = self._documents[key]
        if found is not None:
            for fault in found.faults:
                self.fault(fault)
        return found


def _endless(at: tuple[Document, str], seen: list[tuple[Document, str]]) -> str | None:
    for start, (document, name) in enumerate(seen):
        if document is at[0] and name == at[1]:
            names = [each for _, each in seen[start:]]
            return f"extends: goes round in a circle: {' -> '.join([*names, name])}"
    return f"extends: more than {_LONGEST} levels" if len(seen) >= _LONGEST else None
