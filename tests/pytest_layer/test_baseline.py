"""A run that is held to a baseline."""

from __future__ import annotations

import pytest

from pytest_compilecheck.baseline.file import read_baseline
from pytest_layer.projects import Project, assert_shows

FILE = "--compilecheck-baseline=known.yaml"
NEW, TIGHTEN, ALL = (f"--compilecheck-update={mode}" for mode in ("new", "tighten", "all"))

MODEL = """
import torch

class Model(torch.nn.Module):
    def forward(self, x):
        y = x.relu()
        print("first")
        y = y + 1
        print("second")
        return y * 2
"""
SUITE = """
from model import Model

@pytest.fixture
def model():
    return Model()

@compile_contract(compiles="model", shapes=[(2, 3)])
def test_breaks(model, x):
    model(x)

@compile_contract(shapes=[(2, 3), (4, 3)])
def test_rebuilds(x):
    return x + 1

@compile_contract(shapes=[(2, 3)])
def test_holds(x):
    return x + 1
"""


@pytest.fixture
def adopted(project: Project) -> Project:
    """A project whose baseline knows two breaks and a recompile."""
    project.file("model.py", MODEL)
    project.tests(SUITE)
    result = project.run(FILE, NEW)
    result.assert_outcomes(passed=3)
    assert_shows(result, "compilecheck: baseline known.yaml: 3 added")
    return project


def known(project: Project) -> dict[str, dict[str, float]]:
    """Counts by kind, of each contract."""
    found: dict[str, dict[str, float]] = {}
    for name, entries in read_baseline(project.path / "known.yaml").contracts.items():
        counts = found.setdefault(name.partition("::")[2], {})
        for finding, entry in entries.items():
            (counts[finding.kind],) = entry.counts.values()
    return found


def edit(project: Project, old: str, new: str, file: str = "model.py") -> None:
    path = project.path / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def begin(project: Project, statement: str) -> None:
    """Put a statement at the beginning of test_breaks."""
    head = "def test_breaks(model, x):"
    edit(project, head, f"{head}\n    {statement}", "test_it.py")


BOTH = {"test_breaks": {"graph_break": 2}, "test_rebuilds": {"recompile": 1, "max_recompiles": 1}}


@pytest.mark.slow
def test_what_is_known_fails_no_longer(adopted: Project) -> None:
    assert known(adopted) == BOTH
    adopted.run().assert_outcomes(passed=1, failed=2)
    result = adopted.run(FILE)
    result.assert_outcomes(passed=3)
    assert_shows(result, "compilecheck: 2 contracts held by the baseline only")
    assert "better than" not in result.stdout.str()
    report = adopted.report(FILE)
    first = report["contracts"][0]
    assert (first["violations"], first["known"][0]["bound"]) == ([], "max_graph_breaks")
    assert first["known_sites"] == [0, 1]


def test_lines_may_move(adopted: Project) -> None:
    edit(adopted, "import torch\n", "import torch\n# a\n# b\n\n")
    edit(adopted, "        y = x.relu()\n", "        y = x.relu()\n        y = y - 1\n")
    adopted.run(FILE).assert_outcomes(passed=3)


def test_what_is_new_fails_and_only_that_is_shown(adopted: Project) -> None:
    edit(adopted, "y = y + 1", "y = y + int(y.sum() > 0)")
    result = adopted.run(FILE)
    result.assert_outcomes(passed=2, failed=1)
    assert_shows(
        result,
        "3 graph breaks, 0 allowed, 2 in the baseline  [max_graph_breaks]",
        "graph break 1 of 1  model.py:7:",
        "Unsupported Tensor.item() call",
    )


def test_one_more_of_what_is_known_fails(adopted: Project) -> None:
    edit(adopted, 'print("first")', 'print("first"); y = y.cos(); print("third")')
    result = adopted.run(FILE)
    result.assert_outcomes(passed=2, failed=1)
    assert_shows(result, "3 graph breaks, 0 allowed, 2 in the baseline")


