"""Keeps what other modules count and remember, and puts it back as it was."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

Places = Iterable[tuple[Any, tuple[str, ...]]]
"""Objects, each with names of its attributes; what one does not have is left alone."""


@contextmanager
def state_kept(places: Places) -> Iterator[None]:
    """After the block the attributes are the same objects as before, with the same contents."""
    kept = [
        (owner, name, _keeper(getattr(owner, name)))
        for owner, names in places
        for name in names
        if hasattr(owner, name)
    ]
    try:
        yield
    finally:
        for owner, name, as_it_was in kept:
            setattr(owner, name, as_it_was())


@contextmanager
def emptied(owner: Any, names: Iterable[str]) -> Iterator[None]:
    """During the block these lists are empty."""
    there = tuple(name for name in names if hasattr(owner, name))
    with state_kept([(owner, there)]):
        for name in there:
            getattr(owner, name).clear()
        yield


def _keeper(value: Any) -> Callable[[], Any]:
    """Gives the value with the contents that it has now."""
    if isinstance(value, itertools.count):
        # It tells its number only by going on: the next one that is asked for stands in for it.
        number = next(value)
        return lambda: itertools.count(number)
    if isinstance(value, dict):
        return _dict_keeper(value)
    if isinstance(value, (list, deque)):
        return _collection_keeper(value, value.extend)
    if isinstance(value, set):
        return _collection_keeper(value, value.update)
    return lambda: value


def _dict_keeper(value: dict[Any, Any]) -> Callable[[], Any]:
    entries = {key: _keeper(entry) for key, entry in value.items()}

    def as_it_was() -> Any:
        contents = {key: entry() for key, entry in entries.items()}
        value.clear()
        dict.update(value, contents)  # a Counter's own adds
        return value

    return as_it_was


def _collection_keeper(
    value: list[Any] | deque[Any] | set[Any], fill: Callable[[list[Any]], None]
) -> Callable[[], Any]:
    contents = list(value)

    def as_it_was() -> Any:
        value.clear()
        fill(contents)
        return value

    return as_it_was
