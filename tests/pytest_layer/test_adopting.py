"""A project with thirty known breaks adopts a baseline, and lives with it: in a git repository."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_compilecheck.baseline.file import read_baseline
from pytest_layer.projects import Project

ADOPTING = Path(__file__).parents[1] / "adopting"
OF_2_13, OF_2_15 = (str(ADOPTING / f"torch-{release}.json") for release in ("2.13", "2.15"))
KNOWN = "known.yaml"
HELD = ("--compilecheck-baseline", KNOWN)
UPDATE = "--compilecheck-update"


class Repository:
    """A clone of the project, in which a person types commands."""

    def __init__(self, project: Project) -> None:
        self.path = project.path
        self.shown = ""
        self._project = project

    def typed(self, *command: str) -> int:
        """The exit status of a command; what it printed is in `shown`."""
        run = subprocess.run(command, cwd=self.path, capture_output=True, text=True, check=False)
        self.shown = run.stdout + run.stderr
        return run.returncode

    def pytest(self, *arguments: str) -> int:
        run = self._project.run("-p", "no:cacheprovider", *arguments)
        self.shown = run.stdout.str() + run.stderr.str()
        return int(run.ret)

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
def repository(project: Project) -> Repository:
    found = Repository(project)
    shutil.copy(ADOPTING / "model.py", found.path)
    shutil.copy(ADOPTING / "suite.py", found.path / "test_model.py")
    (found.path / "pytest.ini").write_text("[pytest]\n")
    (found.path / ".gitignore").write_text("__pycache__\n*.json\n")
    found.git("init", "-q", "-b", "main")
    found.commit("the model, and contracts on it")
    return found


@pytest.mark.slow
def test_a_project_adopts_a_baseline_and_lives_with_it(repository: Repository) -> None:
    # Thirty breaks, and two recompiles: the suite fails.
    assert repository.pytest() == 1
    repository.shows("10 failed", "3 graph breaks, 0 allowed")

    # Adopt: from now on it fails for what is new.
    assert repository.pytest(*HELD) == 4
    repository.shows("there is no baseline", "write it with --compilecheck-update=new")
    assert repository.pytest(*HELD, f"{UPDATE}=new") == 0
    repository.shows("10 passed", f"compilecheck: baseline {KNOWN}: ", " added")
    assert repository.breaks() == 30
    (repository.path / ".gitattributes").write_text(f"{KNOWN} merge=union\n")
    repository.commit("adopt a baseline")
    assert repository.pytest(*HELD, "-n", "2") == 0
    repository.shows("10 passed")

    # Fix some: told, and strict mode wants them held.
    repository.edit('        print("in")\n', "")
    repository.edit('        print("first")\n', "")
    assert repository.pytest(*HELD) == 0
    repository.shows(
        "better than the baseline: test_model.py::test_it[Chatty]: graph break GB0059 in forward,"
        " model.py: 2 known, 1 seen",
        "better than the baseline: test_model.py::test_it[Verbose]: graph break GB0059 in first,"
        " model.py: 1 known, gone",
        f"hold it: pytest --compilecheck --compilecheck-baseline={KNOWN} {UPDATE}=tighten",
    )
    assert repository.pytest(*HELD, "--compilecheck-strict") == 1
    repository.shows("2 failed, 8 passed", "[stale_baseline]")

    # Add one: only that fails, and tightening does not take it in.
    repository.edit("return self.second(x)", "return self.second(x * x.mean().item())")
    assert repository.pytest(*HELD) == 1
    repository.shows("1 failed, 9 passed", "3 graph breaks, 0 allowed, 2 in the baseline", "GB0124")
    assert repository.pytest(*HELD, f"{UPDATE}=tighten") == 1
    repository.shows(f"baseline {KNOWN}: 1 lowered, 1 dropped")
    assert repository.breaks() == 28
    repository.edit("return self.second(x * x.mean().item())", "return self.second(x)")
    assert repository.pytest(*HELD, "--compilecheck-strict") == 0
    repository.commit("fewer prints")


@pytest.mark.slow
def test_two_branches_that_change_the_baseline_are_rebased(repository: Repository) -> None:
    (repository.path / ".gitattributes").write_text(f"{KNOWN} merge=union\n")
    assert repository.pytest(*HELD, f"{UPDATE}=new") == 0
    repository.commit("adopt a baseline")

    repository.git("checkout", "-q", "-b", "one")
    repository.edit("        scale = x.mean()", "        print('a')\n        scale = x.mean()")
    repository.edit('        sys.stdout.write("")\n', "")
    assert repository.pytest(*HELD, f"{UPDATE}=all") == 0
    repository.shows("1 added, 1 dropped")
    repository.commit("one")

    repository.git("checkout", "-q", "-b", "two", "main")
    graph_break = "        torch._dynamo.graph_break()\n"
    repository.edit("        return x + values[0]", f"{graph_break}        return x + values[0]")
    assert repository.pytest(*HELD, f"{UPDATE}=new") == 0
    repository.commit("two")
    repository.edit("x = x + os.getpid()", "x = x + 1")
    assert repository.pytest(*HELD, f"{UPDATE}=tighten") == 0
    repository.commit("two, better")

    repository.git("rebase", "one")  # both put a line at the same place of the baseline
    # A line that one side dropped stays where the other changed the line beside it: it is told.
    assert repository.breaks() == 31
    assert repository.pytest(*HELD) == 0
    repository.shows("10 passed", "graph break GB0156 in forward, model.py: 1 known, gone")
    assert repository.pytest(*HELD, f"{UPDATE}=tighten") == 0
    assert repository.breaks() == 30 + 1 - 1 + 1 - 1
    assert repository.pytest(*HELD, "--compilecheck-strict") == 0


@pytest.mark.slow
def test_torch_is_upgraded_with_reports_of_both_releases(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    update = ("baseline", KNOWN, OF_2_13, "--update")
    assert repository.compilecheck(*update, "new") == 0
    repository.shows(f"baseline {KNOWN}: ", " added")
    old = repository.entries()
    assert repository.compilecheck("baseline", KNOWN, OF_2_13) == 0
    repository.shows("torch 2.13.0: 10 contracts, 0 with something new, 10 held by the baseline")

    # What 2.15 says otherwise is new; the rest is held to the figures of 2.13.
    assert repository.compilecheck("baseline", KNOWN, OF_2_15) == 1
    repository.shows(
        "torch 2.15.0: 10 contracts, 2 with something new, 8 held by the baseline",
        "new: test_model.py::test_it[Clock]: 3 graph breaks, 0 allowed: model.py:",
        "the baseline has no figures of torch 2.15 for 10 contracts: held to those of 2.13",
        f"record them: compilecheck baseline {KNOWN} {OF_2_15} --update new",
    )
    assert repository.entries() == old

    monkeypatch.setenv("CI", "true")
    assert repository.compilecheck("baseline", KNOWN, OF_2_15, "--update", "new") == 2
    repository.shows("--update is refused because CI is set", "--in-ci")
    monkeypatch.delenv("CI")

    # Recorded, each release is held to its own figures.
    assert repository.compilecheck("baseline", KNOWN, OF_2_15, "--update", "new") == 0
    repository.shows("figures of this release of torch recorded")
    for report in (OF_2_13, OF_2_15):
        assert repository.compilecheck("baseline", KNOWN, report) == 0, repository.shown
        assert "better than" not in repository.shown
    clock = [line for line in repository.entries() if "[Clock]" in line and "graph_break" in line]
    assert ['"2.13": 3, "2.15": 0' in line for line in clock] == [True, False]

    # The suite itself, under the torch that is installed.
    assert repository.pytest(*HELD) == 0
    repository.shows("10 passed")
