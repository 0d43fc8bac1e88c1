"""Contracts on library code: functions and methods of modules that the setting names."""

from __future__ import annotations

import pytest

from pytest_layer.libraries import HEAD, INI, OPS
from pytest_layer.projects import Project, assert_shows, without_times

MLP = """
class MLP(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)

    @compile_contract(shapes={"x": "4 8"}, factory=lambda: MLP(8))
    def forward(self, x):
        if self.linear(x).sum() > 0:
            return x
        return -x

    @staticmethod
    @compile_contract(shapes={"x": "4 8"})
    def static(x):
        return x.relu()

    @classmethod
    @compile_contract(shapes={"x": "4 8"})
    def of_class(cls, x):
        assert cls is MLP
        return x.relu()

    @torch.no_grad()
    @compile_contract(shapes={"x": "4 8"}, factory=lambda: MLP(8))
    def plain(self, x):
        return self.linear(x)

    class Inner:
        @compile_contract(shapes={"x": "4 8"})
        def call(self, x):
            return x + 1
"""


def write(library: Project, text: str) -> None:
    library.file("src/lib_with_contracts/ops.py", HEAD + text)


def test_a_function_is_an_item_beside_the_tests(library: Project) -> None:
    (found,) = library.report(outcomes={"passed": 2})["contracts"]
    assert found["id"] == "src/lib_with_contracts/ops.py::scaled"
    assert (found["observed"]["recompiles"], found["observed"]["graphs"]) == (1, 2)


def test_without_the_flag_it_runs_eagerly(library: Project) -> None:
    library.run(check=False).assert_outcomes(passed=2)
    write(library, OPS.replace("x * scale", "x @ x"))
    assert_shows(
        library.run(check=False), "RuntimeError: *mat1 and mat2 shapes cannot be multiplied"
    )


def test_methods_and_their_instances(library: Project) -> None:
    write(library, MLP)
    report = library.report(outcomes={"passed": 5, "failed": 1})
    found = {each["id"].rpartition("::")[2]: each for each in report["contracts"]}
    assert sorted(found) == [
        "MLP.Inner.call",
        "MLP.forward",
        "MLP.of_class",
        "MLP.plain",
        "MLP.static",
    ]
    (site,) = found["MLP.forward"]["observed"]["break_sites"]
    assert (site["function"], site["line"]) == ("forward", 13)


def test_a_failure_names_the_item_and_its_line(library: Project) -> None:
    write(library, MLP)
    result = library.run("-rf")
    assert_shows(
        result,
        "src/lib_with_contracts/ops.py:13* in forward",
        "run it alone: pytest --compilecheck src/lib_with_contracts/ops.py::MLP.forward",
        "FAILED src/lib_with_contracts/ops.py::MLP.forward - 1 graph break",
    )


@pytest.mark.parametrize(
    ("arguments", "passed"),
    [
        (("tests",), 1),
        (("src",), 1),
        (("src/lib_with_contracts/ops.py::scaled",), 1),
        ((".",), 2),
        (("-k", "scaled"), 1),
        (("--doctest-modules",), 2),
    ],
)
def test_what_is_collected(library: Project, arguments: tuple[str, ...], passed: int) -> None:
    library.run(*arguments).assert_outcomes(passed=passed, deselected=arguments[0] == "-k")


@pytest.mark.slow
def test_doctests_of_a_file_that_nobody_asked_for_are_not_run(library: Project) -> None:
    write(library, OPS + '\n"""\n>>> 1\n2\n"""\n__doc__ = ">>> 1\\n2"\n')
    library.run("--doctest-modules").assert_outcomes(passed=2)
    library.run("--doctest-modules", "src").assert_outcomes(passed=1, failed=1)
    library.run("--doctest-modules", "-n", "1").assert_outcomes(passed=2)


@pytest.mark.slow
def test_workers_give_the_same_report(library: Project) -> None:
    write(library, OPS + MLP)
    outcomes = {"passed": 6, "failed": 1}
    alone = library.report(outcomes=outcomes)["contracts"]
    assert without_times(library.report("-n", "2", outcomes=outcomes)["contracts"]) == (
        without_times(alone)
    )


