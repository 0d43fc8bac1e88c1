"""What is installed, as far as a contract depends on it."""

from __future__ import annotations

import functools
import inspect
from importlib.metadata import PackageNotFoundError, version


@functools.cache
def torch_version() -> str:
    """The installed torch, e.g. "2.13.0" (without its build tag); torch is not imported."""
    try:
        return version("torch").split("+")[0]
    except PackageNotFoundError:  # an unpackaged build
        import torch

        return str(torch.__version__).split("+")[0]


def compile_keywords() -> set[str]:
    """Keywords that torch.compile takes."""
    import torch

    return set(inspect.signature(torch.compile).parameters) - {"model"}
