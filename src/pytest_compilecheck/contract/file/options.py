"""A contract file from the options of a command: YAML text, with what a person typed in it."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from pytest_compilecheck.contract.file.write import flow, head

_NUMBER: Final = re.compile(r"-?[0-9]+(\.[0-9]*)?")
_SEPARATOR: Final = re.compile(r"[\s,|]+")


class OptionError(ValueError):
    """An option does not have its form: the message names it and shows the form."""


def document(name: str, fields: Iterable[tuple[str, str]]) -> str:
    """A contract file of one contract; the values of its fields are YAML text.

    The text stands as it is, each field indented below its key: what is wrong in it is found at
    its place when the document is read.
    """
    lines = head(name)
    for key, text in fields:
        lines += [f"    {flow(key)}:", textwrap.indent(text.strip(), " " * 6)]
    return "\n".join([*lines, ""])


def contract_name(target: str) -> str:
    """A name for the contract of a target: "MLP" of "models:MLP"."""
    attribute = re.split("[.:]", target)[-1]
    return re.sub("[^A-Za-z0-9_]", "_", attribute).lstrip("_") or "contract"


def field_text(given: str) -> tuple[str, str]:
    """A field and its YAML text, of "dynamic=true".

    Raises:
        OptionError: there is no name before a "=".
    """
    return _named("--set", given, "'dynamic=true'")


def inputs_text(given: Sequence[str]) -> str:
    """YAML text of `inputs`.

    Each item is "x=B S 64", "ids=B S:int64:<1000", or "x=" and YAML in brackets; or a single one is
    the whole mapping in braces.

    Raises:
        OptionError: an item has another form.
    """
    if len(given) == 1 and given[0].lstrip().startswith("{"):
        return given[0]
    named = [_named("--inputs", item, "'x=B S 64' or 'ids=B S:int64:<1000'") for item in given]
    return "\n".join(_entry(name, _input(name, text)) for name, text in named)


def dims_text(given: Sequence[str]) -> str:
    """YAML text of `dims`.

    The items are "B=1" and "S=128,129,256", several in one with a comma or blank between them, "|"
    for a comma too; or a single one is the whole mapping in braces.

    Raises:
        OptionError: the first has no name.
    """
    if len(given) == 1 and given[0].lstrip().startswith("{"):
        return given[0]
    dims: list[tuple[str, list[str]]] = []
    for word in filter(None, _SEPARATOR.split(",".join(given))):
        name, equals, size = word.partition("=")
        if equals:
            dims.append((name, [size] if size else []))
        elif dims:
            dims[-1][1].append(word)
        else:
            raise OptionError(f"--dims {word!r}: expected NAME=SIZES such as 'S=128,129'")
    return "\n".join(_entry(name, _sizes(sizes)) for name, sizes in dims)


def _named(option: str, given: str, example: str) -> tuple[str, str]:
    name, equals, text = given.partition("=")
    if not equals or not name.strip():
        raise OptionError(f"{option} {given!r}: expected NAME=... such as {example}")
    return name.strip(), text


def _entry(name: str, text: str) -> str:
    return f"{flow(name)}: {text.strip()}"


def _input(name: str, text: str) -> str:
    if text.lstrip().startswith(("{", "[")):
        return text
    shape, *others = (part.strip() for part in text.split(":"))
    if not others:
        return flow(shape)
    for part in others:
        if _NUMBER.fullmatch(part):
            why = f"{part} is no dtype; for values below {part} write :<{part}"
            raise OptionError(f"--inputs {f'{name}={text}'!r}: {why}")
    if len(others) > 2 or len({part[:1] == "<" for part in others}) < len(others):
        why = "expected NAME=SHAPE, with one :DTYPE and one :<HIGH at most"
        raise OptionError(f"--inputs {f'{name}={text}'!r}: {why}")
    keys = [f"shape: {flow(shape)}", *_tensor_keys(others)]
    return "{" + ", ".join(keys) + "}"


def _tensor_keys(parts: Iterable[str]) -> Iterator[str]:
    for part in parts:
        key, text = ("high", part[1:].strip()) if part.startswith("<") else ("dtype", part)
        yield f"{key}: {_number_or_text(text)}"


def _sizes(sizes: list[str]) -> str:
    written = list(map(_number_or_text, sizes))
    return written[0] if len(written) == 1 else f"[{', '.join(written)}]"


def _number_or_text(text: str) -> str:
    return text if _NUMBER.fullmatch(text) else flow(text)
