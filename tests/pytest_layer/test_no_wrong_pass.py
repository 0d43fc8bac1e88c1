"""Ways in which a broken contract could pass; none may."""

from __future__ import annotations

import textwrap

import pytest

from pytest_layer.projects import Project, assert_shows

WRONG_PASSES = {
    "an error of the backend that the test catches": (
        """
        def broken(gm, inputs):
            if inputs[0].shape[0] == 4:
                raise ValueError("boom")
            return gm.forward

        @compile_contract(compiles="model", backend=broken, dynamic=False, shapes=[(3,), (4,)])
        def test_it(model, x):
            try:
                model(x)
            except Exception:
                pass
        """,
        "*2 calls failed to compile, 0 allowed*",
    ),
    "a method that runs uncompiled": (
        """
        @compile_contract(compiles=["model", "other"], shapes=[(3,)])
        def test_it(model, other, x):
            model(x)
            other.encode(x)
        """,
        "*compiled but never called: other.*",
    ),
    "what is compiled and never called": (
        """
        @compile_contract(compiles="model", shapes=[(3,)])
        def test_it(model, x):
            assert x.shape == (3,)
        """,
        "*nothing was compiled: model was compiled, and the test never called it*",
    ),
    "a step that calls nothing": (
        """
        @compile_contract(compiles="model", shapes=[(3,), (4,)])
        def test_it(model, x):
            if len(x) == 3:
                model(x)
        """,
        "*nothing compiled was called in step 1 of the trace*",
    ),
    "a thread that is still in a call": (
        """
        import threading

        started, release = threading.Event(), threading.Event()

        @torch.compiler.disable
        def wait(x):
            started.set()
            release.wait(30)
            return x

        def slow(x):
            return wait(x + 1) * 2

        @pytest.fixture
        def free():
            yield
            release.set()

        @compile_contract(watch_only=True, passes=1, max_graph_breaks=None)
        def test_it(free):
            torch.compile(lambda x: x + 1, backend="eager")(torch.ones(3))
            thread = threading.Thread(target=torch.compile(slow, backend="eager"),
                                      args=(torch.ones(3),))
            thread.start()
            started.wait(30)
        """,
        "*a thread was still in a call when the watch ended*",
    ),
}

FIXTURES = """
@pytest.fixture
def model():
    return torch.nn.ReLU()

class Encoder(torch.nn.Module):
    def encode(self, x):
        return x.tanh()

@pytest.fixture
def other():
    return Encoder()
"""


@pytest.mark.parametrize("name", WRONG_PASSES)
def test_it_does_not_pass(project: Project, name: str) -> None:
    text, line = WRONG_PASSES[name]
    project.file("conftest.py", "import pytest, torch\n" + FIXTURES)
    project.tests(text)
    result = project.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([line])


@pytest.mark.slow
def test_a_hook_of_torch_that_the_test_replaces_is_told(project: Project) -> None:
    project.tests(
        """
        @compile_contract(watch_only=True, passes=1)
        def test_it(monkeypatch):
            monkeypatch.setattr(torch._logging, "trace_structured", lambda *a, **k: None)
            torch.compile(lambda x: x + 1, backend="eager")(torch.ones(3))
        """
    )
    # Apart: monkeypatch puts our hook back when the watch has already given up its place.
    result = project.run_apart()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*trace_structured of torch was replaced during the watch*"])


OTHERS = {
    "hook": """
        @pytest.hookimpl(tryfirst=True)
        def pytest_pyfunc_call(pyfuncitem):
            if pyfuncitem.name == "test_it":
                pyfuncitem.obj(torch.ones(3))
                return True
        """,
    "item": """
        class Other(pytest.Function):
            def runtest(self):
                self.obj(torch.ones(3))

        @pytest.hookimpl(wrapper=True)
        def pytest_pycollect_makeitem(collector, name):
            made = yield
            for item in made if isinstance(made, list) else []:
                if item.name == "test_it":
                    item.__class__ = Other
            return made
        """,
}


