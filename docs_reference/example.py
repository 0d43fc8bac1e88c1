"""The example of a field, as the decorator and as a contract file have it."""

from __future__ import annotations

import ast
from typing import Any

from docs_reference.markdown import fence
from pytest_compilecheck.contract.fields import Field
from pytest_compilecheck.contract.file.keys import KEYS
from pytest_compilecheck.contract.file.write import flow


def python_example(field: Field) -> str:
    """A block with the decorator."""
    return fence("python", f"@compile_contract({field.example})", f"example={field.name}")


def yaml_example(field: Field) -> str | None:
    """A block with the keys; None where a file cannot say the same."""
    given = plain_example(field)
    if given is None or not set(given) <= set(KEYS):
        return None
    lines = [f"{key}: {flow(value)}" for key, value in given.items()]
    return fence("yaml", "\n".join(lines), f"keys={field.name}")


def plain_example(field: Field) -> dict[str, Any] | None:
    """The example as values; None where it is more than plain data."""
    call = ast.parse(f"f({field.example})", mode="eval").body
    assert isinstance(call, ast.Call)
    try:
        return {str(each.arg): ast.literal_eval(each.value) for each in call.keywords}
    except ValueError:
        return None
