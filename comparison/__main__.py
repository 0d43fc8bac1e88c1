"""Prints what each way says of each program.

    python -m comparison            # the table of docs/why-counts-differ.md
    python -m comparison --short    # that of the README

`pytest-torch` has a column where it is installed: `pip install --no-deps pytest-torch==1.1.1`.
"""

from __future__ import annotations

import argparse

from comparison.table import short_table, table


def main() -> None:
    """Ask, and print."""
    parser = argparse.ArgumentParser(
        prog="python -m comparison",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--short", action="store_true", help="the table of the README")
    print("\n".join(short_table() if parser.parse_args().short else table()))


if __name__ == "__main__":
    main()
