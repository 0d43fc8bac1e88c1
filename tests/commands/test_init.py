"""`compilecheck init`, from the command line to a file that pytest holds."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_compilecheck.cli import main

MODELS = """\
import torch
from torch import nn

print("imported")
torch._dynamo.config.recompile_limit = 5


class Gate(nn.Module):
    def __init__(self, width=8, config=None):
        super().__init__()
        self.step = 0
        self.linear = nn.Linear(width if config is None else config.width, width)

    def forward(self, x, scale=1.0):
        print("called")
        self.step += 1
        y = self.linear(x)
        if y.mean() > 0:
            y = y * scale * (1 - 0.5**self.step)
        return y.relu()

    def encode(self, x):
        return self.linear(x).relu()


class Config:
    def __init__(self, width):
        self.width = width


def itself(x):
    return x


def needs_gpu(x):
    import pytest

    pytest.skip("no GPU here")
"""

pytestmark = pytest.mark.usefixtures("project")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose modules lie in src/."""
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "models.py").write_text(MODELS)
    (tmp_path / "pyproject.toml").write_text('[tool.pytest.ini_options]\npythonpath = ["src"]\n')
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def init(*arguments: str) -> subprocess.CompletedProcess[str]:
    program = "import sys; from pytest_compilecheck.cli import main; sys.exit(main())"
    return run(program, "init", *arguments)


SEVERAL = """\
import contextlib, io, json, sys
import torch._dynamo
from pytest_compilecheck.cli import main

limit = torch._dynamo.config.recompile_limit
results = []
for arguments in json.loads(sys.argv[1]):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(["init", *arguments])
    results.append((status, out.getvalue(), err.getvalue()))
print(json.dumps([results, limit == torch._dynamo.config.recompile_limit]))
"""


def init_each(*commands: list[str]) -> list[tuple[int, str, str]]:
    """Status, output and errors of several commands in one process, which stays as it was."""
    done = run(SEVERAL, json.dumps(commands))
    assert done.returncode == 0, done.stderr
    results, stayed = json.loads(done.stdout.splitlines()[-1])
    assert stayed  # the models set another limit
    return [(status, out, err) for status, out, err in results]


def assert_holds(file: str) -> None:
    """The file passes the check of files, and its contract holds, with no exception too many."""
    assert main(["validate", file]) == 0
    program = "import sys, pytest; sys.exit(pytest.main())"
    held = run(program, "--compilecheck", "--compilecheck-strict", "-p", "no:randomly", file)
    assert held.returncode == 0, held.stdout
    assert "1 passed" in held.stdout


@pytest.mark.slow
def test_a_model_with_faults_gets_a_contract_that_holds(project: Path) -> None:
    file = "contracts/deep/gate.contract.yaml"
    made = init(
        *("models:Gate", "--inputs", "x=B S 8", "--dims", "B=4", "S=5,6", "--name", "gate"),
        *("--arguments", '{config: {make: "models:Config", arguments: {width: 8}}}'),
        *("--call", "forward", "--keywords", "{scale: 2.0}", "-o", file),
    )
    assert (made.returncode, made.stdout) == (0, ""), made.stderr
    assert (
        f"{file} is written; hold it with\n  python -m pytest --compilecheck {file}" in made.stderr
    )
    text = Path(file).read_text("utf-8")
    head, _, bounds = text.partition("dims: {B: 4, S: [5, 6]}\n\n")
    assert "\n  gate:\n    target: models:Gate\n    arguments: {config: {make: " in head
    assert "    call: forward\n    keywords: {scale: 2.0}\n    inputs: {x: B S 8}\n" in head
    assert "requires" not in head  # the code is the project's own
    # Two lines break: the print and the branch.
    assert "max_graph_breaks: 0  # 2 graph breaks were seen, which allow_breaks excuses" in bounds
    assert "# src/models.py:15" in bounds
    assert "file: src/models.py" in bounds
    place = "file: src/models.py, function: forward"
    assert f"source: self.step, {place}" in re.sub(r"\n +", ", ", bounds)
    assert str(project) not in text
    assert_holds(file)


