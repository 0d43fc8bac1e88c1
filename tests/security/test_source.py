"""What the package does not do, or at one named place only: by its syntax trees."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from markupsafe import Markup

import pytest_compilecheck
from pytest_compilecheck.report.html.data import content_policy

SOURCE = Path(pytest_compilecheck.__file__).parent
TREES = {
    file.relative_to(SOURCE).as_posix(): ast.parse(file.read_text("utf-8"))
    for file in sorted(SOURCE.rglob("*.py"))
}
TEMPLATES = sorted((SOURCE / "report" / "html" / "templates").iterdir())

# What runs data as code, sends it, or starts a program.
MODULES = (
    "pickle", "marshal", "shelve", "dill", "joblib", "cloudpickle", "code", "codeop",
    "socket", "ssl", "http", "urllib.request", "urllib3", "requests", "httpx", "aiohttp", "ftplib",
    "smtplib", "telnetlib", "xmlrpc", "webbrowser", "asyncio", "multiprocessing", "ctypes",
    "subprocess", "pty", "commands", "yaml", "ruamel",
)  # fmt: skip
CALLS = (
    "eval", "exec", "compile", "__import__", "input", "breakpoint",
    "os.system", "os.popen", "os.startfile", "os.fork", "os.putenv",
    "tempfile.mktemp", "importlib.import_module", "import_module", "torch.load", "torch.save",
    "yaml.load", "yaml.safe_load", "yaml.full_load", "yaml.unsafe_load", "yaml.load_all",
    "yaml.compose", "yaml.scan", "yaml.parse",
)  # fmt: skip

ALLOWED = {
    ("contract/file/compose.py", "yaml"): "the one place that reads YAML",
    ("contract/file/compose.py", "yaml.parse"): "events alone: no object is made of a tag",
    ("pytest_layer/policies/process.py", "subprocess"): "starts this Python for a policy",
    ("observe/guards/scope.py", "eval"): "torch's own text of a guard",
    ("observe/source_codes.py", "compile"): "a test file, as pytest has done before",
    ("observe/as_written.py", "compile"): "one line of its own, whose references it counts",
    ("__init__.py", "importlib.import_module"): "our own modules, by the public names",
    ("report/formats.py", "import_module"): "renderers of ours and of installed packages",
    ("observe/running/inputs.py", "importlib.import_module"): "what a contract names, when it runs",
    (
        "pytest_layer/collecting/imported.py",
        "importlib.import_module",
    ): "modules of a setting",
}


def dotted(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        return node.id
    return f"{dotted(node.value)}.{node.attr}" if isinstance(node, ast.Attribute) else ""


def imported(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module:
        yield node.module
        yield from (f"{node.module}.{alias.name}" for alias in node.names)


def used(tree: ast.Module) -> Iterator[str]:
    """The dangerous modules and functions that a module names."""
    for node in ast.walk(tree):
        for name in imported(node):
            yield from (each for each in MODULES if name == each or name.startswith(f"{each}."))
        if isinstance(node, (ast.Name, ast.Attribute)):
            name = dotted(node)
            if name in CALLS or re.fullmatch(r"os\.(exec|spawn|posix_spawn)\w*", name):
                yield name


def test_what_is_dangerous_stands_where_it_is_named() -> None:
    found = {(file, name) for file, tree in TREES.items() for name in used(tree)}
    assert found == set(ALLOWED)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("import pickle", "pickle"),
        ("from urllib.request import urlopen", "urllib.request"),
        ("from urllib import request", "urllib.request"),
        ("import http.client", "http"),
        ("def f():\n    import yaml\n    yaml.load('')", "yaml.load"),
        ("run = eval", "eval"),
        ("os.execvp('sh', [])", "os.execvp"),
    ],
)
def test_the_walk_sees_it(text: str, name: str) -> None:
    assert name in set(used(ast.parse(text)))


def keywords(name: str) -> Iterator[tuple[str, dict[str, str]]]:
    """The calls of a function, with their keyword arguments as they are written."""
    for file, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and dotted(node.func).rpartition(".")[2] == name:
                yield file, {each.arg or "**": ast.unparse(each.value) for each in node.keywords}


def test_no_program_is_started_through_a_shell() -> None:
    nodes = [node for tree in TREES.values() for node in ast.walk(tree)]
    assert "shell" not in {node.arg for node in nodes if isinstance(node, ast.keyword)}
    ((file, _),) = keywords("Popen")
    assert file == "pytest_layer/policies/process.py"


def test_templates_escape_all_that_they_show() -> None:
    ((_, given),) = keywords("Environment")
    assert given["autoescape"] == "True"
    assert given["finalize"] == "_shown"
    assert len(TEMPLATES) >= 5
    for template in TEMPLATES:
        text = template.read_text("utf-8")
        assert not re.search(r"\|\s*safe\b|autoescape|\binnerHTML\b|document\.write", text)
        assert not re.search(r"(src|href)=\"(?!#|\{\{|\")", text), "loads something"


def test_a_page_may_run_nothing_but_its_own_scripts() -> None:
    policy = content_policy([Markup("a"), Markup("b")], Markup("c"))
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe-eval" not in policy
    assert policy.count("unsafe-inline") == policy.count("style-src-attr 'unsafe-inline'") == 1
    assert "base-uri 'none'; form-action 'none'" in policy


def test_reports_that_a_stranger_may_have_written_are_not_read_without_a_bound() -> None:
    """`read_text` and `read_bytes` take all that there is; these read files of ours alone."""
    ours = {
        "report/document.py": "the schema of the package",
        "report/html/page.py": "templates of the package",
        "contract/file/schema.py": "the schema of the package",
        "observe/break_ids.py": "torch's registry of graph breaks",
        "pytest_layer/policies/process.py": "what our own process wrote",
        "pytest_layer/policies/request.py": "what our own process wrote",
        "pytest_layer/settings.py": "the settings of the run, which pytest has read",
    }
    reading = {
        file
        for file, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr in ("read_text", "read_bytes")
    }
    assert reading <= set(ours)
