"""`compilecheck validate` and `compilecheck schema`."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from contract.file.drawn import SCHEMA
from contract.file.loading import keys

from pytest_compilecheck.cli import main
from pytest_compilecheck.contract.file.validate import check

GOOD = keys("seed: 1\nmatrix: {dtype: [half, float]}")
BAD = keys("seed: x\npasses: 0")


def files(folder: Path, *names: str, text: str = GOOD) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def test_what_comes_of_it(tmp_path: Path) -> None:
    files(tmp_path, "a.contract.yaml", "b.contract.yaml")
    checked = check([str(tmp_path)])
    assert (checked.files, checked.contracts, checked.faulty, checked.faults) == (2, 4, 0, 0)
    assert checked.errors == ()
    assert checked.summary() == "2 contract files, 4 contracts: no faults"
    files(tmp_path, "c.contract.yaml", text=BAD)
    files(tmp_path, "d.contract.yaml", text="a: [")
    checked = check([str(tmp_path)])
    assert (checked.files, checked.faulty, checked.faults) == (4, 2, 3)
    assert len(checked.errors) == 2
    assert checked.summary() == "4 contract files: 3 faults in 2"


def test_one_of_each_is_told_in_the_singular(tmp_path: Path) -> None:
    files(tmp_path, "a.contract.yaml", text=keys(""))
    assert check([str(tmp_path)]).summary() == "1 contract file, 1 contract: no faults"
    files(tmp_path, "a.contract.yaml", text=keys("seed: x"))
    assert check([str(tmp_path)]).summary() == "1 contract file: 1 fault in 1"


def test_a_file_that_is_named_twice_is_checked_once(tmp_path: Path) -> None:
    files(tmp_path, "a.contract.yaml")
    path = str(tmp_path / "a.contract.yaml")
    assert check([path, str(tmp_path), f"{tmp_path}/./a.contract.yaml"]).files == 1


def test_a_file_of_any_name_can_be_named(tmp_path: Path) -> None:
    files(tmp_path, "a.yml")
    assert check([str(tmp_path / "a.yml")]).summary() == "1 contract file, 2 contracts: no faults"


def test_nothing_to_check_is_an_error(tmp_path: Path) -> None:
    checked = check([str(tmp_path)])
    assert checked.errors == (
        f"{tmp_path}: there is no *.contract.yaml or *.contract.yml in this folder",
    )
    assert checked.summary() == "0 contract files: nothing was checked"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_command(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files(here, "good/a.contract.yaml")
    assert main(["validate", "good"]) == 0
    assert capsys.readouterr() == ("1 contract file, 2 contracts: no faults\n", "")
    files(here, "bad/b.contract.yaml", text=BAD)
    assert main(["validate", "good", "bad/b.contract.yaml"]) == 1
    told = capsys.readouterr()
    assert told.out == "2 contract files: 2 faults in 1\n"
    assert told.err.splitlines() == [
        "2 faults in the compile contract of bad/b.contract.yaml",
        "  bad/b.contract.yaml:5:11: seed: expected a whole number, got 'x'",
        "      seed: x",
        "            ^",
        "  bad/b.contract.yaml:6:13: passes: expected a whole number, 1 or more, got 0",
        "      passes: 0",
        "              ^",
    ]


def test_what_has_contracts_and_another_name_is_told(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files(here, "contracts/a.contract.yaml", "contracts/ranker.yaml")
    assert main(["validate", "contracts"]) == 0
    told = capsys.readouterr()
    assert told.out == "1 contract file, 2 contracts: no faults\n"
    assert told.err == (
        "contracts/ranker.yaml has contracts and is passed over for its name:"
        " rename it to contracts/ranker.contract.yaml\n"
    )
    assert main(["validate", "contracts", "contracts/ranker.yaml"]) == 0
    assert capsys.readouterr() == ("2 contract files, 4 contracts: no faults\n", "")


VERSIONS = """
version: 1
contracts:
  one:
    target: a:b
    max_graphs: {"<2.9": 1, ">=2.12": 0}
    max_recompiles: {VERSIONS}
