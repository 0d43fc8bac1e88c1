"""What a contract file says, as values."""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import dataclass, field

from pytest_compilecheck.contract.faults import Place
from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.contract.read import Layer, read_contract
from pytest_compilecheck.contract.trace.inputs import Input


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What is compiled, and how it is made and called.

    `path` is "package.module:attr". With `arguments` what it names is called with them to make the
    object; None takes it as it is. `call` is the method of the object that is called, None for the
    object itself, `keywords` are fixed keyword arguments of that call; without `grad` it runs under
    `torch.no_grad()`. The values in `arguments` and `keywords` are PythonValue, MadeObject, and
    sequences and dicts of these.
    """

    path: str
    arguments: Mapping[str, Input] | None = None
    call: str | None = None
    keywords: Mapping[str, Input] = field(default_factory=dict)
    dtype: str | None = None
    device: str | None = None
    training: bool = False
    grad: bool = True


@dataclass(frozen=True, slots=True)
class Excuse:
    """Why a contract is skipped or expected to fail; `torch` limits it to these releases."""

    reason: str
    torch: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FileContract:
    """One contract of a file, or one cell of its matrix.

    `cell` names the cell ("bfloat16-auto"), None without a matrix. `place` is that of its name.
    `requires` maps packages to version specifiers, "" for any version; with `skip_without_device`
    the device of the target may be missing too. `layers` are what
    `read_contract` takes; `places` are those of the values of all keys.
    """

    name: str
    cell: str | None
    place: Place
    target: Target
    requires: Mapping[str, str]
    marks: tuple[str, ...]
    skip: Excuse | None
    xfail: Excuse | None
    skip_without_device: bool
    layers: tuple[Layer, ...]
    places: Mapping[str, Place] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """Name for a report: "prefill[bfloat16-auto]"."""
        return self.name if self.cell is None else f"{self.name}[{self.cell}]"

    def contract(
        self,
        *,
        parameters: Sequence[str] | None = None,
        optional: Container[str] = (),
        compile_keywords: Collection[str] | None = None,
        torch_version: str | None = None,
        extra_bounds: Collection[str] | None = None,
        called: str | None = None,
        advice: str = "",
    ) -> Contract:
        """The contract of a torch release.

        Args:
            parameters: those of the call, without `self`; None where they are not known, or where
                it takes any keyword.
            optional: those of the parameters that have a default value.
            compile_keywords: keywords that the installed torch.compile takes; None where that is
                not known.
            torch_version: the release; None leaves version maps as they are.
            extra_bounds: names of the bounds that plugins declare; None where that is not known.
            called: the name of what takes the parameters; None for the path of the target.
            advice: what else is said of an input whose name is far from all of the parameters.

        Raises:
            ContractError: with every fault, each at its place in the file.
        """
        return read_contract(
            self.layers,
            subject=self.id if parameters is None else called or self.target.path,
            arguments=parameters,
            fixtures=None if parameters is None else frozenset(self.target.keywords),
            compile_keywords=compile_keywords,
            torch_version=torch_version,
            optional=optional,
            home="file",
            extra_bounds=extra_bounds,
            advice=advice,
        )


@dataclass(frozen=True, slots=True)
class ContractFile:
    """A contract file; `contracts` are all that can run, in order, a matrix cell by cell."""

    path: str
    contracts: tuple[FileContract, ...]
