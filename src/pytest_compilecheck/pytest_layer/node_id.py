"""What a report calls a test."""

from __future__ import annotations

import pytest


def node_id(item: pytest.Item) -> str:
    """pytest's node id, with the path of the file where pytest cuts it.

    It does so for a file outside its rootdir, of which two may have the same name.
    """
    path, _, names = item.nodeid.partition("::")
    if item.config.rootpath / path == item.path:
        return item.nodeid
    return f"{item.location[0]}::{names}"
