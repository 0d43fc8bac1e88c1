"""Contract files as test items: collected, selected, run, and told of."""

from __future__ import annotations

import importlib.metadata
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from pytest_compilecheck.pytest_layer.installed import torch_version
from pytest_layer.projects import Project, assert_shows, without_times

MODEL = """
    import torch
    from torch import nn

    class MLP(nn.Module):
        def __init__(self, width=8, config=None):
            super().__init__()
            self.linear = nn.Linear(width if config is None else config.width, width)

        def forward(self, x, scale=1.0):
            y = self.linear(x)
            if y.sum() > 0:
                y = y * scale
            return y

        def encode(self, x):
            return self.linear(x).relu()

        def report(self, x):
            return str(self.training), str(x.dtype), str(self.linear.weight.dtype)

    class Config:
        def __init__(self, width):
            self.width = width

    class Pair:
        def __init__(self, left, right):
            self.left, self.right = left, right

    def loss(pred, target):
        return ((pred - target) ** 2).mean()

    def of_pair(pair, mask):
        return pair.left * mask[0] + pair.right * mask[1]["second"]

    class Scale:
        def __call__(self, number):
            return number * 2

    def make_mlp():
        return MLP()

    def first_of(x, *others):
        return x.relu()

    def anything(**kwargs):
        return sum(kwargs.values())

    LIMIT = 3
    SHARED = MLP()
"""
ENCODE = "version: 1\ncontracts:\n  encode:\n    target: models_of_files:MLP\n    call: encode\n"
FILE = "contracts/mlp.contract.yaml"


