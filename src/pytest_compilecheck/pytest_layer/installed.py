"""What is installed, as far as a contract depends on it."""

from __future__ import annotations

import functools
import inspect
from importlib.metadata import PackageNotFoundError, version

import pytest

from pytest_compilecheck.releases import UnsupportedTorchError, refuse_old


@functools.cache
def torch_version() -> str:
    """The installed torch, e.g. "2.13.0" (without its build tag); torch is not imported."""
    return torch_build().split("+")[0]


def torch_build() -> str:
    """The installed torch with its build tag, e.g. "2.13.0+cpu"; torch is not imported."""
    try:
        return version("torch")
    except PackageNotFoundError:  # an unpackaged build
        import torch

        return str(torch.__version__)


def check_torch() -> None:
    """Nothing where torch is new enough.

    Raises:
        pytest.UsageError: it is older than the oldest that is supported.
    """
    try:
        refuse_old(torch_build())
    except UnsupportedTorchError as error:
        raise pytest.UsageError(str(error)) from None


def compile_keywords() -> set[str]:
    """Keywords that torch.compile takes."""
    import torch

    return set(inspect.signature(torch.compile).parameters) - {"model"}
