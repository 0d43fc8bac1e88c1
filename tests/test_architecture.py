"""The layers of the package, held by walking its imports."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import pytest_compilecheck

PACKAGE = "pytest_compilecheck"
SOURCE = Path(pytest_compilecheck.__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))

ADAPTER = f"{PACKAGE}.observe.torch_adapter"
VALUES_OF_POLICIES = ("causes", "compare", "costs", "envelope", "measured", "shortcomings")
VALUES = (
    f"{PACKAGE}.codec",
    f"{PACKAGE}.decorator",
    f"{PACKAGE}.contract",
    f"{PACKAGE}.judge",
    f"{PACKAGE}.baseline",
    f"{PACKAGE}.report",
    f"{PACKAGE}.observe.values",
    f"{PACKAGE}.environment",
    f"{PACKAGE}.releases",
    *(f"{PACKAGE}.policies.{name}" for name in VALUES_OF_POLICIES),
)
COMPARED = tuple(f"policies.{name}" for name in VALUES_OF_POLICIES)
OBSERVED = ("observe.values",)


def name_of(file: Path) -> str:
    parts = file.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(file): file for file in FILES}


@cache
def tree_of(name: str) -> ast.Module:
    return ast.parse(MODULES[name].read_text(encoding="utf-8"))


def nodes(tree: ast.AST, *, typing: bool) -> Iterator[ast.AST]:
    """All nodes; without `typing` those under `if TYPE_CHECKING` are left out."""
    if isinstance(tree, ast.If) and not typing and "TYPE_CHECKING" in ast.unparse(tree.test):
        return
    yield tree
    for child in ast.iter_child_nodes(tree):
        yield from nodes(child, typing=typing)


def imports(name: str, *, typing: bool = True) -> set[str]:
    """Names of the modules that a module imports anywhere, in functions too."""
    found = set()
    for node in nodes(tree_of(name), typing=typing):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name} imports relatively"
            members = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {member if member in MODULES else str(node.module) for member in members}
    return found


def within(name: str, packages: tuple[str, ...]) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def dotted(node: ast.AST) -> str | None:
    """`torch._dynamo.config` of such an expression; None for any other."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        inner = dotted(node.value)
        return inner and f"{inner}.{node.attr}"
    return None


def test_the_walk_finds_what_is_there() -> None:
    assert f"{PACKAGE}.observe.recording.recorder" in MODULES
    assert "torch._guards" in imports(ADAPTER)
    assert f"{PACKAGE}.observe.hooks.patch" in imports(f"{PACKAGE}.observe.hooks.install")
    assert f"{PACKAGE}.contract.faults" in imports(f"{PACKAGE}.decorator")
    assert f"{PACKAGE}.contract.faults" not in imports(PACKAGE, typing=False)
    assert dotted(ast.parse("torch._dynamo.config", mode="eval").body) == "torch._dynamo.config"


def is_private(name: str) -> bool:
    return any(part.startswith("_") and not part.endswith("__") for part in name.split("."))


def private_torch(name: str) -> set[str]:
    """Private modules and attributes of torch that a module names."""
    used = imports(name) | {dotted(node) or "" for node in ast.walk(tree_of(name))}
    return {part for part in used if within(part, ("torch",)) and is_private(part)}


def test_only_the_adapter_names_private_parts_of_torch() -> None:
    naming = {name for name in MODULES if private_torch(name)}
    assert naming == {ADAPTER}
    for package in ("torch._dynamo", "torch._C", "torch._logging"):
        assert any(within(part, (package,)) for part in private_torch(ADAPTER))


def test_values_and_reports_know_neither_torch_nor_pytest() -> None:
    for name in (name for name in MODULES if within(name, VALUES)):
        foreign = {part for part in imports(name) if within(part, ("torch", "pytest", "_pytest"))}
        assert foreign == set(), name


