"""`compilecheck render`, from a file to a file."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from report.values import observation, record, run, site, violation

from pytest_compilecheck.cli import main
from pytest_compilecheck.report.document import json_text
from pytest_compilecheck.report.formats import FORMATS

REPORT = run(
    record(violation("max_graph_breaks", 0, 1), observed=observation(break_sites=(site(),))),
    record(id="tests/test_größe.py::test_fine", observed=observation()),
)


@pytest.fixture
def report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("report.json").write_text(json_text(REPORT), "utf-8")
    return "report.json"


CHECKS: dict[str, Callable[[str], bool]] = {
    "json": lambda text: text == json_text(REPORT),
    "markdown": lambda text: text.startswith("## 1 failed of 2 compile contracts\n"),
    "github": lambda text: text.startswith("::error file=model/mlp.py,line=14,col=8,"),
    "sarif": lambda text: json.loads(text)["version"] == "2.1.0",
    "junit": lambda text: ET.fromstring(text).tag == "testsuites",
    "html": lambda text: text.startswith("<!doctype html>\n") and text.endswith("</html>"),
}
IMAGES = {"svg": b"<svg ", "png": b"\x89PNG\r\n", "pdf": b"%PDF-"}


def test_every_format_is_held_here() -> None:
    assert list(FORMATS) == [*CHECKS, *IMAGES]


@pytest.mark.parametrize("name", CHECKS)
def test_to_the_standard_output_and_to_a_file(
    report: str, name: str, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert main(["render", report, "--to", name]) == 0
    told = capsysbinary.readouterr().out.decode("utf-8")
    assert CHECKS[name](told)
    assert main(["render", report, "--to", name, "-o", "new/file"]) == 0
    assert capsysbinary.readouterr().out == b""
    assert Path("new/file").read_text("utf-8") == told


@pytest.mark.parametrize("name", IMAGES)
def test_images_are_of_one_contract(
    report: str, name: str, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert main(["render", report, "--to", name]) == 2
    told = capsysbinary.readouterr().err.decode()
    assert told == (
        f"compilecheck: the {name} report could not be made: PlotError: an image has one contract:"
        " name it with `compilecheck render --contract ID`, one of tests/test_größe.py::test_fine,"
        " tests/test_mlp.py::test_mlp\n"
    )
    one = ["render", report, "--to", name, "--contract", "tests/test_mlp.py::test_mlp"]
    assert main(one) == 0
    assert capsysbinary.readouterr().out.startswith(IMAGES[name])
    assert main([*one, "-o", "new/file"]) == 0
    assert Path("new/file").read_bytes().startswith(IMAGES[name])


def test_one_contract_alone(report: str, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    one = ["render", report, "--to", "json", "--contract"]
    assert main([*one, "tests/test_größe.py::test_fine"]) == 0
    told = json.loads(capsysbinary.readouterr().out)
    assert [each["id"] for each in told["contracts"]] == ["tests/test_größe.py::test_fine"]
    assert main([*one, "tests/test_mlp.py::test_mpl"]) == 2
    assert "did you mean 'tests/test_mlp.py::test_mlp'?" in capsysbinary.readouterr().err.decode()


def test_source_is_read_from_the_root(
    report: str, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    source = "\n" * 12 + "above\n       if y.sum() > 0:\n"
    Path("there/model").mkdir(parents=True)
    Path("there/model/mlp.py").write_text(source)
    main(["render", report, "--to", "markdown"])
    assert b"  13 | above" not in capsysbinary.readouterr().out
    main(["render", report, "--to", "markdown", "--root", "there"])
    assert b"  13 | above" in capsysbinary.readouterr().out


def test_paths_are_those_of_the_checkout(
    report: str, capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_WORKSPACE", str(Path.cwd()))
    main(["render", report, "--to", "github", "--root", "pkg"])
    assert capsysbinary.readouterr().out.startswith(b"::error file=pkg/model/mlp.py,")


@pytest.mark.parametrize("rows", ["-1", "all", "1_0"])
def test_rows_are_a_number(rows: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["render", "report.json", "--to", "json", f"--top={rows}"])
    told = f"argument --top: {rows}: a number of rows is needed, such as 20, or 0 for all"
    assert told in capsys.readouterr().err


def test_rows(report: str, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    many = run(*(record(id=f"t{number}", observed=observation()) for number in range(3)))
    Path(report).write_text(json_text(many), "utf-8")
    main(["render", report, "--to", "markdown", "--top", "2"])
    assert b"and 1 more (1 passed)" in capsysbinary.readouterr().out


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("markdwon", " (did you mean 'markdown'?)"),
        ("docx", f" (known are {', '.join(sorted(FORMATS))})"),
    ],
)
def test_a_format_that_is_not_known(
    report: str, name: str, hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["render", report, "--to", name]) == 2
    assert capsys.readouterr().err == f"compilecheck: there is no report format {name!r}{hint}\n"


ACME = {
    "acme.py": """
from pytest_compilecheck.report.formats import Format

LINES = Format("lines", lambda report: "a line")
FAILING = Format("fails", lambda report: 1 // 0)
""",
    "acme-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n",
    "acme-1.0.dist-info/entry_points.txt": """
[pytest_compilecheck.formats]
lines = acme:LINES
failing = acme:FAILING
html = acme:LINES
""",
}


def test_formats_of_an_installed_package(
    report: str, capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in ACME.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text)
    monkeypatch.syspath_prepend(Path.cwd())
    monkeypatch.delitem(sys.modules, "acme", raising=False)
    assert main(["render", report, "--to", "lines"]) == 0
    assert capsysbinary.readouterr().out == b"a line"
    assert main(["render", report, "--to", "failing"]) == 2
    told = capsysbinary.readouterr().err.decode()
    assert told.startswith(
        "compilecheck: the failing report of the package acme could not be made: ZeroDivisionError"
    )
    assert told.endswith("acme.py:5)\n")
    with pytest.raises(SystemExit):
        main(["render", "--help"])
    told = " ".join(capsysbinary.readouterr().out.decode().split())
    assert "formats of installed packages: failing of the package acme, lines of the" in told
    assert main(["render", report, "--to", "html", "-o", "a.html"]) == 0
    told = capsysbinary.readouterr().err.decode()
    assert told.startswith("compilecheck: the package acme declares a report format 'html', which")


def test_what_cannot_be_read_or_written(report: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["render", "none.json", "--to", "json"]) == 2
    assert "none.json cannot be read" in capsys.readouterr().err
    assert main(["render", report, "--to", "json", "-o", "report.json/x"]) == 2
    assert "compilecheck: the json report could not be written: " in capsys.readouterr().err


@pytest.mark.parametrize("name", CHECKS)
def test_it_needs_no_torch(report: str, name: str) -> None:
    program = (
        "import sys; from pytest_compilecheck.cli import main;"
        f"status = main(['render', {report!r}, '--to', {name!r}, '-o', 'out']);"
        "print(status, sorted({'torch', 'pytest', 'yaml', 'numpy'} & set(sys.modules)))"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "0 []\n"


def test_a_reader_that_has_enough(report: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Without a buffer a pipe takes what it holds, and nothing tells that the rest was not read.
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    many = run(*(record(id=f"t{number}", observed=observation()) for number in range(2000)))
    Path(report).write_text(json_text(many), "utf-8")
    program = "import sys; from pytest_compilecheck.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", program, "render", report, "--to", "json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.wait() == 1
        assert process.stderr.read() == b""