"""


def test_two_entries_for_a_release_are_told_without_torch(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files(here, "a.contract.yaml", text=VERSIONS.replace("VERSIONS", '">=2.8": 1, ">=2.12": 0'))
    assert main(["validate", "."]) == 1
    assert (
        "a.contract.yaml:7:22: max_recompiles: '>=2.8' and '>=2.12' of"
        " {'>=2.8': 1, '>=2.12': 0} match torch 2.12: narrow them so that one is left"
    ) in capsys.readouterr().err


def test_gaps_are_told_of_the_releases_that_are_named(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files(here, "a.contract.yaml", text=VERSIONS.replace("VERSIONS", '"<2.12": 1, ">=2.12": 0'))
    assert main(["validate", "."]) == 0
    assert main(["validate", ".", "--torch", "2.8", "2.13.0+cpu"]) == 0
    capsys.readouterr()
    assert main(["validate", ".", "--torch", "2.8", "2.10", "2.11", "2.13"]) == 1
    out, err = capsys.readouterr()
    assert out == "1 contract file: 2 faults in 1\n"
    entry = "max_graphs: {'<2.9': 1, '>=2.12': 0} has no entry for torch"
    for release in ("2.10", "2.11"):
        assert f"a.contract.yaml:6:18: {entry} {release}: add one that matches" in err


def test_what_is_no_release_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["validate", "--torch", "2.8", "contracts"])
    assert caught.value.code == 2
    told = "'contracts' is no release of torch; write paths before --torch"
    assert told in capsys.readouterr().err


def test_a_path_that_is_not_there(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", "gone.contract.yaml", "."]) == 1
    told = capsys.readouterr()
    assert "gone.contract.yaml:1: contract file: cannot be read: No such file" in told.err
    assert ".: there is no *.contract.yaml or *.contract.yml in this folder" in told.err
    assert told.out == "1 contract file: 1 fault in 1\n"


def test_the_command_needs_a_path(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["validate"])
    assert caught.value.code == 2
    assert "PATH" in capsys.readouterr().err


def test_the_schema(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema"]) == 0
    assert json.loads(capsys.readouterr().out) == SCHEMA


FORTY_LINES = """\
version: 1
defaults:
  requires: {{transformers: ">=4.50"}}
  dtype: bfloat16
contracts:
  _base:
    target: transformers:LlamaForCausalLM
    arguments:
      config:
        make: transformers:LlamaConfig
        arguments:
          hidden_size: 64
          intermediate_size: 128
          num_hidden_layers: 2
          vocab_size: 1000
    call: forward
    keywords: {{use_cache: false}}
    max_graph_breaks: {{"<2.14": 2, ">=2.14": 0}}
    allow_breaks:
      - gb_id: GB0059
        file: "*/modeling_llama.py"
        because: "known{at}"
  prefill:
    extends: _base
    inputs:
      input_ids: {{shape: "B S", dtype: int64, high: 1000}}
      attention_mask: {{shape: "B S", dtype: int64, high: 2}}
    dims:
      B: 1
      S: [128, 129, 130]
    allow_recompiles: [automatic_dynamic]
    matrix:
      dynamic: [null, true]
  decode:
    extends: _base
    inputs:
      input_ids: {{shape: "B 1", dtype: int64, high: 1000}}
    dims: {{B: [1, 2, 4]}}
    max_recompiles: 2
    marks: [slow]
"""


def test_many_files_are_checked_in_no_time_and_without_torch(tmp_path: Path) -> None:
    assert len(FORTY_LINES.splitlines()) == 40
    for at in range(100):
        files(tmp_path, f"{at}.contract.yaml", text=FORTY_LINES.format(at=at))
    program = (
        "import sys, time; before = time.process_time()\n"
        "from pytest_compilecheck.cli import main\n"
        f"assert main(['validate', {str(tmp_path)!r}]) == 0\n"
        "print(time.process_time() - before)\n"
        "print(*{name.split('.')[0] for name in sys.modules})\n"
    )
    before = time.monotonic()
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert time.monotonic() - before < 60
    summary, seconds, modules = run.stdout.splitlines()
    assert summary == "100 contract files, 300 contracts: no faults"
    assert float(seconds) < 5  # it takes about half a second
    assert {"torch", "pytest", "numpy", "transformers"}.isdisjoint(modules.split())
