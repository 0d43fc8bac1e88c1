"""The commands.

    python -m soak contracts --contracts 2000 --workers 0    # and --workers 2
    python -m soak orders --orders 20 --workers 2 contracts examples
    python -m soak alone contracts examples

Each exits with 1 where something is not as it was.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from soak.contracts import soak
from soak.orders import alone, orders


def main() -> int:
    """Run a command; its exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m soak",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    long = commands.add_parser("contracts", help="many contracts in one process")
    long.add_argument("--contracts", type=int, default=2000)
    mixed = commands.add_parser("orders", help="the same contracts in random orders")
    mixed.add_argument("--orders", type=int, default=20)
    mixed.add_argument("--at-most", type=float, help="only tests of so many seconds of calls")
    for each in (long, mixed):
        each.add_argument("--workers", type=int, default=0, help="of pytest-xdist; 0 for none")
    single = commands.add_parser("alone", help="each contract in a process of its own")
    for each in (mixed, single):
        each.add_argument("tests", nargs="+", help="what pytest is to run")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if given.command == "contracts":
            return soak(given.contracts, given.workers, folder)
        if given.command == "orders":
            return orders(given.tests, given.orders, given.workers, folder, given.at_most)
        return alone(given.tests, folder)


if __name__ == "__main__":
    raise SystemExit(main())
