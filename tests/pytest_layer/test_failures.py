"""What the terminal says, in pytest's many ways of showing a failure."""

from __future__ import annotations

import pytest

from pytest_layer.projects import Project, assert_shows

BREAKS = """
class Model(torch.nn.Module):
    def forward(self, x):
        y = x.relu()
        print("break")
        return y + 1

@pytest.fixture
def model():
    return Model()

@compile_contract(shapes=[(2, 3)], max_recompiles=5)
def test_breaks(model, x):
    return model(x)
"""

RAISES = """
def helper(y):
    if y.shape[0] == 2:
        raise ValueError("two rows")
    return y

@compile_contract(shapes=[(4, 3), (2, 3)], max_recompiles=1)
def test_raises(x):
    y = x + 1
    print("break")
    return helper(y)
"""

HEADLINE = "1 graph break, 0 allowed  [max_graph_breaks]"
SITE = "graph break 1 of 1  test_it.py:7*in forward"  # torch 2.8 knows no column
RERUN = "run it alone: pytest --compilecheck test_it.py::test_breaks"
# The line is cut at the width of the terminal.
SHORT = "FAILED test_it.py::test_breaks - 1 graph break, 0 allowed: test_it.py:7 *"
TABLE = "failed * 1/0 * 0/5 * test_it.py::test_breaks"
SEEN = "*compilecheck: what torch.compile did until then*"


@pytest.mark.parametrize("style", ["auto", "long", "short", "native"])
def test_a_broken_contract(project: Project, style: str) -> None:
    project.tests(BREAKS)
    result = project.run(f"--tb={style}")
    result.assert_outcomes(failed=1)
    assert_shows(
        result,
        "*___ test_breaks ___*",
        HEADLINE,
        SITE,
        '  > 7 |         print("break")',
        "      |         ^^^^^^^^^^^^^^",
        "calls: 0 compile, 1 hit",
        "-v shows every call and every guard",
        RERUN,
        "*Captured stdout call*",
        "*= compile contracts =*",
        TABLE,
        SHORT,
    )
    text = result.stdout.str()
    assert "Traceback" not in text
    assert "pytest_compilecheck/" not in text


def test_one_line_for_each(project: Project) -> None:
    project.tests(BREAKS)
    result = project.run("--tb=line", "--show-capture=no")
    place = project.path / "test_it.py"
    assert_shows(
        result,
        "*= FAILURES =*",
        f"{place}:7: 1 graph break, 0 allowed: *",
        "*compile contracts*",
    )
    result.stdout.no_fnmatch_line("*hint*")


