"""What the pages of docs/ show is what happens."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap

import pytest
import torch
from packaging.version import Version

from pytest_compilecheck.contract.bounds import Bound
from pytest_compilecheck.contract.file.load import load_contracts
from pytest_layer.pages import lines, written
from pytest_layer.projects import Project, assert_shows


@pytest.fixture
def page(project: Project, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The blocks of the page on contract files; its files are written."""
    found = written("contract-files.md", project)
    monkeypatch.syspath_prepend(project.path)
    for name in ("mymodel", "mylib", "mylib.blocks", "mylib.gated"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return found


def of_this_torch(block: list[str]) -> list[str]:
    """The lines; torch 2.8 knows neither the column nor the id of this break."""
    if Version(torch.__version__) >= Version("2.9"):
        return block
    unknown = r'(?<=:15):12| \(GB0170\)|"gb_id": "GB0170"'
    return [re.sub(unknown, "*", line) for line in block]


def test_a_first_contract_passes(project: Project, page: dict[str, str]) -> None:
    result = project.run("contracts/scorer.contract.yaml")
    result.assert_outcomes(passed=1)
    assert_shows(result, *lines(page["output"]))


def test_and_fails_once_the_model_breaks(project: Project, page: dict[str, str]) -> None:
    head, last = page["file=mymodel.py"].rsplit("        return", 1)
    broken = f"{head}        if x.mean() > 0:\n            x = x * 2\n        return{last}"
    project.file("mymodel.py", broken)
    result = project.run("contracts/scorer.contract.yaml")
    result.assert_outcomes(failed=1)
    assert_shows(result, *of_this_torch(lines(page["failing"])))


@pytest.mark.usefixtures("page")
def test_a_matrix_changes_one_argument(project: Project) -> None:
    report = project.report("contracts/widths.contract.yaml", outcomes={"passed": 2})
    names = {each["id"].rpartition("::")[2] for each in report["contracts"]}
    assert names == {"scorer[width=32]", "scorer[width=64]"}


@pytest.mark.usefixtures("page")
def test_every_key_that_is_shown_works(project: Project) -> None:
    project.file("pytest.ini", "[pytest]\nmarkers = slow: takes long\n")
    report = project.report("contracts/everything.contract.yaml", outcomes={"passed": 6})
    names = {each["id"].rpartition("::")[2] for each in report["contracts"]}
    assert {name for name in names if name.startswith("masked")} == {
        "masked[float32-auto]",
        "masked[float32-dynamic]",
        "masked[bfloat16-auto]",
        "masked[bfloat16-dynamic]",
    }


def test_figures_of_several_releases(page: dict[str, str]) -> None:
    base = page["file=contracts/scorer.contract.yaml"]
    given = textwrap.indent(textwrap.dedent(page["releases"]), "    ")
    (found,) = load_contracts("it.contract.yaml", f"{base}{given}".encode()).contracts
    assert found.contract(torch_version="2.8.0").max_graph_breaks == Bound(1)
    assert len(found.contract(torch_version="2.8.0").allow_fallbacks) == 1
    assert found.contract(torch_version="2.9.0").allow_fallbacks == ()


def test_a_fault_is_shown_as_on_the_page(
    project: Project,
    page: dict[str, str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from pytest_compilecheck.cli import main

    good = page["file=contracts/scorer.contract.yaml"].splitlines()
    project.file(
        "contracts/typo.contract.yaml", "\n".join([*good[:4], "    max_graph_brakes: 0", *good[4:]])
    )
    monkeypatch.chdir(project.path)
    assert main(["validate", "contracts"]) == 1
    assert page["faults"] in capsys.readouterr().err


@pytest.mark.slow
def test_init_writes_what_is_shown(project: Project, page: dict[str, str]) -> None:
    arguments = ["--inputs", "ids=B S:int64:<1000", "--dims", "B=4", "S=128,129,256"]
    file = "contracts/mine.contract.yaml"
    main = "import sys; from pytest_compilecheck.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", main, "init", "mymodel:Scorer", *arguments, "-o", file]
    subprocess.run(command, cwd=project.path, check=True, capture_output=True)
    assert page["init"] in (project.path / file).read_text("utf-8")
    project.run(file).assert_outcomes(passed=1)


@pytest.mark.usefixtures("page")
def test_contracts_on_library_code(project: Project) -> None:
    project.file("pytest.ini", "[pytest]\ntestpaths = tests\ncompilecheck_modules = mylib.*\n")
    project.file("tests/test_it.py", "def test_it():\n    pass\n")
    report = project.report("--ignore=contracts", outcomes={"passed": 4})
    assert [each["id"] for each in report["contracts"]] == [
        "mylib/blocks.py::Block.forward",
        "mylib/blocks.py::add_bias",
        "mylib/gated.py::Gated.forward",
    ]
