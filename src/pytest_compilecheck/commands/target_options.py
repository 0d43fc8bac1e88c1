"""Options that name a model and the inputs of its call, as a contract file has them."""

from __future__ import annotations

import argparse
from typing import Final

from pytest_compilecheck.contract.file.options import (
    contract_name,
    dims_text,
    document,
    field_text,
    inputs_text,
)
from pytest_compilecheck.contract.file.write import flow

TARGET_OPTIONS: Final = (
    "inputs",
    "dims",
    "arguments",
    "call",
    "keywords",
    "dtype",
    "backend",
    "set",
    "name",
)
"""The names of the options."""


def add_target_options(parser: argparse.ArgumentParser) -> None:
    """All but the target itself. Those that take YAML take what a contract file has there."""
    add = parser.add_argument
    add(
        "--inputs",
        nargs="+",
        default=[],
        action="extend",
        metavar="NAME=SHAPE[:DTYPE][:<HIGH]",
        help="arguments of the call, as 'x=B S 64' or 'ids=B S:int64:<1000'; or 'x={YAML}'",
    )
    add(
        "--dims",
        nargs="+",
        default=[],
        action="extend",
        metavar="NAME=SIZES",
        help="sizes of the dims, step by step: B=1 S=128,129,256",
    )
    add("--arguments", metavar="YAML", help="arguments that the target is made with")
    add("--call", metavar="METHOD", help="method of the object to call (default: itself)")
    add("--keywords", metavar="YAML", help="fixed keyword arguments of the call")
    add("--dtype", help="dtype of the model and of float inputs")
    add("--backend", help="backend of torch.compile")
    add(
        "--set",
        default=[],
        action="append",
        metavar="KEY=YAML",
        help="any other key of a contract, as training=true; a bound stays as it is given",
    )
    add("--name", help="name of the contract (default: that of the target)")


def target_fields(options: argparse.Namespace) -> list[tuple[str, str]]:
    """The keys of the contract and their YAML text.

    Raises:
        OptionError: an option does not have its form.
    """
    given = {
        "arguments": options.arguments,
        "call": options.call and flow(options.call),
        "keywords": options.keywords,
        "dtype": options.dtype and flow(options.dtype),
        "backend": options.backend and flow(options.backend),
        "inputs": options.inputs and inputs_text(options.inputs),
        "dims": options.dims and dims_text(options.dims),
    }
    fields = [("target", flow(options.target))]
    fields += [(key, text) for key, text in given.items() if text]
    return fields + [field_text(text) for text in options.set]


def target_document(options: argparse.Namespace, fields: list[tuple[str, str]]) -> str:
    """The contract file of a target."""
    return document(options.name or contract_name(options.target), fields)
