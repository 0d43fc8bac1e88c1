"""Every environment variable that is read stands in the register, and is read."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest_compilecheck
from pytest_compilecheck import environment

SOURCE = Path(pytest_compilecheck.__file__).parent
NAMES = {
    name for name, value in vars(environment).items() if isinstance(value, str) and name.isupper()
}


def test_each_variable_has_a_meaning() -> None:
    assert {getattr(environment, name) for name in NAMES} == set(environment.VARIABLES)


def test_no_other_is_read_and_each_one_is() -> None:
    used: set[str] = set()
    for file in SOURCE.rglob("*.py"):
        tree = ast.parse(file.read_text("utf-8"))
        imported = {
            alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module == environment.__name__
            for alias in node.names
        }
        used |= imported
        literal = [key.value for key in map(_key, ast.walk(tree)) if isinstance(key, ast.Constant)]
        assert literal == [], f"{file}: name {literal} in environment.py"
    assert used == NAMES


def _key(node: ast.AST) -> ast.expr | None:
    """What is looked up in the environment: of `os.environ[...]`, `environment.get(...)`."""
    if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "os.environ":
        return node.slice
    if not isinstance(node, ast.Call) or not node.args:
        return None
    looks_up = ("os.environ.get", "os.getenv", "environment.get", "os.environ.pop")
    return node.args[0] if ast.unparse(node.func) in looks_up else None
