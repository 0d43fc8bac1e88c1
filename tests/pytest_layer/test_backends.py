"""Backends of others: by name, by entry point, and anything that can be called."""

from __future__ import annotations

import pytest

from pytest_layer.projects import Project, assert_shows

HEAD = """
import functools

made = []

def backend(graph, inputs, name="function"):
    made.append(name)
    return graph.forward

class Backend:
    def __call__(self, graph, inputs, **options):
        made.append("instance")
        return graph.forward

    def method(self, graph, inputs, **options):
        made.append("method")
        return graph.forward
"""


@pytest.mark.parametrize(
    ("written", "made", "reported"),
    [
        ("backend", "function", "test_it.backend"),
        ("functools.partial(backend, name='partial')", "partial", "functools.partial("),
        ("Backend()", "instance", "<test_it.Backend object>"),
        ("Backend().method", "method", "test_it.Backend.method"),
    ],
)
def test_anything_that_can_be_called(
    project: Project, written: str, made: str, reported: str
) -> None:
    project.tests(
        HEAD
        + f"""
@compile_contract(shapes={{"x": "B 3"}}, dims={{"B": [2, 4]}}, max_recompiles=1, backend={written})
def test_it(x):
    y = x + 1
    print()
    return y * 2

def test_made():
    assert made == ["{made}"] * 4
"""
    )
    (contract,) = project.report(outcomes={"passed": 1, "failed": 1})["contracts"]
    assert contract["contract"]["backend"].startswith(reported)
    assert " at 0x" not in contract["contract"]["backend"]
    observed = contract["observed"]
    assert observed["graphs"] == 4
    assert observed["recompiles"] == 1
    assert [site["code"] for site in observed["break_sites"]] == ["print()"]


def test_a_backend_that_the_test_file_registers(project: Project) -> None:
    project.tests(
        HEAD
        + """
name = f"registered_{id(backend)}"  # torch takes a name once in a process
torch._dynamo.register_backend(backend, name=name)

@compile_contract(shapes=[(2, 3)], backend=name)
def test_it(x):
    return x + 1

def test_made():
    assert made == ["function"]
"""
    )
    project.run().assert_outcomes(passed=2)


@pytest.mark.slow
def test_a_backend_that_a_package_brings(project: Project) -> None:
    project.file("brought.py", "def compiler(graph, inputs):\n    return graph.forward\n")
    project.file("brought-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: brought\n")
    entry = "[torch_dynamo_backends]\nbrought = brought:compiler\nbroken = brought:nothing\n"
    project.file("brought-1.0.dist-info/entry_points.txt", entry)
    project.tests(
        """
        @compile_contract(shapes=[(2, 3)], backend="brought")
        def test_brought(x):
            return x + 1

        @compile_contract(shapes=[(2, 3)], backend="broken")
        def test_broken(x):
            return x + 1

        @compile_contract(shapes=[(2, 3)], backend="brougt")
        def test_misspelt(x):
            return x + 1
        """
    )
    result = project.run_apart("--compilecheck-json=report.json")
    result.assert_outcomes(passed=1, failed=2)
    assert_shows(result, "*AttributeError: *'brought' has no attribute 'nothing'*")
    assert_shows(result, "*torch knows no backend 'brougt' (did you mean 'brought'?)*")
    by_name = {each["id"].split("::")[1]: each for each in project.read_report()["contracts"]}
    assert by_name["test_brought"]["observed"]["graphs"] == 1


def test_an_unknown_name_is_told_at_the_contract(project: Project) -> None:
    project.tests(
        """
        @compile_contract(shapes=[(2, 3)], backend="indcutor")
        def test_decorated(x):
            return x + 1

        @pytest.mark.compile_contract(shapes=[(2, 3)], backend="egaer")
        def test_marked(x):
            return x + 1
        """
    )
    result = project.run()
    result.assert_outcomes(failed=2)
    assert_shows(
        result,
        "1 fault in the compile contract of test_decorated",
        "  test_it.py:4: backend: torch knows no backend 'indcutor' (did you mean 'inductor'?)*",
        '      @compile_contract(shapes=[(2, 3)], backend="indcutor")',
        "1 fault in the compile contract of test_marked",
        "  test_it.py:8: backend: torch knows no backend 'egaer' (did you mean 'eager'?)*",
    )
    result.stdout.no_fnmatch_line("*InvalidBackend*")


def test_an_unknown_name_on_the_command_line(project: Project) -> None:
    project.tests(
        """
        @compile_contract(shapes=[(2, 3)])
        def test_it(x):
            return x + 1
        """
    )
    result = project.run("--compilecheck-backend=aot_eagre")
    result.assert_outcomes(failed=1)
    assert_shows(
        result, "  backend: *'aot_eagre' (did you mean 'aot_eager'?)*--compilecheck-backend*"
    )


def test_where_nothing_is_compiled_by_the_contract_no_name_is_looked_up(project: Project) -> None:
    project.tests(
        """
        @compile_contract(watch_only=True)
        def test_it():
            torch.compile(torch.relu, backend="eager")(torch.ones(2))
        """
    )
    project.run("--compilecheck-backend=nowhere").assert_outcomes(passed=1)