@pytest.mark.slow
def test_better_is_told_and_fails_in_strict_mode(adopted: Project) -> None:
    edit(adopted, 'print("first")', "pass")
    result = adopted.run(FILE)
    result.assert_outcomes(passed=3)
    assert_shows(
        result,
        "better than the baseline: test_it.py::test_breaks: graph break GB0059 in forward,"
        " model.py: 2 known, 1 seen",
        "hold it: pytest --compilecheck --compilecheck-baseline=known.yaml"
        " --compilecheck-update=tighten",
    )
    result = adopted.run(FILE, "--compilecheck-strict")
    result.assert_outcomes(passed=2, failed=1)
    assert_shows(result, "better than the baseline: graph break GB0059*  [stale_baseline]")
    adopted.run(FILE, TIGHTEN).assert_outcomes(passed=3)
    assert known(adopted) == {**BOTH, "test_breaks": {"graph_break": 1}}


def test_what_the_bound_allows_by_now_is_not_gone(adopted: Project) -> None:
    edit(adopted, 'print("first")', "pass")
    test = "[(2, 3)]{0})\ndef test_breaks"
    edit(adopted, test.format(""), test.format(", max_graph_breaks=1"), "test_it.py")
    assert_shows(adopted.run(FILE), "2 known, 1 seen, which the bound allows: no entry is needed")


@pytest.mark.slow
def test_tighten_takes_in_nothing_new_and_all_does(adopted: Project) -> None:
    edit(adopted, 'print("first")', 'print("first"); y = y.cos(); print("third")')
    adopted.run(FILE, TIGHTEN).assert_outcomes(passed=2, failed=1)
    adopted.run(FILE, NEW).assert_outcomes(passed=2, failed=1)
    assert known(adopted) == BOTH
    result = adopted.run(FILE, ALL)
    result.assert_outcomes(passed=3)
    assert_shows(result, "baseline known.yaml: 1 raised", "raised: test_it.py::test_breaks: graph")
    assert known(adopted)["test_breaks"] == {"graph_break": 3}


@pytest.mark.parametrize(
    "arguments",
    [
        ("-k", "holds"),
        ("test_it.py::test_holds",),
        ("--deselect", "test_it.py::test_breaks"),
        ("-x",),
    ],
)
@pytest.mark.parametrize("update", [TIGHTEN, ALL])
def test_a_partial_run_drops_nothing_that_did_not_run(
    adopted: Project, arguments: tuple[str, ...], update: str
) -> None:
    edit(
        adopted,
        "def test_breaks(model, x):",
        "def test_breaks(model, x):\n    raise ValueError",
        "test_it.py",
    )
    adopted.run(FILE, update, *arguments)
    assert known(adopted)["test_breaks"] == {"graph_break": 2}


def test_a_contract_that_is_no_more_is_dropped(adopted: Project) -> None:
    edit(adopted, "def test_rebuilds", "def test_renamed", "test_it.py")
    result = adopted.run(FILE, "-k", "holds", "--compilecheck-strict")
    assert_shows(result, "test_it.py::test_rebuilds: there is no such contract any more")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result = adopted.run(FILE, "-k", "holds", TIGHTEN)
    assert_shows(result, "baseline known.yaml: 2 dropped")
    assert list(known(adopted)) == ["test_breaks"]


def test_a_file_that_was_not_looked_into_keeps_its_entries(adopted: Project) -> None:
    edit(
        adopted,
        "import pytest\n",
        "import pytest\npytest.importorskip('nothing_such')\n",
        "test_it.py",
    )
    adopted.tests("def test_other(): pass", "test_other.py")
    adopted.run(FILE, TIGHTEN)
    assert known(adopted) == BOTH
    adopted.file("conftest.py", "collect_ignore = ['test_it.py']")
    adopted.run(FILE, TIGHTEN)
    assert known(adopted) == BOTH
    adopted.run(FILE, TIGHTEN, "test_other.py")
    assert known(adopted) == BOTH
    (adopted.path / "conftest.py").unlink()
    (adopted.path / "test_it.py").unlink()
    adopted.run(FILE, TIGHTEN)
    assert known(adopted) == {}


def test_what_makes_figures_doubtful_is_never_known(project: Project) -> None:
    project.tests("""
        @compile_contract(shapes=[(2, 3)])
        def test_nothing(x):
            torch._dynamo.graph_break()
            return 1

        @compile_contract(shapes=[(2, 3)])
        def test_raises(x):
            raise ValueError("own")
    """)
    project.run(FILE, ALL).assert_outcomes(failed=2)
    assert known(project) == {}


