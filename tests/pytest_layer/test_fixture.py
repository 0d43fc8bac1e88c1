"""The `compilecheck` fixture: contracts on parts of a test."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_layer.projects import Project, assert_shows

FUNCTIONS = """
    def plain(x):
        return x + 1

    def broken(x):
        y = x + 1
        print("here")
        return y * 2

"""


def parts(project: Project, *arguments: str) -> dict[str, dict[str, Any]]:
    return {each["part"]: each for each in project.report(*arguments)["contracts"]}


def test_each_block_has_a_verdict_of_its_own(project: Project) -> None:
    project.tests(f"""{FUNCTIONS}
    def test_it(compilecheck):
        with compilecheck.watch("clean") as seen:
            compilecheck.compile(plain)(torch.ones(3))
        assert seen.observation.graphs == 1
        with compilecheck.watch(max_graph_breaks=1, max_graphs=2):
            compilecheck.compile(broken)(torch.ones(3))
    """)
    found = parts(project)
    assert list(found) == ["clean", "watch 2"]
    assert {each["id"] for each in found.values()} == {"test_it.py::test_it"}
    assert [len(each["observed"]["break_sites"]) for each in found.values()] == [0, 1]
    assert {each["outcome"] for each in found.values()} == {"passed"}


def test_blocks_nest_and_the_outer_one_sees_all(project: Project) -> None:
    project.tests(f"""{FUNCTIONS}
    def test_it(compilecheck):
        with compilecheck.watch("outer", max_graph_breaks=1):
            compilecheck.compile(plain)(torch.ones(3))
            with compilecheck.watch("inner", max_graph_breaks=1):
                compilecheck.compile(broken)(torch.ones(3))
    """)
    found = parts(project)
    assert [len(each["observed"]["timeline"]) for each in found.values()] == [1, 2]
    assert list(found) == ["inner", "outer"]


def test_a_broken_block_fails_its_test_as_a_contract_does(project: Project) -> None:
    project.tests(f"""{FUNCTIONS}
    def test_it(compilecheck):
        with compilecheck.watch("prefill"):
            compilecheck.compile(broken)(torch.ones(3))
        assert False, "never comes here"
    """)
    result = project.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "1 graph break, 0 allowed  [[]max_graph_breaks]",
            "graph break 1 of 1  test_it.py:9* in broken",
            "failed * test_it.py::test_it (prefill)",
        ]
    )
    result.stdout.no_fnmatch_line("*torch.__trace*")


def test_it_is_only_reported_with_warn(project: Project) -> None:
    project.tests(f"""{FUNCTIONS}
    def test_it(compilecheck):
        with compilecheck.watch("prefill"):
            compilecheck.compile(broken)(torch.ones(3))
    """)
    assert parts(project, "--compilecheck-warn")["prefill"]["outcome"] == "warned"


def test_a_watch_without_a_block_holds_nothing(project: Project) -> None:
    project.tests(f"""{FUNCTIONS}
    def test_unused(compilecheck):
        compilecheck.watch(max_graph_breaks=0)
        compilecheck.compile(broken)(torch.ones(3))

    def test_decorates(compilecheck):
        compilecheck.watch(max_graph_breaks=0)(broken)

    def test_used_twice(compilecheck):
        watch = compilecheck.watch()
        for _ in range(2):
            with watch:
                compilecheck.compile(plain)(torch.ones(3))
    """)
    for arguments in ([], ["--compilecheck"]):
        result = project.run(*arguments, check=False)
        result.assert_outcomes(passed=1, failed=2, errors=2)
        assert_shows(
            result,
            "1 fault in the compile contract of test_unused",
            "test_it.py:*: no block ran in this watch, so that it held nothing: `with",
            "'_Block' object is not callable",
            "a watch is used once: make a new one with compilecheck.watch()",
        )


def test_blocks_of_one_name_are_all_told(project: Project) -> None:
    project.tests(f"""{FUNCTIONS}
    def test_it(compilecheck):
        for function in (broken, plain):
            with compilecheck.watch("step"):
                compilecheck.compile(function)(torch.ones(3))
    """)
    found = parts(project, "--compilecheck-warn")
    assert {part: each["outcome"] for part, each in found.items()} == {
        "step": "warned",
        "step (2)": "passed",
    }


def test_names_that_look_like_those_of_other_blocks_stay_apart(project: Project) -> None:
    project.tests(f"""{FUNCTIONS}
    def test_it(compilecheck):
        for name in ("watch 2", None, "a", "a", "a (2)", "", 7):
            torch._dynamo.reset()
            with compilecheck.watch(name):
                compilecheck.compile(broken if name == "watch 2" else plain)(torch.ones(3))
    """)
    found = parts(project, "--compilecheck-warn")
    names = ["7", "a", "a (2)", "a (2) (2)", "watch 2", "watch 2 (2)", "watch 6"]
    assert list(found) == names
    assert found["watch 2"]["outcome"] == "warned"


def test_every_bound_is_one_of_a_block_too(project: Project) -> None:
    project.tests(f"""{FUNCTIONS}
    def unsound(x: torch.Tensor) -> torch.Tensor:
        x.add_(1)
        return x.clone()

    unsound = torch.library.custom_op("of_blocks::unsound", unsound, mutates_args=())
    unsound.register_fake(torch.empty_like)

    def test_it(compilecheck):
        with compilecheck.watch("memory", max_memory_growth="1 GB"):
            compilecheck.compile(plain)(torch.ones(3))
        with compilecheck.watch("operators", check_custom_ops=True):
            compilecheck.compile(lambda x: unsound(x) + 1)(torch.ones(3))

    def test_warm(compilecheck):
        compiled = compilecheck.compile(lambda x, n: unsound(x) + n)
        compiled(torch.ones(3), 3)
        with compilecheck.watch("warm", check_custom_ops=True, max_fragile_guards=0):
            compiled(torch.ones(3), 3)
    """)
    project.run("--compilecheck-json=report.json").assert_outcomes(failed=2)
    found = {each["part"]: each for each in project.read_report()["contracts"]}
    assert found["memory"]["outcome"] == "passed"
    assert isinstance(found["memory"]["observed"]["memory_growth"], int)
    violations = {
        part: {each["bound"]: each["observed"] for each in contract["violations"]}
        for part, contract in found.items()
    }
    assert violations["operators"] == {"check_custom_ops": 1}
    assert violations["warm"] == {"check_custom_ops": None, "max_fragile_guards": None}


def test_a_block_that_skips_its_test_is_skipped(project: Project) -> None:
    project.tests("""
    def test_it(compilecheck):
        with compilecheck.watch("skips"):
            pytest.skip("no GPU")
    """)
    assert parts(project)["skips"]["outcome"] == "skipped"


def test_without_the_flag_nothing_is_compiled_or_judged(project: Project) -> None:
    project.tests(f"""{FUNCTIONS}
    def test_it(compilecheck):
        assert compilecheck.compile(plain) is plain
        with compilecheck.watch() as seen:
            plain(torch.ones(3))
        assert seen.observation.timeline == ()
    """)
    project.run(check=False).assert_outcomes(passed=1)


def test_the_error_of_the_block_is_the_tests_own(project: Project) -> None:
    project.tests(f"""{FUNCTIONS}
    def test_it(compilecheck):
        with compilecheck.watch("prefill"):
            compilecheck.compile(broken)(torch.ones(3))
            raise ValueError("mine")
    """)
    contract = parts(project)["prefill"]
    assert (contract["outcome"], contract["error"]) == ("failed", "ValueError: mine")
    project.run().stdout.fnmatch_lines(["E*ValueError: mine"])


def test_faults_are_told_with_their_place(project: Project) -> None:
    project.tests("""
        def test_it(compilecheck):
            with compilecheck.watch(shapes=(3,), backend="eager", max_breaks=1):
                pass
    """)
    result = project.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "3 faults in the compile contract of test_it",
            "*test_it.py:5: shapes: makes the inputs of a trace, and a watched block has none*",
            "*max_breaks: a contract has no such field*",
            "*backend: goes to torch.compile, and watch_only compiles nothing*",
        ]
    )


def test_a_block_cannot_be_told_to_compile(project: Project) -> None:
    """It would promise a comparison that nobody makes."""
    project.tests("""
        def test_it(compilecheck):
            with compilecheck.watch(watch_only=False, match_eager=True):
                pass
    """)
    assert_shows(
        project.run(),
        "2 faults in the compile contract of test_it",
        "watch_only: a watched block compiles nothing by itself: leave it out",
        "match_eager: needs what the contract compiles, and watch_only compiles nothing",
    )


def test_blocks_have_the_bounds_of_the_project(project: Project) -> None:
    project.file(
        "pytest.ini",
        """
        [pytest]
        compilecheck_defaults =
            max_graphs = 0
            passes = 3
            match_eager = True
            backend = 'inductor'
        """,
    )
    project.tests(f"""{FUNCTIONS}
    def test_it(compilecheck):
        with compilecheck.watch("of the project"):
            compilecheck.compile(plain)(torch.ones(3))

    def test_nearer(compilecheck):
        with compilecheck.watch("nearer", max_graph_breaks=1, max_graphs=2):
            compilecheck.compile(broken)(torch.ones(3))
    """)
    report = project.report(outcomes={"passed": 1, "failed": 1})
    found = {each["part"]: each["violations"] for each in report["contracts"]}
    assert [each["bound"] for each in found["of the project"]] == ["max_graphs"]
    assert found["nearer"] == []


def test_what_was_compiled_before_the_block_is_no_wrong_pass(project: Project) -> None:
    project.tests(f"""{FUNCTIONS}
    @pytest.fixture(scope="module")
    def warm():
        compiled = torch.compile(broken, backend="eager")
        compiled(torch.ones(3))
        return compiled

    def test_strict(compilecheck, warm):
        with compilecheck.watch():
            warm(torch.ones(3))

    def test_loose(compilecheck, warm):
        with compilecheck.watch(max_graph_breaks=1):
            warm(torch.ones(3))

    def test_figures_of_graphs(compilecheck, warm):
        with compilecheck.watch(max_graph_breaks=1, min_captured_ops=1):
            warm(torch.ones(3))

    def test_figures_of_rebuilds(compilecheck):
        compiled = compilecheck.compile(plain)
        compiled(torch.ones(3))
        with compilecheck.watch(max_recompiles=1, max_opaque_ops=0):
            compiled(torch.ones(4))
    """)
    report = project.report(outcomes={"passed": 1, "failed": 3})
    by_id = {each["id"].partition("::")[2]: each for each in report["contracts"]}
    strict = by_id["test_strict"]
    assert [each["line"] for each in strict["observed"]["earlier_breaks"]] == [9]
    assert (strict["observed"]["warm_graphs"], strict["observed"]["break_sites"]) == (2, [])
    assert [(each["bound"], each["observed"]) for each in strict["violations"]] == [
        ("max_graph_breaks", 1)
    ]
    (unknown,) = by_id["test_figures_of_graphs"]["violations"]
    assert (unknown["bound"], unknown["observed"]) == ("min_captured_ops", None)
    (unknown,) = by_id["test_figures_of_rebuilds"]["violations"]
    assert (unknown["bound"], unknown["observed"]) == ("max_opaque_ops", None)


def test_breaks_of_before_are_no_wrong_pass_where_something_is_rebuilt(project: Project) -> None:
    project.tests("""
    def helper(x):
        return x * 2

    def loops(x):
        for _ in range(2):
            x = helper(x)
            print("here")
        return x

    def breaks_first(x):
        print("here")
        return x * 2

    @pytest.mark.parametrize("function", [loops, breaks_first])
    def test_it(compilecheck, function):
        compiled = compilecheck.compile(function)
        compiled(torch.ones(4))
        with compilecheck.watch(max_recompiles=1):
            compiled(torch.ones(5))
    """)
    result = project.run()
    result.assert_outcomes(failed=2)
    assert_shows(
        result,
        "1 graph break, 0 allowed*",
        "*Warm start: code from before the watch ran",
        "*test_it.py:7 in loops",
        "1 graph break, 0 allowed*",
        "*test_it.py:14 in breaks_first",
    )


@pytest.mark.slow
def test_blocks_of_workers_reach_the_report(project: Project) -> None:
    project.tests(f"""{FUNCTIONS}
    @pytest.mark.parametrize("n", range(4))
    def test_it(compilecheck, n):
        with compilecheck.watch("a"):
            compilecheck.compile(plain if n else broken)(torch.ones(3))
    """)
    result = project.run_apart("-n1", "--compilecheck-json=report.json")
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(["graph break 1 of 1  test_it.py:9* in broken"])
    assert len(project.read_report()["contracts"]) == 4
