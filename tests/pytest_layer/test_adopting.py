"""A project with thirty known breaks adopts a baseline, and lives with it: in a git repository."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_compilecheck.baseline.file import read_baseline

ADOPTING = Path(__file__).parents[1] / "adopting"
OF_2_13, OF_2_15 = (str(ADOPTING / f"torch-{release}.json") for release in ("2.13", "2.15"))
KNOWN = "known.yaml"
HELD = ("--compilecheck-baseline", KNOWN)
UPDATE = "--compilecheck-update"


class Repository:
    """A clone of the project, in which a person types commands."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.shown = ""

    def typed(self, *command: str) -> int:
        """The exit status of a command; what it printed is in `shown`."""
        run = subprocess.run(command, cwd=self.path, capture_output=True, text=True, check=False)
        self.shown = run.stdout + run.stderr
        return run.returncode

    def pytest(self, *arguments: str) -> int:
        plugins = ("-p", "no:randomly", "-p", "no:cacheprovider")
        return self.typed(sys.executable, "-m", "pytest", "--compilecheck", *plugins, *arguments)

    def compilecheck(self, *arguments: str) -> int:
        program = "import sys; from pytest_compilecheck.cli import main; sys.exit(main())"
        return self.typed(sys.executable, "-c", program, *arguments)

    def git(self, *arguments: str) -> None:
        identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "core.editor=true")
        assert self.typed("git", *identity, *arguments) == 0, self.shown

    def commit(self, message: str) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)

    def edit(self, old: str, new: str) -> None:
        path = self.path / "model.py"
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, old
        path.write_text(text.replace(old, new), encoding="utf-8")

    def entries(self) -> list[str]:
        lines = (self.path / KNOWN).read_text(encoding="utf-8").splitlines()
        return [line for line in lines if line.startswith('- {"contract"')]

    def breaks(self) -> int:
        """How many break sites the baseline knows."""
        contracts = read_baseline(self.path / KNOWN).contracts.values()
        entries = [entry for each in contracts for entry in each.values()]
        found = (entry for entry in entries if entry.finding.kind == "graph_break")
        return sum(int(entry.counts["2.13"]) for entry in found)

    def shows(self, *texts: str) -> None:
        assert [text for text in texts if text not in self.shown] == [], self.shown


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    (tmp_path / "p").mkdir()
    found = Repository(tmp_path / "p")
    shutil.copy(ADOPTING / "model.py", found.path)
    shutil.copy(ADOPTING / "suite.py", found.path / "test_model.py")
    (found.path / "pytest.ini").write_text("[pytest]\n")
    (found.path / ".gitignore").write_text("__pycache__\n*.json\n")
    found.git("init", "-q", "-b", "main")
    found.commit("the model, and contracts on it")
    return found


def test_a_project_adopts_a_baseline_and_lives_with_it(project: Repository) -> None:
    # Thirty breaks, and two recompiles: the suite fails.
    assert project.pytest() == 1
    project.shows("10 failed", "3 graph breaks, 0 allowed")

    # Adopt: from now on it fails for what is new.
    assert project.pytest(*HELD) == 4
    project.shows("there is no baseline", "write it with --compilecheck-update=new")
    assert project.pytest(*HELD, f"{UPDATE}=new") == 0
    project.shows("10 passed", f"compilecheck: baseline {KNOWN}: ", " added")
    assert project.breaks() == 30
    (project.path / ".gitattributes").write_text(f"{KNOWN} merge=union\n")
    project.commit("adopt a baseline")
    assert project.pytest(*HELD, "-n", "2") == 0
    project.shows("10 passed")

    # Fix some: told, and strict mode wants them held.
    project.edit('        print("in")\n', "")
    project.edit('        print("first")\n', "")
    assert project.pytest(*HELD) == 0
    project.shows(
        "better than the baseline: test_model.py::test_it[Chatty]: graph break GB0059 in forward,"
        " model.py: 2 known, 1 seen",
        "better than the baseline: test_model.py::test_it[Verbose]: graph break GB0059 in first,"
        " model.py: 1 known, gone",
        f"hold it: pytest --compilecheck --compilecheck-baseline={KNOWN} {UPDATE}=tighten",
    )
    assert project.pytest(*HELD, "--compilecheck-strict") == 1
    project.shows("2 failed, 8 passed", "[stale_baseline]")

    # Add one: only that fails, and tightening does not take it in.
    project.edit("return self.second(x)", "return self.second(x * x.mean().item())")
    assert project.pytest(*HELD) == 1
    project.shows("1 failed, 9 passed", "3 graph breaks, 0 allowed, 2 in the baseline", "GB0124")
    assert project.pytest(*HELD, f"{UPDATE}=tighten") == 1
    project.shows(f"baseline {KNOWN}: 1 lowered, 1 dropped")
    assert project.breaks() == 28
    project.edit("return self.second(x * x.mean().item())", "return self.second(x)")
    assert project.pytest(*HELD, "--compilecheck-strict") == 0
    project.commit("fewer prints")