def test_the_command_that_runs_it_again_is_for_the_current_directory(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.tests(
        BREAKS.replace(
            "def test_breaks(", "@pytest.mark.parametrize('n', ['a b'])\ndef test_breaks(n, "
        )
    )
    folder = project.path / "below"
    folder.mkdir()
    (project.path / "test_it.py").rename(folder / "test_it.py")
    monkeypatch.chdir(folder)
    result = project.run("--rootdir=..")
    command = next(line for line in result.outlines if line.startswith("run it alone: "))
    assert command == "run it alone: pytest --compilecheck 'test_it.py::test_breaks[a b]'"


def test_the_command_that_runs_it_again_has_the_options_of_the_run(project: Project) -> None:
    project.tests(BREAKS)
    project.file("known.yaml", "version: 1\n")
    options = ["--compilecheck-backend=aot_eager", "--compilecheck-baseline=known.yaml"]
    result = project.run(*options)
    assert_shows(
        result,
        "run it alone: pytest --compilecheck --compilecheck-backend=aot_eager"
        " --compilecheck-baseline=known.yaml test_it.py::test_breaks",
    )


def test_no_failure_texts(project: Project) -> None:
    project.tests(BREAKS)
    result = project.run("--tb=no")
    assert_shows(result, "*compile contracts*", TABLE, SHORT)
    result.stdout.no_fnmatch_line("graph break 1 of 1*")


def test_quiet(project: Project) -> None:
    project.tests(BREAKS)
    result = project.run("-q")
    assert_shows(result, "F *", HEADLINE, "  test_it.py:7*in forward  ", SHORT)
    for line in ("graph break 1 of*", "*compile contracts*", "compilecheck *: torch*"):
        result.stdout.no_fnmatch_line(line)


def test_verbose(project: Project) -> None:
    project.tests(BREAKS)
    result = project.run("-v")
    assert_shows(
        result,
        "test_it.py::test_breaks FAILED*",
        SITE,
        "  call  step  pass  kind*",
        "* 1 * 0 * 1 * hit *",
    )
    result.stdout.no_fnmatch_line("-v shows*")


def test_the_header(project: Project) -> None:
    project.tests("def test_plain(): pass")
    project.run("--compilecheck-backend=aot_eager").stdout.fnmatch_lines(
        "compilecheck *: torch *, python *, backend aot_eager, contracts held"
    )
    project.run(check=False).stdout.no_fnmatch_line("compilecheck *: *")


def test_a_row_for_each_contract_and_none_for_plain_tests(project: Project) -> None:
    project.tests(
        BREAKS
        + """
@pytest.mark.skip
@compile_contract(shapes=[(2, 3)])
def test_skipped(x):
    return x + 1

def test_plain():
    pass
"""
    )
    result = project.run()
    rows = [line.split() for line in result.outlines if "test_it.py::" in line]
    told = [(row[0], row[-1].rpartition(":")[2]) for row in rows if "/" in row[1]]
    assert told == [("failed", "test_breaks"), ("skipped", "test_skipped")]


def test_a_bound_that_is_only_reported(project: Project) -> None:
    project.tests(BREAKS)
    result = project.run("--compilecheck-warn", "-rP")
    result.assert_outcomes(passed=1)
    assert_shows(
        result,
        "*compilecheck: broken, only reported*",
        HEADLINE,
        SITE,
        "warned * 1/0 * test_it.py::test_breaks",
    )


def test_only_reported_is_not_for_the_tests_own_errors(project: Project) -> None:
    project.tests(RAISES)
    project.run("--compilecheck-warn").assert_outcomes(failed=1)


@pytest.mark.slow
def test_an_exception_that_matches_nothing(project: Project) -> None:
    project.tests(
        """
        @compile_contract(shapes=[(2, 3)], allow_breaks=[{"gb_id": "GB0001", "because": "old"}])
        def test_it(x):
            return x + 1
        """
    )
    project.run().assert_outcomes(passed=1)
    result = project.run("--compilecheck-strict")
    result.assert_outcomes(failed=1)
    assert_shows(result, "the exception for graph break GB0001 matched nothing: remove it*")


@pytest.mark.parametrize("style", ["long", "short"])
def test_a_test_that_raises_in_compiled_code(project: Project, style: str) -> None:
    project.tests(RAISES)
    result = project.run(f"--tb={style}", "--compilecheck-json=report.json")
    result.assert_outcomes(failed=1)
    assert_shows(
        result, "*return helper(y)", "*raise ValueError(*", "E *ValueError: two rows", SEEN
    )
    assert_shows(
        result,
        "call 1 raised ValueError: two rows",
        "graph break * test_it.py:12*in test_raises",
        "calls: 0 compile, 1 error",
        "FAILED test_it.py::test_raises - ValueError: two rows",
    )
    text = result.stdout.str()
    assert "pytest_compilecheck/" not in text
    assert "_dynamo/" not in text.partition("what torch.compile did")[0]
    assert "torch.__trace" not in text  # empty messages, which pytest would capture
    (contract,) = project.read_report()["contracts"]
    assert contract["error"] == "ValueError: two rows"
    assert contract["violations"] == []
    assert [entry["kind"] for entry in contract["observed"]["timeline"]] == ["compile", "error"]


@pytest.mark.slow
def test_an_error_of_the_compiler_shows_torchs_message_only(project: Project) -> None:
    project.tests(
        """
        @compile_contract(shapes=[(2, 3)])
        def test_it(x):
            return x @ x
        """
    )
    result = project.run("--show-capture=no")
    result.assert_outcomes(failed=1)
    assert_shows(
        result,
        "E   torch._dynamo.exc.TorchRuntimeError: *",
        "E *test_it.py*, line 6, in test_it",
        "torch raised this while it compiled; --full-trace shows the way to it",
        "FAILED test_it.py::test_it - torch._dynamo.exc.TorchRuntimeError: *",
    )
    result.stdout.no_fnmatch_line("*eval_frame*")
    result.stdout.no_fnmatch_line("*driver.py*")
    full = project.run("--full-trace", "--show-capture=no")
    assert_shows(full, "*eval_frame.py*")


def test_own_assertions_come_before_the_verdict(project: Project) -> None:
    """A wrong result makes the counts meaningless, so it is what the failure is about."""
    project.tests(
        BREAKS
        + """
@compile_contract(shapes=[(2, 3)], compiles="model")
def test_wrong(model, x):
    assert model(x).shape == (2, 4)
"""
    )
    result = project.run("-k", "wrong")
    assert_shows(result, "E *assert torch.Size([2, 3]) == (2, 4)", SEEN, "graph break 1*")
    result.stdout.no_fnmatch_line(HEADLINE)


def test_colours(project: Project) -> None:
    project.tests(BREAKS)
    plain = project.run("--show-capture=no").stdout.str()
    coloured = project.run("--show-capture=no", "--color=yes").stdout.str()
    assert "\x1b[31m\x1b[1m1 graph break, 0 allowed\x1b[0m" in coloured
    assert "\x1b" not in plain


def test_what_is_expected_to_fail_does_so_where_others_are_only_reported(project: Project) -> None:
    project.tests(
        """
        @pytest.mark.xfail(strict=True)
        @compile_contract(shapes=[(2, 3)])
        def test_it(x):
            print("break")
            return x + 1
        """
    )
    for how in ((), ("--compilecheck-warn",)):
        report = project.report(*how, outcomes={"xfailed": 1})
        assert [each["outcome"] for each in report["contracts"]] == ["xfailed"]


@pytest.mark.parametrize(
    "absent", ["terminal", "logging", "capture", "warnings", "unraisableexception"]
)
def test_without_a_plugin_of_pytests_own(project: Project, absent: str) -> None:
    project.tests(BREAKS + RAISES)
    result = project.run("-p", f"no:{absent}", "--compilecheck-json=report.json")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    outcomes = {each["outcome"] for each in project.read_report()["contracts"]}
    assert outcomes == {"failed"}


def test_junit_xml(project: Project) -> None:
    project.tests(BREAKS)
    project.run("--junitxml=junit.xml")
    text = (project.path / "junit.xml").read_text("utf-8")
    assert 'failure message="1 graph break, 0 allowed: test_it.py:7 ' in text
    assert "graph break 1 of 1  test_it.py:7" in text


def test_warnings_as_errors(project: Project) -> None:
    """Those of torch do not end a compile; those of the test are the test's."""
    project.file("pytest.ini", "[pytest]\nfilterwarnings = error\n")
    project.tests(
        """
        import functools
        import warnings

        @functools.lru_cache
        def two():
            return 2

        @pytest.fixture
        def model():
            return torch.nn.ReLU()

        @compile_contract(shapes=[(2, 3)], compiles="model")
        def test_own(model, x):
            model(x)
            warnings.warn("own")

        @compile_contract(shapes=[(2, 3)])
        def test_of_torch(x):
            return x * two()
        """
    )
    result = project.run()
    result.assert_outcomes(failed=1, passed=1)
    assert_shows(
        result, "E  *UserWarning: own", "test_it.py::test_of_torch", "*lru_cache*", "FAILED *own"
    )


def test_an_error_in_a_graph(project: Project) -> None:
    project.tests(
        """
        @compile_contract(shapes={"x": [(2, 3)]}, values={"index": [torch.tensor([9])]})
        def test_it(x, index):
            return x[index] + 1
        """
    )
    result = project.run("--tb=short")
    result.assert_outcomes(failed=1)
    assert_shows(
        result, "E  *IndexError: index 9 is out of bounds*", "*until then*", "FAILED *IndexError*"
    )
    result.stdout.no_fnmatch_line("*recorder.py*")
    result.stdout.no_fnmatch_line("*driver.py*")
