"""What `package.*` in `compilecheck_modules` takes in, passes over and cannot import."""

from __future__ import annotations

import pytest

from pytest_layer.libraries import HEAD, INI, OPS
from pytest_layer.projects import Project, assert_shows

IDS = {"src/lib_with_contracts/ops.py::scaled"}


@pytest.fixture
def package(library: Project) -> Project:
    """The project whose setting names all modules of its package."""
    library.file("pytest.ini", INI.format("lib_with_contracts.*"))
    return library


def ids(package: Project, *arguments: str) -> set[str]:
    return {each["id"] for each in package.report(*arguments)["contracts"]}


def test_all_modules_of_a_package(package: Project) -> None:
    package.file("src/lib_with_contracts/inner/__init__.py", HEAD + OPS)
    package.file(
        "src/lib_with_contracts/inner/more.py",
        HEAD + "from lib_with_contracts.ops import scaled" + OPS.replace("scaled", "more"),
    )
    report = package.report(outcomes={"passed": 4})
    assert {each["id"] for each in report["contracts"]} == {
        "src/lib_with_contracts/ops.py::scaled",
        "src/lib_with_contracts/inner/__init__.py::scaled",
        "src/lib_with_contracts/inner/more.py::more",
    }


def test_a_program_is_not_run(package: Project) -> None:
    """Nor one of a package within: what it does is no part of collecting."""
    program = "open('ran', 'w').close()\n"
    package.file("src/lib_with_contracts/__main__.py", program)
    package.file("src/lib_with_contracts/inner/__main__.py", program)
    assert ids(package) == IDS
    assert not (package.path / "ran").exists()
    package.file("pytest.ini", INI.format("lib_with_contracts.__main__"))
    package.run().assert_outcomes(errors=1)
    assert (package.path / "ran").exists()


@pytest.mark.parametrize("setting", ["lib_with_contracts.*", "lib_with_contracts.usage"])
@pytest.mark.parametrize("leave", ["sys.exit('usage')", "raise SystemExit", "sys.exit(0)"])
def test_a_module_that_ends_the_program(library: Project, setting: str, leave: str) -> None:
    library.file("pytest.ini", INI.format(setting))
    library.file("src/lib_with_contracts/usage.py", f"import sys\n{leave}\n")
    result = library.run()
    result.assert_outcomes(errors=1)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert_shows(
        result,
        "lib_with_contracts.usage ends the program when it is imported: put that under",
        'usage.py", line 2, in <module>',
        "SystemExit",
    )


@pytest.mark.parametrize(
    ("patterns", "file"),
    [
        ("test_*.py", "tests/test_layers.py"),
        ("test_*.py", "test_layers.py"),
        ("check_*.py", "tests/check_layers.py"),
    ],
)
def test_tests_in_a_package_are_passed_over(package: Project, patterns: str, file: str) -> None:
    text = INI.format("lib_with_contracts.*").replace("= tests\n", "= tests src\n")
    package.file("pytest.ini", f"{text}python_files = test_it.py {patterns}\n")
    package.file(f"src/lib_with_contracts/{file}", "def test_within():\n    pass\n")
    result = package.run()
    result.assert_outcomes(passed=3)
    assert result.ret == 0


def test_a_package_of_nothing_but_tests_is_an_error(package: Project) -> None:
    package.file("pytest.ini", INI.format("lib_with_contracts.*") + "python_files = *.py\n")
    result = package.run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        "ERROR: compilecheck_modules: 'lib_with_contracts.[*]': lib_with_contracts has no modules"
        " but those that fit python_files: leave it out"
    )


ABSENT = "import no_such_module_at_all\n"
EXTRA = """
try:
    import no_such_module_at_all
except ImportError:
    raise ImportError("install lib_with_contracts[fast]")
"""
NOT_THERE = "No module named 'no_such_module_at_all'"
NOT_LOOKED_FOR = (
    "compilecheck_modules: lib_with_contracts.fast cannot be imported ({}), so its contracts were"
    " not looked for: install what it needs"
)
INCOMPLETE = "incomplete: tests that could not be collected may hold contracts"


