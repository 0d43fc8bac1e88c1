"""What a report calls a test."""

from __future__ import annotations

import pytest

_NOTED = pytest.StashKey[str]()


def node_id(item: pytest.Item) -> str:
    """pytest's node id, with the path of the file where pytest cuts it.

    It does so for a file outside its rootdir, of which two may have the same name.
    """
    return item.stash.get(_NOTED, None) or _node_id(item)


def note_node_id(item: pytest.Item) -> None:
    """Keep to the id that an item is collected with: xdist puts the name of a group behind it."""
    item.stash[_NOTED] = _node_id(item)


def _node_id(item: pytest.Item) -> str:
    path, _, names = item.nodeid.partition("::")
    if item.config.rootpath / path == item.path:
        return item.nodeid
    return f"{item.location[0]}::{names}"
