"""A whole run, watched from below: what it opens for writing, starts, loads, and sends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from pytest_layer.projects import without_times
from security.hostile_strings import STEERS

# In a process of its own: an audit hook stays for good.
CONFTEST = """
import json, os, sys

seen = []

def hook(event, arguments):
    if event.split(".")[0] in ("socket", "urllib", "http", "ftplib", "smtplib", "webbrowser"):
        seen.append([event, repr(arguments)])
        raise OSError("there is no network")
    if event in ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "pickle.find_class"):
        seen.append([event, repr(arguments)])
    if event == "open" and arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        seen.append(["write", str(arguments[0])])
    if event in ("os.rename", "os.mkdir", "os.link", "os.symlink", "shutil.move"):
        seen.append(["write", str(arguments[event == "os.rename"])])

if "SEEN" in os.environ:
    sys.addaudithook(hook)

def pytest_unconfigure():
    if "SEEN" in os.environ:
        with open(os.environ.pop("SEEN"), "w") as file:
            json.dump(seen, file)
"""
TESTS = """
import torch
from pytest_compilecheck import compile_contract

@compile_contract(shapes={"x": "B 4"}, dims={"B": [2, 3, 5]}, max_recompiles=1)
def test_breaks(x):
    print("break")
    return x * 2

@compile_contract(shapes=[(2, 3)], match_eager=True)
def test_holds(x):
    return x.relu() + 1
"""
CONTRACTS = """
version: 1
contracts:
  relu: {target: "torch.nn:ReLU", inputs: {input: "2 3"}}
"""
# torch makes the folder of its cache when it is imported.
TORCH = (os.environ.get("TORCHINDUCTOR_CACHE_DIR", "/tmp/torchinductor_"),)
REPORTS = ("json", "html", "markdown", "sarif")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_it.py").write_text(TESTS)
    (tmp_path / "it.contract.yaml").write_text(CONTRACTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\ncompilecheck_files = *.contract.yaml\n")
    (tmp_path / "tmp").mkdir()
    return tmp_path


def run(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """pytest with the plugin and nothing beside it."""
    # pytest's own cache and Python's are not ours.
    usual = ["-p", "no:cacheprovider", "-p", "pytest_compilecheck.plugin"]
    return subprocess.run(
        [sys.executable, "-B", "-m", "pytest", *usual, *arguments],
        cwd=folder,
        env={
            **os.environ,
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "TMPDIR": str(folder / "tmp"),
            **environment,
        },
        capture_output=True,
        check=False,
    )


@pytest.mark.slow
def test_nothing_is_sent_and_nothing_written_but_what_was_asked_for(project: Path) -> None:
    reports = [f"--compilecheck-{name}=out/r.{name}" for name in REPORTS]
    free = run(project, "--compilecheck", "--compilecheck-json=free.json")
    seen = project / "seen.json"
    watched = run(
        project,
        "--compilecheck",
        "--compilecheck-baseline=known.yaml",
        "--compilecheck-update=new",
        *reports,
        SEEN=str(seen),
    )
    assert (free.returncode, watched.returncode) == (1, 0), watched.stdout.decode()
    events = json.loads(seen.read_text())
    assert [each for each in events if each[0] != "write"] == []
    assert strangers(project, (path for _, path in events)) == set()
    names = {str(each.relative_to(project)) for each in project.rglob("*") if each.is_file()}
    known = {"conftest.py", "test_it.py", "it.contract.yaml", "pytest.ini", "seen.json"}
    made = {"free.json", "known.yaml", *(f"out/r.{name}" for name in REPORTS)}
    assert {name for name in names if not name.startswith("tmp/")} == known | made
    before, after = (
        json.loads((project / name).read_text()) for name in ("free.json", "out/r.json")
    )
    for one, other in zip(before["contracts"], after["contracts"], strict=True):
        assert without_times(one["observed"]) == without_times(other["observed"])


def strangers(project: Path, paths: Iterable[str]) -> set[str]:
    """Paths that nobody asked for; the temporary directory is what it is for."""
    names = ("out", "known.yaml", "tmp", ".compilecheck-", "seen.json")
    allowed = [*(project / name for name in names), *TORCH]
    return {
        path
        for path in paths
        if path not in (str(project), os.devnull)
        and not path.isdecimal()  # a file that is open already
        and not any(str(project / path).startswith(str(each)) for each in allowed)
    }


def test_without_the_flag_nothing_is_written(project: Path) -> None:
    seen = project / "seen.json"
    done = run(project, SEEN=str(seen), GITHUB_STEP_SUMMARY=str(project / "summary.md"))
    assert done.returncode == 0, done.stdout.decode()
    assert strangers(project, (path for _, path in json.loads(seen.read_text()))) == set()
    made = {each.name for each in (project / "tmp").iterdir()}
    assert {name for name in made if not name.startswith("torchinductor_")} == set()  # torch's own


def test_contracts_are_collected_without_their_target(project: Path) -> None:
    """What a file names is imported when its contract runs, and not before."""
    (project / "trap.py").write_text("raise SystemExit('imported')\n")
    text = CONTRACTS.replace("torch.nn:ReLU", "trap:f")
    (project / "it.contract.yaml").write_text(text)
    done = run(project, "--compilecheck", "--collect-only", "it.contract.yaml")
    assert done.returncode == 0
    assert b"relu" in done.stdout
    assert b"imported" not in done.stdout + done.stderr
    check = [sys.executable, "-c", "from pytest_compilecheck.cli import main; main()", "validate"]
    checked = subprocess.run([*check, "."], cwd=project, capture_output=True, check=True)
    assert checked.stdout.startswith(b"1 contract file, 1 contract: no faults")


HOSTILE = r"""
version: 1
contracts:
  skipped: {target: "torch.nn:ReLU", inputs: {input: "2 3"}, skip: "\e[2J\x9b a\n::error::b"}
  missing: {target: "torch.nn:ReLU", inputs: {input: "2 3"}, requires: {"x\e[2J": ">=1"}}
  known: {target: "trap:breaks", inputs: {x: "2 3"}, xfail: "\e]0;t\a\u202e"}