# What each part may import of the package, beside itself.
ALLOWED = {
    "codec": (),
    "codec_check": ("codec",),
    "environment": (),
    "files": (),
    "releases": (),
    "decorator": ("contract",),
    "contract": ("codec",),
    "observe": ("codec", "contract", "environment", "releases", "report"),
    "policies": ("codec", "contract", *OBSERVED),
    "replay": ("contract", "observe", "policies"),
    "judge": ("codec", "contract", "releases", *COMPARED, *OBSERVED),
    "report": ("codec", "codec_check", "contract", "environment", "judge", *COMPARED, *OBSERVED),
    # Of the values it shares the words of reports, and what YAML cannot hold.
    "baseline": ("environment", "files", "contract", "judge", "report", *OBSERVED),
    "pytest_layer": (
        "baseline",
        "codec",
        "environment",
        "files",
        "releases",
        "decorator",
        "contract",
        "observe",
        "policies",
        "replay",
        "judge",
        "report",
    ),
    "plugin": ("pytest_layer",),
    "cli": ("commands", "report"),
    "commands": ("baseline", "contract", "files", "judge", "report", "pytest_layer"),
}


def test_layers_import_downwards() -> None:
    for name in (name for name in MODULES if name != PACKAGE):
        part = name.removeprefix(f"{PACKAGE}.").split(".")[0]
        allowed = tuple(f"{PACKAGE}.{other}" for other in (part, *ALLOWED[part]))
        ours = {other for other in imports(name) if within(other, (PACKAGE,)) and other != PACKAGE}
        assert {other for other in ours if not within(other, allowed)} == set(), name


def test_no_module_needs_itself() -> None:
    graph = {
        name: {other for other in imports(name, typing=False) if other in MODULES}
        for name in MODULES
        # The package itself imports its public names when they are first used.
        if name != PACKAGE
    }
    for needed in graph.values():
        needed.discard(PACKAGE)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" needs ".join(error.args[1]))


def test_no_file_is_too_long() -> None:
    lines = {name: len(file.read_text("utf-8").splitlines()) for name, file in MODULES.items()}
    # What names torch's private modules is one module by rule: a list of small functions.
    limits = {f"{PACKAGE}.observe.torch_adapter": 450}
    too_long = {name: count for name, count in lines.items() if count > limits.get(name, 350)}
    assert too_long == {}


HEAVY = ("torch", "yaml", "tabulate", "numpy", "packaging", "jinja2", "markupsafe", "vl_convert")


def imported_by(statement: str) -> set[str]:
    """Top-level names of the modules that a statement imports in a fresh process."""
    program = f"import sys; before = set(sys.modules)\n{statement}\n"
    program += "print(*{name.split('.')[0] for name in set(sys.modules) - before})"
    command = [sys.executable, "-I", "-c", program]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_the_decorator_needs_the_standard_library_alone() -> None:
    statement = f"from {PACKAGE} import compile_contract\n"
    statement += "compile_contract(max_graph_breaks=0)(lambda: None)"
    assert imported_by(statement) <= {PACKAGE, *sys.stdlib_module_names}


def test_a_contract_with_a_trace_file_needs_no_more() -> None:
    loaded = imported_by(f"from {PACKAGE} import trace_file\ntrace_file('lengths.csv')")
    assert loaded <= {PACKAGE, *sys.stdlib_module_names}
    assert loaded & {"csv", "json"} == set()


def test_the_plugin_needs_pytest_alone() -> None:
    loaded = imported_by(f"import pytest\nbefore = set(sys.modules)\nimport {PACKAGE}.plugin")
    assert loaded & set(HEAVY) == set()
    assert loaded <= {PACKAGE, *sys.stdlib_module_names}


@pytest.mark.parametrize(
    "part",
    [
        "contract.read",
        "judge.judge",
        "report.failure",
        "report.document",
        "observe.values.observation",
    ],
)
def test_values_and_reports_load_without_torch(part: str) -> None:
    assert imported_by(f"import {PACKAGE}.{part}") & {"torch", "pytest", "numpy"} == set()
