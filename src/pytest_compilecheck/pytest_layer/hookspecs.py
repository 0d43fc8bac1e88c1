"""The hooks that other plugins and conftest.py may implement; docs/plugins.md shows each in use.

None is called, and nothing is paid, where no plugin implements it. All run in the process that runs
the tests (under pytest-xdist each worker), but for `pytest_compilecheck_formats`, which runs in the
process that writes the reports. One that raises, or gives something else than its type, is named in
a message, and no contract passes for it.
"""

from __future__ import annotations

import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path
    from typing import Any

    import torch

    from pytest_compilecheck.contract.trace.spec import TensorSpec
    from pytest_compilecheck.judge.extra import ExtraBound
    from pytest_compilecheck.observe.values.observation import Owner
    from pytest_compilecheck.report.formats import Format


@pytest.hookspec(firstresult=True)
def pytest_compilecheck_make_input(  # noqa: PLR0917 - pluggy knows no keyword-only arguments
    item: pytest.Item | None,
    name: str,
    annotation: Any,
    sizes: tuple[int, ...],
    spec: TensorSpec,
    make_tensor: Callable[[], torch.Tensor],
) -> object | None:
    """Make an input of a trace, where the code takes something else than a plain tensor.

    Called for each tensor of each step, in each pass, with --compilecheck and without it. torch is
    seeded before, so that random numbers are the same each time. Compiled code that it calls runs
    eagerly and is no part of what is watched. An exception fails the test.

    Args:
        item: the test or contract of a file or of library code; None in `compilecheck init`.
        name: the parameter; a tensor inside of it is told as reports do: "pair[0]", "out.mask".
        annotation: of the parameter, as it is written where it cannot be evaluated; None without
            one, and for a tensor inside.
        sizes: of the tensor in this step.
        spec: dtype, device and the rest; its `shape` are the sizes.
        make_tensor: makes the plain tensor, the same each time.

    Returns:
        What the code is to be given; None leaves it to the next plugin, and then to the tensor.
    """


@pytest.hookspec
def pytest_compilecheck_bounds(config: pytest.Config) -> Iterable[ExtraBound] | None:
    """Declare bounds, which contracts set as `extra={"max_matmuls": 3}`.

    Called when a contract that has `extra` is collected, and when it is judged; a conftest.py is
    asked for the tests below its folder. An exception here fails the collection; one in the
    function of a bound leaves its figure unknown, and the contract fails.
    """


@pytest.hookspec
def pytest_compilecheck_formats(config: pytest.Config) -> Mapping[str, Format] | None:
    """Declare formats of reports by name, for `--compilecheck-report=NAME:PATH`.

    For formats of one project. A package declares its own as entry points of the group
    "pytest_compilecheck.formats", which `compilecheck render` knows too. Called once, when a run
    begins, in the process that writes the reports, if a format is asked for that is none of
    the built-in ones: a conftest.py must be one that pytest loads before it collects. An exception
    ends the run before its first test; one in a renderer fails the run at its end.
    """


@pytest.hookspec(firstresult=True)
def pytest_compilecheck_owner(config: pytest.Config, file: Path) -> Owner | None:
    """Say whose code a file is: "own", "third_party" or "torch".

    Called once in a process for each file outside torch that a break, a rebuild or a fallback is
    in, when what was seen is gathered. An exception leaves the owner unknown: each contract, block
    or audited test that has code of the file tells it as a problem, and a contract with one fails.

    Args:
        config: of the run.
        file: absolute path.

    Returns:
        The owner; None leaves it to the next plugin, and then to where the file lies.
    """