NO_WRAPS = "def outer(function):\n    return lambda x: function(x)\n"
NEEDS = """
class Needs:
    def __init__(self, width):
        self.width = width

    @compile_contract(shapes={{"x": "4 8"}}{0})
    def call(self, x):
        return x + self.width
"""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (NEEDS.format(""), "ops.py:10: factory: Needs needs arguments to be made: add factory="),
        (NEEDS.format(", factory=3"), "ops.py:10: factory: expected a callable such as"),
        (NEEDS.format(", max_graph_brakes=0"), "ops.py:10: max_graph_brakes: *did you mean"),
        (
            OPS.replace("max_rec", "factory=list, max_rec"),
            "ops.py:6: factory: scaled needs no instance: leave it out",
        ),
        (OPS.replace("max_rec", "compiles='x', max_rec"), "ops.py:6: compiles: is for tests"),
        (
            OPS.replace("x, scale", "x, y, scale"),
            "ops.py:6: nothing makes the argument 'y' of scaled: add it to shapes or values",
        ),
        (
            NO_WRAPS + OPS.replace("@compile", "@outer\n@compile"),
            "ops.py:9: the decorator above compile_contract makes another object",
        ),
        (
            NO_WRAPS + OPS.replace("@compile", "@outer\n@outer\n@compile"),
            "ops.py:10: the decorator above compile_contract makes another object",
        ),
        (
            OPS.replace("@compile", "@functools.partial\n@compile"),
            "ops.py:7: the decorator above compile_contract makes another object",
        ),
        (
            "KNOWN = {}\ndef register(f):\n    KNOWN[f.__name__] = f\n"
            + OPS.replace("@compile", "@register\n@compile"),
            "ops.py:10: the decorator above compile_contract makes another object",
        ),
        (
            "class Has:\n    @property"
            + OPS.partition("\nalias")[0].replace("\n", "\n    ").replace("x, scale", "self, s"),
            "ops.py:7: the decorator above compile_contract makes another object",
        ),
        (
            '@torch.library.custom_op("of_library::scaled", mutates_args=())'
            + OPS.partition("\nalias")[0]
            .replace("x, scale=2.0", "x: torch.Tensor")
            .replace("):\n    return x * scale", ") -> torch.Tensor:\n    return x * 2"),
            "ops.py:6: the decorator above compile_contract makes another object",
        ),
        ("import no_such_module_at_all", "lib_with_contracts.ops cannot be imported"),
        ("import no_such_module_at_all", "ModuleNotFoundError: No module named"),
    ],
)
def test_faults_at_collection(library: Project, text: str, told: str) -> None:
    write(library, text)
    result = library.run()
    result.assert_outcomes(errors=1)
    assert_shows(result, told)


@pytest.mark.parametrize(
    ("factory", "told"),
    [
        ("lambda: 3", "ops.py:10: factory: gives an object of type int, and no Needs"),
        (
            "lambda: type('Other', (Needs,), {'call': len})(8)",
            "ops.py:10: factory: gives a Other, which has a call of its own: put the contract on",
        ),
        ("lambda: Needs()", "ops.py:10: factory: no instance of Needs can be made"),
        ("lambda: Needs()", 'ops.py", line 10, in <lambda>'),
    ],
)
def test_a_factory_that_fails(library: Project, factory: str, told: str) -> None:
    write(library, NEEDS.format(f", factory={factory}"))
    result = library.run()
    result.assert_outcomes(errors=1, passed=1)
    assert_shows(result, told)


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ("no_such_package.x", "'no_such_package.x': there is none: install it"),
        ("lib_with_contracts.no_such", "'lib_with_contracts.no_such': there is none: install it"),
        ("lib_with_contracts.ops.*", "is a module, and has no others in it: leave out .*"),
        ("math", "'math': it has no Python file"),
        (".ops", "'.ops': expected the name of a module"),
        ("lib_with_contracts.*.ops", "expected the name of a module"),
        (
            "lib_with_contracts.test_it",
            "test_it.py is a test module, whose tests hold their contracts anyway: leave it out,",
        ),
    ],
)
def test_a_setting_that_names_no_module(library: Project, setting: str, told: str) -> None:
    library.file("pytest.ini", INI.format(setting))
    library.file("src/lib_with_contracts/test_it.py", "")
    result = library.run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: compilecheck_modules: *{told}*"])