"""
TRAP = r"""
def breaks(x):
    print("\x1b[2J")
    return x + 1
"""


@pytest.mark.slow
def test_nothing_of_contract_files_steers_the_terminal(project: Path) -> None:
    (project / "test_it.py").unlink()
    (project / "it.contract.yaml").write_text(HOSTILE)
    (project / "trap.py").write_text(TRAP)
    (project / "pytest.ini").write_text(
        "[pytest]\ncompilecheck_files = *.contract.yaml\npythonpath = .\n"
    )
    folder = "out\x1b[2J\u202e"
    done = run(
        project, "--compilecheck", "-rA", "-v", "--color=no",
        f"--compilecheck-json={folder}/r.json", "--compilecheck-html=pytest.ini/\x1b[2J/r.html",
        GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=str(project / "summary.md"),
    )  # fmt: skip
    told = done.stdout.decode()
    found = STEERS.search(told)
    assert found is None, told[: found.end() + 2000]
    assert "the html report could not be written: " in told
    assert (project / folder / "r.json").exists()
    assert "\\x1b[2J\\x9b a\\n::error::b" in told
    summary = (project / "summary.md").read_text()
    assert STEERS.search(summary) is None


@pytest.mark.parametrize(
    "option",
    ["annotations=\x1b[2J", "top=\x1b[2J", "update=\x1b[2J", "policies-seconds=\x1b[2J",
     "report=\x1b[2J", "report=\x1b[2J:a", "baseline=\x1b[2J.yaml"],
)  # fmt: skip
def test_nothing_of_an_option_steers_the_terminal(option: str, project: Path) -> None:
    asked = ("--compilecheck", "--compilecheck-policies")
    done = run(project, *asked, f"--compilecheck-{option}")
    assert done.returncode == 4
    assert STEERS.search((done.stdout + done.stderr).decode()) is None
    assert b"x1b[2J" in done.stdout + done.stderr