@pytest.mark.slow
def test_a_clean_method_is_written_to_stdout(project: Path) -> None:
    os.chdir(project / "src")
    options = ["--call", "encode", "--inputs", "x=B 8", "--dims", "B=4,5,6", "--dtype", "bfloat16"]
    made = init("models:Gate", *options)
    assert made.returncode == 0, made.stderr
    assert "imported" in made.stderr
    Path("it.contract.yaml").write_text(made.stdout, "utf-8")
    assert (
        made.stdout.partition("\n\n")[2]
        == """\
    max_graph_breaks: 0  # no graph break was seen
    max_recompiles: 0  # 1 recompile was seen, which allow_recompiles excuses
    allow_recompiles:  # the rebuild in which torch makes a symbol of a size that changed
      # call 1: x.size(0): 4 -> 5 (shape, argument, automatic dynamic)
      - automatic_dynamic
    max_graphs: 2  # with 2 operations in those that are no rebuilds
    max_graph_launches_per_call: 1  # the most graphs that one warm call ran
    min_hit_rate: 0.666  # 6 calls: 1 recompile, 1 compile, 4 hit
    dynamic_dims: [B]  # 3 sizes of B, 2 graphs: torch made B a symbol in call 1
"""
    )
    assert_holds("it.contract.yaml")


@pytest.mark.slow
def test_a_target_that_cannot_be_held_gets_no_file() -> None:
    inputs = ["models:Gate", "--inputs"]
    cases: list[tuple[list[str], int, str]] = [
        (["models:itself", "--inputs", "x=4"], 1, "it would not hold:\n  nothing was compiled"),
        (["models:itself", "--inputs", "x=4"], 1, "there is no tensor operation in it"),
        (["nowhere:Gate"], 2, "there is no package 'nowhere' to import nowhere:Gate from"),
        (["models:needs_gpu", "--inputs", "x=4"], 2, "model's code ends the run: no GPU here"),
        ([*inputs, "z=4 8"], 2, "Gate.forward has no parameter 'z' (it takes x, scale)\n"),
        ([*inputs, "z=4 8"], 2, ')\n      z: "4 8"\n'),
        ([*inputs, "x=4 7"], 2, "models:Gate fails when it is called:\nTraceback"),
        ([*inputs, "x=4 8", "--backend", "inducto"], 2, "(did you mean 'inductor'?)"),
        (["models:Gate", "--set", "requires={torch: '<2'}"], 2, "torch<2 is required"),
    ]
    options = [[*options, "-o", "it.contract.yaml"] for options, _, _ in cases]
    for (_, expected, told), (status, out, err) in zip(cases, init_each(*options), strict=True):
        assert told in err
        assert (status, out) == (expected, "")
    assert not Path("it.contract.yaml").exists()


@pytest.mark.slow
def test_a_bound_that_is_given_stays() -> None:
    encode = ["models:Gate", "--call", "encode", "--inputs", "x=B 8", "--dims", "B=4,5"]
    none = [*encode, "--set", "allow_recompiles=[]"]
    kept, refused = init_each(
        [*none, "--set", "max_graphs=5"], [*none, "--set", "max_recompiles=0"]
    )
    given, _, bounds = kept[1].partition("\n\n")
    assert given.endswith("    allow_recompiles: []\n    max_graphs: 5")
    assert "max_recompiles: 1  # 1 recompile was seen\n" in bounds
    assert "max_graphs" not in bounds
    assert refused[0] == 1
    assert "recompiles: 1, at most 0 allowed" in refused[2]


@pytest.mark.slow
def test_the_schema_is_named_where_it_lies_above_the_file(project: Path) -> None:
    options = ["models:Gate", "--call", "encode", "--inputs", "x=4 8", "-o"]
    init_each([*options, "none.contract.yaml"])
    (project / "contract.schema.json").write_text("{}")
    (project / "contracts").mkdir(exist_ok=True)
    init_each([*options, "it.contract.yaml"], [*options, "contracts/deep/it.contract.yaml"])
    (project / "contracts" / "contract.schema.json").write_text("{}")
    init_each([*options, "contracts/near/it.contract.yaml"])
    schemas = {
        "it": "contract.schema.json",
        "contracts/deep/it": "../../contract.schema.json",
        "contracts/near/it": "../contract.schema.json",
    }
    for name, path in schemas.items():
        text = (project / f"{name}.contract.yaml").read_text("utf-8")
        assert text.startswith(f"# yaml-language-server: $schema={path}\n# Written by")
    assert "$schema" not in (project / "none.contract.yaml").read_text("utf-8")


