"""What a call of pytest names."""

from __future__ import annotations

from pathlib import Path

import pytest


def named_paths(config: pytest.Config) -> set[Path]:
    """The files and folders of a call, or of the setting `testpaths`, without names of tests."""
    folder = config.invocation_params.dir
    return {(folder / each.split("::", maxsplit=1)[0]).resolve() for each in config.args}