@pytest.mark.parametrize("name", OTHERS)
def test_a_contract_that_another_ran_in_our_place_is_not_held(project: Project, name: str) -> None:
    project.file("conftest.py", "import pytest, torch\n" + textwrap.dedent(OTHERS[name]))
    project.tests(
        """
        @compile_contract(shapes=[(3,)])
        def test_it(x):
            print("break")
            return x + 1

        @compile_contract(shapes=[(3,)])
        def test_fine(x):
            return x + 1
        """
    )
    report = project.report(outcomes={"passed": 1, "failed": 1})
    outcomes = {each["id"].partition("::")[2]: each["outcome"] for each in report["contracts"]}
    assert outcomes == {"test_it": "failed", "test_fine": "passed"}
    assert_shows(project.run(), "the compile contract was not held: another plugin or a conftest")


def test_a_mark_that_a_fixture_adds_counts(project: Project) -> None:
    project.tests(
        """
        @pytest.fixture(autouse=True)
        def stricter(request):
            request.applymarker(pytest.mark.compile_contract(max_graph_breaks=0))

        @pytest.mark.compile_contract(max_graph_breaks=5, shapes=[(3,)])
        def test_it(x):
            y = x + 1
            print("break")
            return y * 2
        """
    )
    # The mark on the function is nearer than one that is added to the item before it.
    assert project.report()["contracts"][0]["contract"]["max_graph_breaks"] == 0


def test_what_is_only_warned_of_is_told(project: Project) -> None:
    project.tests(
        """
        @compile_contract(shapes=[(3,)])
        def test_it(x):
            y = x + 1
            print("break")
            return y * 2
        """
    )
    result = project.run("--compilecheck-warn", "--compilecheck-json=report.json")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["warned *", "broken, only warned of: *1 graph break, 0 allowed*"])
    assert project.read_report()["contracts"][0]["outcome"] == "warned"


def test_an_unreadable_contract_leaves_the_report_incomplete(project: Project) -> None:
    project.tests("@compile_contract(max_graph_break=0)\ndef test_it(): pass\n", name="test_a.py")
    project.tests("@compile_contract(shapes=[(3,)])\ndef test_it(x): return x + 1\n", "test_b.py")
    report = project.report("--continue-on-collection-errors")
    assert len(report["contracts"]) == 1
    assert report["complete"] is False


@pytest.mark.parametrize("option", ["--compilecheck-json=x.json", "--compilecheck-warn"])
def test_an_option_without_effect_is_an_error(project: Project, option: str) -> None:
    result = project.run(option, check=False)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    name = option.partition("=")[0]
    result.stderr.fnmatch_lines([f"ERROR: {name} has no effect without --compilecheck: add it"])


@pytest.mark.parametrize("check", [True, False])
def test_weights_of_a_fixture_are_seeded_and_the_rest_is_not(project: Project, check: bool) -> None:
    project.tests(
        """
        drawn = []

        @pytest.fixture
        def model():
            drawn.append(torch.rand(1).item())
            return torch.nn.ReLU()

        def test_first():
            torch.manual_seed(7)

        @compile_contract(compiles="model", shapes=[(3,)])
        def test_one(model, x):
            model(x)

        @compile_contract(compiles="model", shapes=[(3,)])
        def test_two(model, x):
            model(x)

        def test_last():
            assert drawn[0] == drawn[1]
            after = torch.rand(1)
            torch.manual_seed(7)
            assert after == torch.rand(1)
        """
    )
    project.run(check=check).assert_outcomes(passed=4)


@pytest.mark.skipif("sys.version_info < (3, 11)", reason="exceptions take notes since Python 3.11")
def test_an_error_tells_its_step(project: Project) -> None:
    project.tests(
        """
        @compile_contract(shapes=[(3,), (4,)])
        def test_it(x):
            if len(x) == 4:
                raise ValueError("four")
            return x + 1
        """
    )
    project.run(check=False).stdout.fnmatch_lines(["E*in step 2 of 2 of the trace: x=(4,)"])
    project.run().stdout.fnmatch_lines(["E*in step 2 of 2, pass 1 of 2 of the trace: x=(4,)"])