@pytest.fixture
def models(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project with a module of models that contract files can name."""
    project.file("models_of_files.py", MODEL)
    monkeypatch.syspath_prepend(project.path)
    return project


def write(project: Project, contracts: str, file: str = FILE) -> None:
    project.file(file, f"version: 1\ncontracts:\n{contracts}")


def test_each_contract_and_cell_is_an_item(models: Project) -> None:
    write(
        models,
        """
  encode:
    target: models_of_files:MLP
    call: encode
    inputs: {x: "B 8"}
    dims: {B: [4, 5]}
    max_recompiles: 1
    matrix: {dtype: [float32, bfloat16], dynamic: [null, true]}
  loss:
    target: models_of_files:loss
    inputs: {pred: "4 4", target: "4 4"}
""",
    )
    report = models.report(outcomes={"passed": 5})
    found = {each["id"].removeprefix(f"{FILE}::"): each for each in report["contracts"]}
    assert list(found) == [
        "encode[bfloat16-auto]",
        "encode[bfloat16-dynamic]",
        "encode[float32-auto]",
        "encode[float32-dynamic]",
        "loss",
    ]
    assert found["encode[float32-auto]"]["observed"]["recompiles"] == 1
    assert found["encode[float32-dynamic]"]["observed"]["recompiles"] == 0


def test_a_break_is_told_with_the_exception_as_the_file_would_have_it(models: Project) -> None:
    write(models, "  forward:\n    target: models_of_files:MLP\n    inputs: {x: '4 8'}\n")
    result = models.run()
    result.assert_outcomes(failed=1)
    assert_shows(
        result,
        "1 graph break, 0 allowed",
        "models_of_files.py:11* in forward",
        'to accept it: allow_breaks: [{*, "file": "models_of_files.py"',  # torch 2.8 gives no id
        f"run it alone: pytest --compilecheck {FILE}::forward",
    )


def test_without_the_flag_the_trace_is_run_eagerly(models: Project) -> None:
    write(models, "  forward:\n    target: models_of_files:MLP\n    inputs: {x: '4 8'}\n")
    models.run(check=False).assert_outcomes(passed=1)
    write(models, "  forward:\n    target: models_of_files:MLP\n    inputs: {x: '4 9'}\n")
    result = models.run(check=False)
    result.assert_outcomes(failed=1)
    assert_shows(result, "self = MLP(", "y = self.linear(x)", "RuntimeError: *mat1 and mat2")


@pytest.mark.parametrize(
    "target",
    [
        "target: models_of_files:MLP",
        "target: models_of_files:MLP\n    arguments: {width: 8}",
        "target: models_of_files:make_mlp\n    arguments: {}",
        (
            "target: models_of_files:MLP\n    arguments: {config: {make: 'models_of_files:Config',"
            " arguments: {width: 8}}}"
        ),
    ],
    ids=["class", "class with arguments", "factory", "argument that is made"],
)
def test_ways_to_make_a_target(models: Project, target: str) -> None:
    write(models, f"  encode:\n    {target}\n    call: encode\n    inputs: {{x: '4 8'}}\n")
    report = models.report(outcomes={"passed": 1})
    assert report["contracts"][0]["observed"]["graphs"] == 1


def test_an_object_of_the_module_stays_as_it_is(models: Project) -> None:
    """Contracts would change each other's: here the dtype."""
    shared = "\n    target: models_of_files:SHARED\n    call: encode\n    inputs: {x: '4 8'}\n"
    write(models, f"  one:{shared}    dtype: bfloat16\n  two:{shared}")
    models.run().assert_outcomes(passed=2)


def test_a_mark_of_others_is_refused(models: Project) -> None:
    """It says what nobody would check."""
    models.file(
        "conftest.py",
        """
        import pytest

        def pytest_collection_modifyitems(items):
            for item in items:
                item.add_marker(pytest.mark.compile_contract(max_graphs=0))
        """,
    )
    models.file(FILE, f"{ENCODE}    inputs: {{x: '4 8'}}\n")
    for check in (True, False):
        result = models.run(check=check)
        result.assert_outcomes(errors=1)
        assert_shows(result, f"{FILE}:4:13: the mark compile_contract is for tests: write its")


def test_nested_inputs_and_objects(models: Project) -> None:
    write(
        models,
        """
  pair:
    target: models_of_files:of_pair
    inputs:
      pair: {make: "models_of_files:Pair", arguments: {left: "B 8", right: "B 8"}}
      mask: {tuple: ["B 8", {dict: {second: "B 8"}}]}
    dims: {B: [4, 5]}
    allow_recompiles: [automatic_dynamic]
""",
    )
    report = models.report(outcomes={"passed": 1})
    observed = report["contracts"][0]["observed"]
    assert observed["recompiles"] == 1
    assert observed["graphs"] == 2


def test_modes_of_a_call(models: Project) -> None:
    write(
        models,
        """
  told:
    target: models_of_files:MLP
    call: report
    watch_only: true
    dtype: bfloat16
    training: true
    grad: false
    inputs: {x: "4 8"}
""",
    )
    models.file(
        "conftest.py",
        """
        import torch
        import models_of_files

        def report(self, x):
            grad = torch.is_grad_enabled()
            raise RuntimeError(f"{self.training} {x.dtype} {self.linear.weight.dtype} {grad}")

        models_of_files.MLP.report = report
        """,
    )
    assert_shows(models.run(), "RuntimeError: True torch.bfloat16 torch.bfloat16 False")


def test_weights_and_inputs_are_the_same_in_each_run_and_order(models: Project) -> None:
    models.file(
        "conftest.py",
        """
        import models_of_files

        seen = []

        def encode(self, x):
            seen.append((self.linear.weight.sum().item(), x.sum().item()))
            return x

        models_of_files.MLP.encode = encode

        def pytest_terminal_summary(terminalreporter):
            terminalreporter.write_line(f"different: {len(set(seen))}")
        """,
    )
    body = "\n    target: models_of_files:MLP\n    call: encode\n    inputs: {x: '4 8'}\n"
    write(models, f"  one:{body}  two:{body}")
    result = models.run(check=False)
    assert_shows(result, "different: 1")


BODY = "    target: models_of_files:MLP\n    call: encode\n    inputs: {x: '4 8'}\n"
SELECTED = f"  fast:\n{BODY}  slow:\n{BODY}    marks: [slow]\n"


@pytest.mark.parametrize(
    ("arguments", "passed"),
    [
        ((), 2),
        (("-k", "fast"), 1),
        (("-m", "slow"), 1),
        (("-m", "not slow"), 1),
        (("--deselect", f"{FILE}::slow"), 1),
        ((f"{FILE}::fast",), 1),
        ((FILE,), 2),
        (("contracts",), 2),
    ],
)
def test_selection(models: Project, arguments: tuple[str, ...], passed: int) -> None:
    models.file("pytest.ini", "[pytest]\nmarkers =\n    slow: takes long\n")
    write(models, SELECTED)
    models.run(*arguments).assert_outcomes(passed=passed)


def test_last_failed(models: Project) -> None:
    bad = "  bad:\n    target: models_of_files:MLP\n    inputs: {x: '4 8'}\n"
    write(models, SELECTED.replace("    marks: [slow]\n", "") + bad)
    models.run().assert_outcomes(passed=2, failed=1)
    models.run("--lf").assert_outcomes(failed=1)


@pytest.mark.parametrize(
    ("lines", "outcomes"),
    [
        ("skip: slow here", {"skipped": 1}),
        ("skip: {reason: too new, torch: '>=2.8'}", {"skipped": 1}),
        ("skip: {reason: too old, torch: '<2.8'}", {"passed": 1}),
        ("requires: {torch: '>=2.0'}", {"passed": 1}),
        ("requires: {torch: ''}", {"passed": 1}),
        ("requires: {torch: '>=99'}", {"skipped": 1}),
        ("requires: {no-such-package: '>=1'}", {"skipped": 1}),
        ("xfail: it is known", {"xpassed": 1}),
        ("xfail: it is known\n    keywords: {no_such: 1}", {"errors": 1}),
        ("xfail: it is known\n    arguments: {width: 4}", {"failed": 1}),
        ("device: cuda:99\n    skip_without_device: true", {"skipped": 1}),
        ("device: cuda:99", {"errors": 1}),
        ("xfail: it is known\n    max_graphs: 0", {"xfailed": 1}),
        ("xfail: {reason: old, torch: '<2.8'}\n    max_graphs: 0", {"failed": 1}),
        ("max_graphs: {'<2.8': 0, '>=2.8': 1}", {"passed": 1}),
    ],
)
def test_when_it_runs(models: Project, lines: str, outcomes: dict[str, int]) -> None:
    models.file(FILE, f"{ENCODE}    inputs: {{x: '4 8'}}\n    {lines}\n")
    models.run().assert_outcomes(**outcomes)


@pytest.mark.parametrize(
    ("lines", "outcomes"),
    [
        ("xfail: it is known", {"failed": 1}),
        ("xfail: it is known\n    max_graphs: 0", {"xfailed": 1}),
        ("xfail: {reason: old, torch: '<2.8'}", {"passed": 1}),
    ],
)
def test_what_is_mended_fails_in_strict_mode(
    models: Project, lines: str, outcomes: dict[str, int]
) -> None:
    models.file(FILE, f"{ENCODE}    inputs: {{x: '4 8'}}\n    {lines}\n")
    result = models.run("--compilecheck-strict")
    result.assert_outcomes(**outcomes)
    assert ("[XPASS(strict)] it is known" in result.stdout.str()) is ("failed" in outcomes)


def test_without_the_flag_nothing_is_expected_to_be_broken(models: Project) -> None:
    models.file("pytest.ini", "[pytest]\nxfail_strict = true\n")
    models.file(FILE, f"{ENCODE}    inputs: {{x: '4 8'}}\n    xfail: known\n    max_graphs: 0\n")
    models.run(check=False).assert_outcomes(passed=1)
    models.run().assert_outcomes(xfailed=1)


def test_both_spellings_of_the_suffix_are_collected(models: Project) -> None:
    for name in ("a.contract.yaml", "deep/b.contract.yml", "c.yaml", "d.yml"):
        models.file(f"contracts/{name}", f'{ENCODE}    inputs: {{x: "4 8"}}\n')
    models.run().assert_outcomes(passed=2)


def test_files_outside_the_rootdir_are_told_apart(models: Project, tmp_path: Path) -> None:
    models.file("pytest.ini", "[pytest]\n")
    files = [tmp_path / name for name in ("one.contract.yaml", "two.contract.yaml")]
    for file, graphs in zip(files, (0, 1), strict=True):
        text = f"{ENCODE}    inputs: {{x: '4 8'}}\n    max_graphs: {graphs}\n"
        file.write_text(text, encoding="utf-8")
    arguments = ("-c", "pytest.ini", *map(str, files))
    contracts = models.report(*arguments, outcomes={"passed": 1, "failed": 1})["contracts"]
    found = {each["id"].rpartition("/")[2]: each["outcome"] for each in contracts}
    assert found == {"one.contract.yaml::encode": "failed", "two.contract.yaml::encode": "passed"}
    result = models.run(*arguments, "--rootdir=.")
    assert_shows(result, "run it alone: pytest --compilecheck *one.contract.yaml::encode")


def test_an_error_names_the_contract_and_the_sizes(models: Project) -> None:
    models.file(FILE, f"{ENCODE}    inputs: {{x: '4 9'}}\n")
    if sys.version_info >= (3, 11):
        told = ("in step 1 of 1*: x=(4, 9)", f"in the contract at {FILE}:3")
        assert_shows(models.run(), *told)
        assert_shows(models.run(check=False), *told)


@pytest.fixture
def other_torch() -> Iterator[None]:
    """The release of torch is looked up once."""
    torch_version.cache_clear()
    yield
    torch_version.cache_clear()


@pytest.mark.usefixtures("other_torch")
def test_a_nightly_of_torch_counts_as_its_release(
    models: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in bounds: a contract that a release holds is not skipped before it is out."""
    nightly = "99.1.0.dev20990101+cpu"
    found = importlib.metadata.version
    monkeypatch.setattr(
        "pytest_compilecheck.pytest_layer.installed.version",
        lambda name: nightly if name == "torch" else found(name),
    )
    bounds = "    max_graphs: {'<99.1': 0, '>=99.1': 1}\n"
    models.file(
        FILE, f"{ENCODE}    inputs: {{x: '4 8'}}\n    requires: {{torch: '>=99.1'}}\n{bounds}"
    )
    models.run().assert_outcomes(passed=1)


def test_a_missing_package_is_named(models: Project) -> None:
    models.file(FILE, f"{ENCODE}    requires: {{no-such: '>=1', torch: '>=99'}}\n")
    assert_shows(models.run("-rs"), "no-such>=1 is not installed, torch>=99 is required")


@pytest.mark.parametrize(
    ("lines", "place", "told"),
    [
        ("target: models_of_files:Mlp", "4:13: target:", "has no attribute 'Mlp'"),
        ("target: no_such_module:MLP", "4:13: target:", "no package 'no_such_module'"),
        ("target: broken_module:MLP", "4:13: target:", "import no_such_thing"),
        ("target: models_of_files:LIMIT", "4:13: target:", "gives an object of type int"),
        ("target: models_of_files:MLP\n    call: encod", "5:11: call:", "has no method 'encod'"),
        (
            "target: models_of_files:MLP\n    arguments: {wide: 8}",
            "5:16: arguments:",
            "unexpected keyword argument 'wide'",
        ),
        (
            "target: models_of_files:MLP\n    device: nowhere",
            "5:13: device:",
            "nowhere",
        ),
        (
            "target: models_of_files:loss\n    training: true",
            "5:15: training:",
            "models_of_files:loss gives no nn.Module",
        ),
    ],
)
def test_a_target_that_cannot_be_made(models: Project, lines: str, place: str, told: str) -> None:
    models.file("broken_module.py", "import no_such_thing\n")
    models.file(FILE, f"version: 1\ncontracts:\n  it:\n    {lines}\n    inputs: {{x: '4 8'}}\n")
    result = models.run()
    result.assert_outcomes(errors=1)
    assert_shows(result, f"{FILE}:{place}")
    assert_shows(result, told)
    result.stdout.no_fnmatch_line("*importlib*")


def test_an_input_that_the_target_does_not_take(models: Project) -> None:
    models.file(FILE, f"{ENCODE}    inputs: {{y: '4 8'}}\n")
    result = models.run()
    result.assert_outcomes(errors=1)
    told = "inputs: MLP.encode has no parameter 'y' (it takes x)"
    assert_shows(result, f"{FILE}:6:14: {told}")


ITSELF = "the function itself is what is compiled: to have it make the model write arguments: {}"
MADE = "target: models_of_files:make_mlp\n    arguments: {}"


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (
            "target: models_of_files:make_mlp",
            f"inputs: models_of_files:make_mlp has no parameter 'ids' (it takes none); {ITSELF}",
        ),
        (
            "target: models_of_files:make_mlp\n    call: encode",
            f"call: models_of_files:make_mlp has no method 'encode'; {ITSELF}",
        ),
        (MADE, "inputs: MLP.forward has no parameter 'ids' (it takes x, scale)"),
        (f"{MADE}\n    call: encode", "inputs: MLP.encode has no parameter 'ids' (it takes x)"),
        (f"{MADE}\n    call: encod", "call: MLP has no method 'encod' (did you mean 'encode'?)"),
        (
            "target: models_of_files:Scale",
            "inputs: Scale.__call__ has no parameter 'ids' (it takes number)",
        ),
    ],
)
def test_what_is_called_is_named(models: Project, lines: str, told: str) -> None:
    models.file(FILE, f"version: 1\ncontracts:\n  it:\n    {lines}\n    inputs: {{ids: '4 8'}}\n")
    result = models.run()
    result.assert_outcomes(errors=1)
    assert_shows(result, told)


def test_an_input_that_is_nearly_named_right_needs_no_more_advice(models: Project) -> None:
    write(
        models, "  loss:\n    target: models_of_files:loss\n    inputs: {pred: '4', targt: '4'}\n"
    )
    result = models.run()
    assert_shows(result, "models_of_files:loss has no parameter 'targt' (did you mean 'target'?)")
    assert "itself is what is compiled" not in result.stdout.str()


def test_an_argument_that_nothing_makes(models: Project) -> None:
    write(models, "  loss:\n    target: models_of_files:loss\n    inputs: {pred: '4 4'}\n")
    assert_shows(models.run(), "nothing makes the argument 'target'*add it to inputs")


def test_any_keyword_goes_to_a_target_that_takes_any(models: Project) -> None:
    write(models, "  any:\n    target: models_of_files:anything\n    inputs: {a: '4', b: '4'}\n")
    models.run().assert_outcomes(passed=1)


def test_what_only_more_positions_would_fill_is_left_alone(models: Project) -> None:
    write(models, "  first:\n    target: models_of_files:first_of\n    inputs: {x: '4 8'}\n")
    models.run().assert_outcomes(passed=1)


def test_all_faults_of_a_file_are_told_at_once(models: Project) -> None:
    models.file(
        FILE,
        f"{ENCODE}    inputs: {{x: '4 8'}}\n    max_graph_brakes: 0\n    passes: none\n",
    )
    models.tests("def test_other(): pass\n")
    result = models.run()
    result.assert_outcomes(errors=1)
    assert_shows(
        result,
        f"2 faults in the compile contract of {FILE}",
        f"{FILE}:7:5: max_graph_brakes: *did you mean 'max_graph_breaks'",
        f"{FILE}:8:13: passes: expected a whole number",
    )
    result.stdout.no_fnmatch_line("*Traceback*")


def test_a_version_map_without_this_release_is_a_fault_of_the_file(models: Project) -> None:
    models.file(FILE, f"{ENCODE}    inputs: {{x: '4 8'}}\n    max_graphs: {{'<2.0': 1}}\n")
    result = models.run()
    result.assert_outcomes(errors=1)
    assert_shows(result, f"{FILE}:7:18: max_graphs:*has no entry for torch")


@pytest.mark.slow
def test_where_files_are_looked_for(models: Project) -> None:
    text = f"{ENCODE}    inputs: {{x: '4 8'}}\n"
    for name in (
        "contracts/deep/er/a.contract.yaml",
        "packages/one/contracts/b.contract.yaml",
        "contracts/c.yaml",
        "d.contract.yaml",
        "contracts/other.yml",
    ):
        models.file(name, text)
    models.run().assert_outcomes(passed=2)
    models.run("contracts/c.yaml").assert_outcomes(passed=1)
    models.run("d.contract.yaml::encode").assert_outcomes(passed=1)
    models.file("pytest.ini", "[pytest]\ncompilecheck_files = *.contract.yaml contracts/?.yaml\n")
    models.run().assert_outcomes(passed=4)


def test_other_yaml_files_are_left_alone(models: Project) -> None:
    models.file("config.yaml", "a: [1\n")
    models.file("contracts/data.yaml", "a: [1\n")
    result = models.run("config.yaml", "contracts")
    assert "rror" not in result.stdout.str().split("rootdir")[1].replace("ERROR: not found", "")


def test_a_place_is_the_line_of_the_name(models: Project) -> None:
    models.file(FILE, f"{ENCODE}    requires: {{no-such: ''}}\n")
    assert_shows(models.run("-rs"), f"SKIPPED [1] {FILE}:3: no-such is not installed")


def test_project_defaults_lie_below_those_of_the_file(models: Project) -> None:
    models.file("pytest.ini", "[pytest]\ncompilecheck_defaults =\n    passes = 3\n    seed = 7\n")
    models.file(FILE, f"{ENCODE}    inputs: {{x: '4 8'}}\n    seed: 8\n")
    (found,) = models.report()["contracts"]
    assert (found["contract"]["passes"], found["contract"]["seed"]) == (3, 8)


def test_a_contract_of_training(models: Project) -> None:
    models.file(
        FILE,
        f"{ENCODE}    inputs: {{x: '4 8'}}\n    backward: true\n    match_eager: true\n"
        "    backend: aot_eager\n",
    )
    (found,) = models.report(outcomes={"passed": 1})["contracts"]
    assert found["observed"]["backward_graphs"] == 1


def test_further_keywords_go_to_torch_compile(models: Project) -> None:
    further = "    torch_compile: {recompile_limit: 2}\n"
    trace = "    inputs: {x: 'B 8'}\n    dims: {B: [2, 3, 4, 5]}\n    dynamic: false\n"
    models.file(FILE, f"{ENCODE}{trace}    max_recompiles: 1\n{further}")
    if "recompile_limit" not in inspect.signature(torch.compile).parameters:
        assert_shows(models.run(), f"{FILE}:10:38: recompile_limit: a contract has no such field")
        return
    (found,) = models.report(outcomes={"failed": 1})["contracts"]
    assert found["observed"]["recompiles"] == 1
    assert [each["kind"] for each in found["observed"]["fallbacks"]] == ["recompile_limit"]


@pytest.mark.slow
def test_workers_give_the_same_report(models: Project) -> None:
    write(models, SELECTED.replace("    marks: [slow]\n", ""))
    alone = without_times(models.report(outcomes={"passed": 2}))
    models.run_apart(
        "-n2", "--compilecheck-json=report.json", "-o", f"pythonpath={models.path}"
    ).assert_outcomes(passed=2)
    assert without_times(models.read_report()) == alone


def test_the_audit_holds_files_as_well(models: Project) -> None:
    models.file(FILE, f"{ENCODE}    inputs: {{x: '4 8'}}\n")
    models.run("--compilecheck-audit").assert_outcomes(passed=1)


def test_a_trace_file_lies_beside_the_contract(models: Project) -> None:
    models.file("contracts/lengths.csv", "B,count\n4,10\n5,1\n")
    models.file(
        FILE,
        f"{ENCODE}    inputs: {{x: 'B 8'}}\n    dims: {{trace_file: lengths.csv}}\n"
        "    allow_recompiles: [automatic_dynamic]\n",
    )
    (found,) = models.report(outcomes={"passed": 1})["contracts"]
    assert [each["weight"] for each in found["observed"]["timeline"]] == [10, 1, 10, 1]


@pytest.mark.slow
def test_compilation_that_is_switched_off_is_told_as_such(
    models: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TORCH_COMPILE_DISABLE", "1")
    models.file(FILE, f"{ENCODE}    inputs: {{x: '4 8'}}\n")
    result = models.run_apart("-o", f"pythonpath={models.path}")
    result.assert_outcomes(failed=1)
    assert_shows(result, "nothing was compiled: compilation is switched off")


def test_a_file_that_cannot_be_read_is_an_error(models: Project, tmp_path: Path) -> None:
    (models.path / "contracts").mkdir()
    (models.path / FILE).write_bytes(b"\xff\xfe\x00")
    result = models.run()
    result.assert_outcomes(errors=1)
    result.stdout.no_fnmatch_line("*Traceback*")