@pytest.mark.slow
@pytest.mark.parametrize("workers", [(), ("-n", "2")])
@pytest.mark.parametrize(
    ("text", "why"), [(ABSENT, NOT_THERE), (EXTRA, "install lib_with_contracts[fast]")]
)
def test_a_module_that_needs_what_is_not_there_is_told(
    package: Project, text: str, why: str, workers: tuple[str, ...]
) -> None:
    package.file("src/lib_with_contracts/fast.py", text)
    result = package.run("--compilecheck-json=report.json", "-q", *workers)
    result.assert_outcomes(passed=2, skipped=1)
    assert result.ret == 0
    assert_shows(result, NOT_LOOKED_FOR.format(why), INCOMPLETE)
    assert result.stdout.str().count("not looked for") == 1
    report = package.read_report()
    assert report["complete"] is False
    assert {each["id"] for each in report["contracts"]} == IDS


def test_an_audit_tells_it_too(package: Project) -> None:
    package.file("src/lib_with_contracts/fast.py", ABSENT)
    result = package.run("--compilecheck-audit", check=False)
    assert_shows(result, NOT_LOOKED_FOR.format(NOT_THERE), INCOMPLETE)


def test_without_the_flag_the_module_is_skipped(package: Project) -> None:
    package.file("src/lib_with_contracts/fast.py", ABSENT)
    result = package.run("-rs", check=False)
    result.assert_outcomes(passed=2, skipped=1)
    assert_shows(result, f"lib_with_contracts.fast cannot be imported: {NOT_THERE}")


@pytest.mark.parametrize(
    ("setting", "file", "text", "arguments"),
    [
        ("lib_with_contracts.*", "fast.py", ABSENT, ("--compilecheck-strict",)),
        ("lib_with_contracts.*\n  lib_with_contracts.fast", "fast.py", ABSENT, ()),
        ("lib_with_contracts.*", "__init__.py", ABSENT, ()),
        ("lib_with_contracts.*", "fast.py", "import lib_with_contracts.nothing\n", ()),
        ("lib_with_contracts.*", "fast.py", "from lib_with_contracts import nothing\n", ()),
        ("lib_with_contracts.*", "fast.py", "from os import nothing\n", ()),
        (
            "lib_with_contracts.*",
            "fast.py",
            EXTRA.partition("raise")[0] + "from lib_with_contracts import nothing\n",
            (),
        ),
        ("lib_with_contracts.*", "fast.py", EXTRA.replace("raise Import", "raise Runtime"), ()),
    ],
    ids=["strict", "named", "package", "own", "own_name", "name", "own_in_place", "other_error"],
)
def test_a_module_that_must_be_there_is_an_error(
    package: Project, setting: str, file: str, text: str, arguments: tuple[str, ...]
) -> None:
    package.file("pytest.ini", INI.format(setting))
    package.file(f"src/lib_with_contracts/{file}", text)
    result = package.run(*arguments)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    name = "lib_with_contracts" if file == "__init__.py" else "lib_with_contracts.fast"
    assert_shows(result, f"{name} cannot be imported")
    assert f"{name} cannot be imported (" not in result.stdout.str()


def test_a_baseline_keeps_what_was_not_looked_for(package: Project) -> None:
    """The contract may hold as before: that its module lacks a package says nothing of it."""
    broken = HEAD + OPS.replace("return x", 'print("break")\n    return x')
    package.file("src/lib_with_contracts/fast.py", broken)
    package.run("--compilecheck-baseline=b.json", "--compilecheck-update=new")
    before = (package.path / "b.json").read_text("utf-8")
    assert "fast.py::scaled" in before
    package.file("src/lib_with_contracts/fast.py", ABSENT + broken)
    package.run("--compilecheck-baseline=b.json", "--compilecheck-update=tighten")
    assert (package.path / "b.json").read_text("utf-8") == before
