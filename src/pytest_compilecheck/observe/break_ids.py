"""The ids of graph breaks, from the registry that torch ships."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import torch


def break_ids_by_title() -> dict[str, str]:
    """Titles of graph breaks to their ids ("GB0059"), newest last; none where there is no registry.

    From `graph_break_registry.json` beside Dynamo's modules.
    """
    try:
        return _break_ids()
    except (OSError, ValueError):  # not for good: a test may have replaced `open`
        return {}


@functools.cache
def _break_ids() -> dict[str, str]:
    path = Path(torch.__file__).parent / "_dynamo" / "graph_break_registry.json"
    registry = json.loads(path.read_text(encoding="utf-8"))
    return {entry["Gb_type"]: gb_id for gb_id, rows in registry.items() for entry in rows[::-1]}
