"""Runs all benchmarks one after the other and writes the page of their results.

python benchmarks/all.py > docs/benchmarks.md     # half an hour on an idle machine
python benchmarks/all.py --quick                  # one round of each, for a look
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path

import torch

HERE = Path(__file__).resolve().parent

# Script, what it is asked for, and what for a look.
SCRIPTS: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("by_hand.py", ("--rounds", "3", "--tests", "100"), ("--rounds", "1", "--tests", "20")),
    ("watch_cost.py", ("--rounds", "5"), ("--rounds", "1", "--repeats", "4")),
    (
        "watch_cost.py",
        ("--rounds", "2", "--backend", "inductor", "--repeats", "4"),
        ("--rounds", "1", "--backend", "inductor", "--repeats", "4"),
    ),
    ("plugin_cost.py", ("--rounds", "5"), ("--rounds", "1")),
    ("many_tests.py", ("--rounds", "5"), ("--rounds", "1")),
    ("explain_cost.py", (), ("--rounds", "1")),
    ("memory.py", ("--rounds", "1"), ("--rounds", "1")),
    ("report_scale.py", (), ("--contracts", "500")),
)
_NEEDS_IDLE_CORES = ("parallel.py", ("--rounds", "1"), ("--rounds", "1", "--contracts", "8"))

_HEAD = """\
# Benchmarks

What the plugin costs, beside what people write by hand. One command makes this page:

<!-- not run: it takes a quarter of an hour -->

```console
$ python benchmarks/all.py > docs/benchmarks.md
```

{machine}

Quote ratios, not seconds: the two sides of each took turns in one run. What each script measures
stands in `benchmarks/README.md`.
"""


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="one round of each")
    parser.add_argument("--idle", action="store_true", help="two cores have nothing else to do")
    options = parser.parse_args()
    print(_HEAD.format(machine=machine()))
    for script, full, short in (*SCRIPTS, *([_NEEDS_IDLE_CORES] if options.idle else [])):
        arguments = short if options.quick else full
        print(f"## {' '.join((script, *arguments))}\n", flush=True)
        print("<!-- not run: figures of one machine on one day -->\n\n```text", flush=True)
        subprocess.run([sys.executable, str(HERE / script), *arguments], check=False)  # noqa: S603
        print("```\n", flush=True)


def machine() -> str:
    """What the figures were taken on, in one sentence."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    gpu = torch.cuda.get_device_name() if torch.cuda.is_available() else "no GPU"
    return (
        f"Taken on {datetime.now(timezone.utc):%Y-%m-%d} with torch {torch.__version__} and Python "
        f"{platform.python_version()} on {platform.system()}: {os.cpu_count()} cores of "
        f"{_processor()}, {memory:.0f} GiB of memory, {gpu}; "
        f"its load was {os.getloadavg()[0]:.1f} when this began."
    )


def _processor() -> str:
    """Its name where Linux tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


if __name__ == "__main__":
    main()
