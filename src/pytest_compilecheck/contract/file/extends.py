"""What a contract takes over from others: `extends`, and the defaults of its file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from pytest_compilecheck.contract.faults import Fault, Place, did_you_mean
from pytest_compilecheck.contract.file.document import Document, Fields, read_document
from pytest_compilecheck.contract.file.text import UnreadableError

_LONGEST = 64

_Link = tuple[Document, str]


@dataclass(slots=True)
class Inheritance:
    """Finds what contracts extend, in other files too, and reads each file once."""

    add: Callable[[Iterable[Fault]], None]
    _documents: dict[str, Document | None] = field(default_factory=dict)
    _circles: set[frozenset[_Link]] = field(default_factory=set)

    def know(self, document: Document) -> None:
        """Know a file that was read already."""
        self._documents[os.path.abspath(document.path)] = document

    def layers(self, document: Document, name: str) -> tuple[list[Fields], bool]:
        """All fields of a contract, from the farthest (defaults) to the nearest (its own).

        What it extends is nearer than the defaults of its file. With them comes whether all that it
        extends was found.
        """
        own: list[Fields] = []  # the nearest first
        defaults: list[Fields] = []
        seen: list[_Link] = []
        at: _Link | None = (document, name)
        while at is not None:
            seen.append(at)
            document, name = at
            own.append(document.contracts[name])
            if document.defaults is not None and document not in [each for each, _ in seen[:-1]]:
                defaults.append(document.defaults)
            at = self._base(document, own[-1])
            if at is not None and (at in seen or len(seen) == _LONGEST):
                self._refuse_chain(at, seen, own[-1].values["extends"].places.place)
                at = None
        return [*defaults, *reversed(own)], "extends" not in own[-1].values

    def _base(self, document: Document, fields: Fields) -> _Link | None:
        """The contract that `extends` names, None where there is none."""
        written = fields.values.get("extends")
        if written is None or not isinstance(written.value, str):
            return None
        place = written.places.place
        path, _, name = written.value.rpartition("::")
        other = self._document(document, path, place) if path else document
        if other is None:
            return None
        if name not in other.contracts:
            if name not in other.names:  # else its own fault says what is wrong with it
                where = f"{path!r} has" if path else "there is"
                why = f"extends: {where} no contract {name!r}{did_you_mean(name, other.names)}"
                self.add([Fault(why, place)])
            return None
        return other, name

    def _document(self, document: Document, path: str, place: Place) -> Document | None:
        whole = os.path.join(os.path.dirname(document.path), path)
        key = os.path.abspath(whole)
        if key not in self._documents:
            self._documents[key] = None
            if os.path.exists(whole) and not os.path.isfile(whole):
                self.add([Fault(f"extends: {path!r} is no file", place)])
                return None
            try:
                self._documents[key] = read_document(whole)
            except UnreadableError as error:
                self.add([Fault(f"extends: {path!r} cannot be read as a contract file", place)])
                self.add(error.faults)
        found = self._documents[key]
        if found is not None:
            self.add(found.faults)
        return found

    def _refuse_chain(self, at: _Link, seen: list[_Link], place: Place) -> None:
        if at not in seen:
            self.add([Fault(f"extends: more than {_LONGEST} levels", place)])
            return
        circle = seen[seen.index(at) :]
        if frozenset(circle) not in self._circles:  # it is met from each of its contracts
            self._circles.add(frozenset(circle))
            names = " -> ".join(name for _, name in [*circle, at])
            self.add([Fault(f"extends: goes round in a circle: {names}", place)])
