"""The command: `python -m fuzz --programs 20000 --seed 0 --workers 1 --log FILE`."""

from __future__ import annotations

import argparse
import json
import os
import pprint
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from fuzz.program import draw
from fuzz.run import run
from fuzz.summary import summary
from fuzz.worker import crashed, prepare

PER_PROCESS = 2000
"""Programs for one process; torch keeps something of each."""


def main() -> int:
    """Run the command; its exit code is 1 where something differs."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--programs", type=int, default=500, help="how many; 500 by default")
    parser.add_argument("--first", type=int, default=0, help="the number of the first; 0")
    parser.add_argument("--workers", type=int, default=1, help="processes at a time; 1")
    parser.add_argument("--log", type=Path, default=Path("fuzz.log"), help="a line for each")
    parser.add_argument("--only", type=int, help="show one program and both counts, run no other")
    given = parser.parse_args()
    if given.only is not None:
        return show(given.seed, given.only)
    given.log.write_text("")
    last = given.first + given.programs
    chunks = [(i, min(PER_PROCESS, last - i)) for i in range(given.first, last, PER_PROCESS)]
    with ThreadPoolExecutor(given.workers) as pool:
        list(pool.map(lambda chunk: _process(given.seed, chunk[0], chunk[1], given.log), chunks))
    with given.log.open(encoding="utf-8") as lines:
        text = summary(lines)
    print(text)
    return 0 if "\nprograms that disagree: 0\n" in text else 1


def show(seed: int, index: int) -> int:
    """Print a program and both counts."""
    prepare()
    program = draw(seed, index)
    numbered = enumerate(program.source.splitlines(), 1)
    print("\n".join(f"{number:4} {line}" for number, line in numbered))
    print(f"settings: {program.settings}")
    with tempfile.TemporaryDirectory() as folder:
        outcome = run(program, os.path.realpath(folder))
    print("the watch:", pprint.pformat(outcome.seen, width=100), sep="\n")
    print("the oracle:", pprint.pformat(outcome.told, width=100), sep="\n")
    print("differences:", pprint.pformat(outcome.differences, width=100), sep="\n")
    print("problems:", *outcome.problems, sep="\n")
    return 1 if outcome.differences else 0


def _process(seed: int, first: int, count: int, log: Path) -> None:
    """Run a stretch of programs; after one that ends its process, those behind it."""
    part = log.with_name(f"{log.name}.{first}")
    part.write_text("")
    done = 0
    while done < count:
        command = [sys.executable, "-m", "fuzz.worker", str(seed), str(first + done)]
        command += [str(count - done), str(part)]
        code = subprocess.run(command, check=False).returncode  # noqa: S603 - it is ours
        done = len(part.read_text(encoding="utf-8").splitlines())
        if done < count:
            with part.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(crashed(first + done, f"exit code {code}")) + "\n")
            done += 1
    with log.open("a", encoding="utf-8") as whole:
        whole.write(part.read_text(encoding="utf-8"))
    part.unlink()


if __name__ == "__main__":
    sys.exit(main())
