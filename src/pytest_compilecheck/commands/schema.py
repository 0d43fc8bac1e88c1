"""`compilecheck schema`: the JSON schema of contract files, for editors."""

from __future__ import annotations

import argparse
import json
import sys

ABOUT = "write the JSON schema of contract files"


def add_options(_: argparse.ArgumentParser) -> None:
    """The command has no options."""


def run(_: argparse.Namespace) -> int:
    """Run the command; gives its exit status."""
    from pytest_compilecheck.contract.file.schema import schema

    json.dump(schema(), sys.stdout, indent=2)
    sys.stdout.write("\n")
    return 0