def test_a_module_that_is_named_has_contracts(library: Project) -> None:
    """One that only imports what has them would hold nothing, and nobody would know."""
    library.file("pytest.ini", INI.format("lib_with_contracts"))
    library.file("src/lib_with_contracts/__init__.py", "from lib_with_contracts.ops import scaled")
    result = library.run()
    result.assert_outcomes(errors=1)
    assert_shows(result, "no function that 'lib_with_contracts' defines has a contract: name the")
    library.file("pytest.ini", INI.format("lib_with_contracts.*"))
    library.run().assert_outcomes(passed=2)


def test_an_import_that_fails_before_torch_is_there(library: Project) -> None:
    library.file("src/lib_with_contracts/ops.py", "import no_such_module_at_all\n")
    result = library.run_apart()
    result.assert_outcomes(errors=1)
    assert_shows(
        result,
        "lib_with_contracts.ops cannot be imported",
        'ops.py", line 1, in <module>',
        "ModuleNotFoundError: No module named 'no_such_module_at_all'",
    )


def test_what_uses_a_function_hides_no_contract_of_it(library: Project) -> None:
    twice = "def twice(f):\n    return lambda x: f(f(x))\n\ndouble = twice(scaled)\n"
    partial = "half = functools.partial(scaled, scale=0.5)\n"
    write(library, OPS + twice + "again = twice(twice(scaled))\n" + partial)
    library.run().assert_outcomes(passed=2)


def test_a_contract_on_a_method_is_for_the_class_that_defines_it(library: Project) -> None:
    text = """
class Base:
    @compile_contract(shapes={"x": "4 8"})
    def call(self, x):
        return self.inner(x)

    def inner(self, x):
        return x.relu()

class Sub(Base):
    def inner(self, x):
        print("break")
        return x

class Held(Sub):
    @compile_contract(shapes={"x": "4 8"})
    def call(self, x):
        return super().call(x)
"""
    write(library, text)
    contracts = library.report(outcomes={"passed": 2, "failed": 1})["contracts"]
    assert {each["id"].partition("::")[2]: each["outcome"] for each in contracts} == {
        "Base.call": "passed",
        "Held.call": "failed",
    }


def test_a_method_whose_function_has_another_name(library: Project) -> None:
    text = """
class Has:
    @compile_contract(shapes={"x": "4 8"})
    def __hidden(self, x):
        return x.relu()

    unnamed = compile_contract(shapes={"x": "4 8"})(lambda self, x, *rest: x.relu())
"""
    write(library, text)
    contracts = library.report(outcomes={"passed": 3})["contracts"]
    assert [each["id"].partition("::")[2] for each in contracts] == [
        "Has._Has__hidden",
        "Has.unnamed",
    ]


def test_an_instance_is_made_from_the_seed_each_time(library: Project) -> None:
    text = """
class Drawn:
    def __init__(self):
        self.value = torch.rand(1)

    @compile_contract(shapes={"x": "4 8"}, seed=3, watch_only=True)
    def call(self, x):
        raise RuntimeError(f"drawn {self.value.item():.6f} {x[0, 0].item():.6f}")
"""
    write(library, text)
    drawn = [
        [
            line
            for line in library.run(*given).outlines
            if line.startswith("E  ") and "Error: drawn" in line
        ]
        for given in ((), ("src",))
    ]
    assert len(drawn[0]) == 1
    assert drawn[0] == drawn[1]


def test_a_test_takes_no_factory(project: Project) -> None:
    project.tests(
        """
        @compile_contract(shapes=[(2, 2)], factory=list)
        def test_it(x):
            return x
        """
    )
    assert_shows(
        project.run(), "factory: is for a method of library code; for a test write a fixture"
    )