def test_an_expected_failure_is_held_by_its_mark(project: Project) -> None:
    project.tests("""
        @pytest.mark.xfail(strict=True)
        @compile_contract(shapes=[(2, 3)])
        def test_breaks(x):
            print("a")
            return x + 1

        @pytest.mark.xfail(False, reason="not here")
        @compile_contract(shapes=[(2, 3)])
        def test_breaks_too(x):
            y = x + 1
            print("a")
            return y + 1
    """)
    project.run(FILE, ALL).assert_outcomes(xfailed=1, passed=1)
    assert known(project) == {"test_breaks_too": {"graph_break": 1}}
    project.run(FILE).assert_outcomes(xfailed=1, passed=1)


@pytest.mark.parametrize(
    ("mark", "arguments"),
    [
        ("'1 > 2', reason='never'", ()),
        ("raises=ValueError", ()),
        ("raises=(ValueError, KeyError)", ()),
        ("", ("--runxfail",)),
    ],
)
def test_a_mark_that_expects_no_broken_contract_holds_none(
    project: Project, mark: str, arguments: tuple[str, ...]
) -> None:
    project.tests(f"""
        @pytest.mark.xfail({mark})
        @compile_contract(shapes=[(2, 3)])
        def test_breaks(x):
            y = x + 1
            print("a")
            return y + 1
    """)
    ended = {"xpassed": 1} if "raises" in mark else {"passed": 1}
    project.run(FILE, NEW, *arguments).assert_outcomes(**ended)
    project.run(FILE, *arguments).assert_outcomes(**ended)


def test_blocks_of_a_test_have_entries_of_their_own(project: Project) -> None:
    project.tests("""
        def broken(x):
            y = x + 1
            print("a")
            return y + 1

        def test_it(compilecheck):
            compiled = compilecheck.compile(broken)
            with compilecheck.watch("cold"):
                compiled(torch.ones(3))
            with compilecheck.watch("warm", max_graph_breaks=1):
                compiled(torch.ones(3))
    """)
    project.run(FILE, NEW)
    assert known(project)["test_it (cold)"] == {"graph_break": 1}
    project.run(FILE).assert_outcomes(passed=1)


@pytest.mark.parametrize(
    "stop",
    ["raise ValueError", "pytest.skip()", "with compilecheck.watch('nothing'): pass"],
)
def test_blocks_behind_the_place_where_a_test_stopped_keep_their_entries(
    project: Project, stop: str
) -> None:
    text = """
        def broken(x):
            y = x + 1
            print("a")
            return y + 1

        def test_it(compilecheck):
            compiled = compilecheck.compile(broken)
            for step in range(2):
                torch._dynamo.reset()
                with compilecheck.watch("block"):
                    compiled(torch.ones(3))
                {stop}

        def test_other():
            pass
    """
    project.tests(text.format(stop="pass"))
    project.run(FILE, NEW).assert_outcomes(passed=2)
    both = known(project)
    assert list(both) == ["test_it (block (2))", "test_it (block)"]
    project.tests(text.format(stop=stop))
    project.run(FILE, TIGHTEN)
    assert known(project) == both
    project.run(FILE, TIGHTEN, "-k", "other")
    assert known(project) == both


def test_contracts_of_files_are_held_too(project: Project) -> None:
    project.file("pytest.ini", "[pytest]\npythonpath = .\n")
    project.file("model.py", MODEL)
    project.file(
        "contracts/a.contract.yaml",
        """
        version: 1
        contracts:
          forward: {target: "model:Model", inputs: {x: "2 3"}}
        """,
    )
    project.run(FILE, NEW).assert_outcomes(passed=1)
    assert known(project) == {"forward": {"graph_break": 2}}
    project.run(FILE).assert_outcomes(passed=1)


@pytest.mark.slow
def test_workers_write_the_same_baseline(adopted: Project) -> None:
    before = (adopted.path / "known.yaml").read_text(encoding="utf-8")
    (adopted.path / "known.yaml").unlink()
    result = adopted.run_apart(FILE, NEW, "-n", "2")
    result.assert_outcomes(passed=3)
    assert (adopted.path / "known.yaml").read_text(encoding="utf-8") == before
    adopted.run_apart(FILE, "-n", "1").assert_outcomes(passed=3)