def test_two_branches_that_change_the_baseline_are_rebased(project: Repository) -> None:
    (project.path / ".gitattributes").write_text(f"{KNOWN} merge=union\n")
    assert project.pytest(*HELD, f"{UPDATE}=new") == 0
    project.commit("adopt a baseline")

    project.git("checkout", "-q", "-b", "one")
    project.edit("        scale = x.mean()", "        print('a')\n        scale = x.mean()")
    project.edit('        sys.stdout.write("")\n', "")
    assert project.pytest(*HELD, f"{UPDATE}=all") == 0
    project.shows("1 added, 1 dropped")
    project.commit("one")

    project.git("checkout", "-q", "-b", "two", "main")
    graph_break = "        torch._dynamo.graph_break()\n"
    project.edit("        return x + values[0]", f"{graph_break}        return x + values[0]")
    assert project.pytest(*HELD, f"{UPDATE}=new") == 0
    project.commit("two")
    project.edit("x = x + os.getpid()", "x = x + 1")
    assert project.pytest(*HELD, f"{UPDATE}=tighten") == 0
    project.commit("two, better")

    project.git("rebase", "one")  # both put a line at the same place of the baseline
    # A line that one side dropped stays where the other changed the line beside it: it is told.
    assert project.breaks() == 31
    assert project.pytest(*HELD) == 0
    project.shows("10 passed", "graph break GB0156 in forward, model.py: 1 known, gone")
    assert project.pytest(*HELD, f"{UPDATE}=tighten") == 0
    assert project.breaks() == 30 + 1 - 1 + 1 - 1
    assert project.pytest(*HELD, "--compilecheck-strict") == 0


def test_torch_is_upgraded_with_reports_of_both_releases(
    project: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    update = ("baseline", KNOWN, OF_2_13, "--update")
    assert project.compilecheck(*update, "new") == 0
    project.shows(f"baseline {KNOWN}: ", " added")
    old = project.entries()
    assert project.compilecheck("baseline", KNOWN, OF_2_13) == 0
    project.shows("torch 2.13.0: 10 contracts, 0 with something new", "10 contracts held by")

    # What 2.15 says otherwise is new; the rest is held to the figures of 2.13.
    assert project.compilecheck("baseline", KNOWN, OF_2_15) == 1
    project.shows(
        "torch 2.15.0: 10 contracts, 2 with something new",
        "8 contracts held by the baseline only",
        "new: test_model.py::test_it[Clock]: 3 graph breaks, 0 allowed: model.py:",
        "the baseline has no figures of torch 2.15 for 10 contracts: held to those of 2.13",
        f"record them: compilecheck baseline {KNOWN} {OF_2_15} --update new",
    )
    assert project.entries() == old

    monkeypatch.setenv("CI", "true")
    assert project.compilecheck("baseline", KNOWN, OF_2_15, "--update", "new") == 2
    project.shows("--update is refused because CI is set", "--in-ci")
    monkeypatch.delenv("CI")

    # Recorded, each release is held to its own figures.
    assert project.compilecheck("baseline", KNOWN, OF_2_15, "--update", "new") == 0
    project.shows("figures of this release of torch recorded")
    for report in (OF_2_13, OF_2_15):
        assert project.compilecheck("baseline", KNOWN, report) == 0, project.shown
        assert "better than" not in project.shown
    clock = [line for line in project.entries() if "[Clock]" in line and "graph_break" in line]
    assert ['"2.13": 3, "2.15": 0' in line for line in clock] == [True, False]

    # The suite itself, under the torch that is installed.
    assert project.pytest(*HELD) == 0
    project.shows("10 passed")