@pytest.mark.slow
def test_defaults_of_the_project_hold_for_the_run(project: Path) -> None:
    with (project / "pyproject.toml").open("a") as settings:
        settings.write('compilecheck_defaults = ["dynamic = True", "max_graphs = 0"]\n')
    (made,) = init_each(["models:Gate", "--call", "encode", "--inputs", "x=B 8", "--dims", "B=4,5"])
    assert "max_graphs: 1  # with 2 operations" in made[1]
    assert "max_recompiles: 0  # no recompile was seen\n" in made[1]
    assert "dynamic_dims: [B]  # 2 sizes of B, 1 graph: B is a symbol\n" in made[1]


HOOKS = """\
from pytest_compilecheck import ExtraBound

def pytest_compilecheck_make_input(item, name, make_tensor):
    return {"x": make_tensor()} if name == "x" else None

def pytest_compilecheck_bounds():
    return [ExtraBound(name="max_ops", about="operations", figure=lambda seen: seen.captured_ops)]
"""


@pytest.mark.slow
def test_hooks_of_the_project_are_asked(project: Path) -> None:
    (project / "conftest.py").write_text(HOOKS)
    (project / "src" / "models.py").write_text("def of_dict(x):\n    return x['x'].sin()\n")
    options = ("models:of_dict", "--inputs", "x=2 3", "-o", "contracts/it.contract.yaml")
    (status, _, told), held = init_each(
        [*options, "--set", "extra={max_ops: 0}"], [*options, "--set", "extra={max_ops: 1}"]
    )
    assert status == 1
    assert "operations: 1, at most 0 allowed" in told
    assert held[0] == 0, held[2]
    assert_holds("contracts/it.contract.yaml")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["models.Gate"], "<options>:5:7: target: expected 'models:Gate', with a colon"),
        (["models:Gate", "--inputs", "x"], "--inputs 'x': expected NAME=... such as 'x=B S 64'"),
        (["m:f", "--inputs", "x=B:flot32"], "'flot32' is unknown (did you mean 'float32'?)"),
        (["m:f", "--inputs", "x=B"], "the dim 'B' of inputs['x'] has no size in dims"),
        (["m:f", "--set", "trainin=true"], "no such key (did you mean 'training'?)"),
        (["m:f", "--dtype", "bfloat16", "--set", "dtype=float32"], "'dtype' is there twice"),
        (
            ["m:f", "--arguments", "{a: 1"],
            "<options>:7:7: no YAML: the { that begins here is not closed",
        ),
        (["m:f", "--inputs", "x=S", "--dims", "{trace_file: lengths.csv}"], "lengths.csv"),
        (["m:f", "--name", "_base"], "init writes one contract"),
        (["m:f", "--set", "matrix={dtype: [float32, bfloat16]}"], "init writes one contract"),
        (["m:f", "--inputs", "x={shape: \udcff}"], "is no UTF-8 text"),
    ],
)
def test_faults_of_the_options_are_told_as_those_of_a_file(
    options: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", *options]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert told in err


def test_a_fault_shows_what_was_typed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", "m:f", "--inputs", "x={shape: B, hihg: 3}", "--dims", "B=2"]) == 2
    assert capsys.readouterr().err.splitlines()[2:] == [
        "      x: {shape: B, hihg: 3}",
        "                    ^",
    ]


@pytest.mark.slow
def test_a_file_is_not_overwritten(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "it.contract.yaml").write_text("mine")
    assert main(["init", "models:Gate", "-o", "it.contract.yaml"]) == 2
    assert "it.contract.yaml is there already: give another name, or --force" in (
        capsys.readouterr().err
    )
    assert main(["init", "models:Gate", "-o", "contracts/gate"]) == 2
    assert "give e.g. contracts/gate.contract.yaml" in capsys.readouterr().err
    options = ["--call", "encode", "--inputs", "x=4 8", "-o", "it.contract.yaml", "--force"]
    assert init("models:Gate", *options).returncode == 0
    assert "target: models:Gate" in (project / "it.contract.yaml").read_text("utf-8")