@pytest.mark.slow
@pytest.mark.parametrize("end", ["os._exit(1)", "os.kill(os.getpid(), 9)"])
def test_a_worker_that_dies_drops_nothing(adopted: Project, end: str) -> None:
    edit(
        adopted,
        "def test_breaks(model, x):",
        f"def test_breaks(model, x):\n    import os; {end}",
        "test_it.py",
    )
    edit(adopted, "shapes=[(2, 3), (4, 3)]", "shapes=[(2, 3)]", "test_it.py")
    result = adopted.run_apart(FILE, TIGHTEN, "-n", "1")
    assert result.ret != 0
    assert known(adopted) == {"test_breaks": {"graph_break": 2}}


def test_the_baseline_of_the_ini_file_lies_at_the_root(adopted: Project) -> None:
    adopted.file("pytest.ini", "[pytest]\ncompilecheck_baseline = known.yaml\n")
    edit(adopted, 'print("first")', "pass")
    result = adopted.run()
    result.assert_outcomes(passed=3)
    assert_shows(result, "hold it: pytest --compilecheck --compilecheck-update=tighten")
    adopted.run(check=False).assert_outcomes(passed=3)  # without --compilecheck it is not needed


def test_packages_of_another_version_are_told(adopted: Project) -> None:
    path = adopted.path / "known.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"packages": {}', '"packages": {"einops": "0.1"}'), "utf-8")
    base = "from einops.layers.torch import Rearrange\n\nclass Model(Rearrange)"
    edit(adopted, "class Model(torch.nn.Module)", base)
    edit(adopted, 'print("first")', 'print("first"); y = y.cos(); print("third")')
    edit(adopted, "return Model()", 'return Model("a b -> a b")', "test_it.py")
    result = adopted.run(FILE)
    result.assert_outcomes(passed=2, failed=1)
    assert_shows(result, "the baseline was recorded with other versions: einops 0.1 then, 0.*")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((FILE,), "there is no baseline *known.yaml: write it with --compilecheck-update=new"),
        ((FILE, TIGHTEN), "there is no baseline *known.yaml"),
        ((NEW,), "--compilecheck-update needs --compilecheck-baseline=FILE"),
        ((FILE, "--compilecheck-update=worse"), "choose one of new, tighten, all"),
    ],
)
def test_what_cannot_be_is_a_usage_error(
    project: Project, arguments: tuple[str, ...], told: str
) -> None:
    project.tests("def test_plain(): pass")
    result = project.run(*arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(f"*ERROR: *{told}*")


def test_a_faulty_baseline_is_a_usage_error_with_its_line(adopted: Project) -> None:
    with (adopted.path / "known.yaml").open("a") as file:
        file.write("- {contract: a}\n")
    result = adopted.run(FILE)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        "ERROR: *known.yaml:10: kind is missing: an item here has contract, kind, count"
    )


@pytest.mark.slow
@pytest.mark.parametrize(("value", "refused"), [("true", True), ("1", True), ("false", False)])
def test_ci_writes_no_baseline_unless_told(
    adopted: Project, monkeypatch: pytest.MonkeyPatch, value: str, refused: bool
) -> None:
    monkeypatch.setenv("CI", value)
    result = adopted.run(FILE, NEW)
    assert (result.ret == pytest.ExitCode.USAGE_ERROR) == refused
    if refused:
        result.stderr.fnmatch_lines("*refused because CI is set*--compilecheck-update-in-ci*")
        adopted.run(FILE, NEW, "--compilecheck-update-in-ci").assert_outcomes(passed=3)
    adopted.run(FILE).assert_outcomes(passed=3)


def test_a_baseline_that_cannot_be_written_fails_the_run(adopted: Project) -> None:
    path = adopted.path / "known.yaml"
    before = path.read_text(encoding="utf-8")
    path.chmod(0o444)
    edit(adopted, 'print("first")', "pass")
    result = adopted.run(FILE, TIGHTEN)
    result.assert_outcomes(passed=3)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert_shows(
        result, "known.yaml is read-only and stays as it is: make it writable to update it"
    )
    assert path.read_text(encoding="utf-8") == before


def test_reasons_are_kept_by_updates(adopted: Project) -> None:
    path = adopted.path / "known.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"count": {"2', '"because": "a log", "count": {"2', 1), "utf-8")
    edit(adopted, 'print("first")', "pass")
    adopted.run(FILE, TIGHTEN).assert_outcomes(passed=3)
    assert '"because": "a log"' in path.read_text(encoding="utf-8")
