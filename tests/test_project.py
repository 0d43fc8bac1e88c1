"""What is written in two places of the project is the same in both."""

from __future__ import annotations

import re
from importlib.metadata import requires
from pathlib import Path

ROOT = Path(__file__).parent.parent


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def readme_commands() -> list[list[str]]:
    """The steps of each one-line command in the README."""
    lines = re.findall(r"^python3 -m venv .*$", read("README.md"), re.MULTILINE)
    return [line.split(" && ") for line in lines]


def test_readme_has_the_two_commands():
    examples, tests = readme_commands()
    assert examples[-1] == ".venv/bin/pytest --compilecheck examples"
    assert tests[-1].startswith(".venv/bin/pytest")
    assert [step.replace("[test,examples]", "[test]") for step in examples[:-1]] == tests[:-1]


def test_ci_runs_the_test_command_of_the_readme_the_slow_tests_and_the_shared_contracts():
    script = read(".ci/run").replace('"$python"', "python3")
    script = re.sub(r'"\$venv/bin/(\w+)"', r".venv/bin/\1", script).replace('"$venv"', ".venv")
    steps = [line for line in script.splitlines() if line.startswith((".venv/", "python3 -m"))]
    tests = readme_commands()[1]
    assert steps[: len(tests)] == tests
    assert steps[len(tests) :] == [
        ".venv/bin/pytest -n 2 -m slow",
        ".venv/bin/pip install -q -e '.[test,examples]'",
        ".venv/bin/pytest --compilecheck -n 2 contracts",
    ]


def test_readme_installs_the_torch_of_the_test_extra():
    pins = {
        match["release"]
        for requirement in requires("pytest-compilecheck") or ()
        if (match := re.match(r"torch==(?P<release>[\d.]+); extra == 'test'", requirement))
    }
    assert pins == set(re.findall(r"torch==([\d.]+)", read("README.md")))


def test_one_release_of_ruff_everywhere():
    pins = {
        *re.findall(r"ruff==([\d.]+)", read("pyproject.toml")),
        *re.findall(r"ruff==([\d.]+)", read("noxfile.py")),
        *re.findall(r"ruff-pre-commit\n    rev: v([\d.]+)", read(".pre-commit-config.yaml")),
    }
    assert len(pins) == 1, pins


def test_every_page_is_in_the_navigation_of_the_site_once():
    named = re.findall(r"^ +- (?:[^:\n]+: )?(\S+\.md)$", read("mkdocs.yml"), re.MULTILINE)
    there = [file.relative_to(ROOT / "docs").as_posix() for file in ROOT.glob("docs/**/*.md")]
    assert sorted(named) == sorted(there)


def test_a_changelog_fragment_is_one_sentence_of_a_kind_that_there_is():
    """towncrier leaves out a fragment of any other kind, and says nothing."""
    kinds = re.findall(r'^directory = "(\w+)"\nname = ', read("pyproject.toml"), re.MULTILINE)
    assert kinds == ["breaking", "feature", "bugfix", "doc"]
    name = re.compile(rf"(\d+|\+[a-z0-9-]+)\.({'|'.join(kinds)})\.md")
    for file in ROOT.glob("changelog.d/*"):
        assert name.fullmatch(file.name), f"{file.name} is no NUMBER.KIND.md or +NAME.KIND.md"
        text = file.read_text("utf-8")
        assert re.fullmatch(r"[^\n]+\.\n", text), f"{file.name} is one line with a period"


def test_links_of_the_pages_lead_somewhere():
    """Those of docs/ to other files of docs/, which is all that the site has."""
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/**/*.md")]
    for page in pages:
        folder = ROOT if page.parent == ROOT else ROOT / "docs"
        for target in re.findall(r"\]\((?!https?:|#)([^)\s#]+)", page.read_text("utf-8")):
            file = (page.parent / target).resolve()
            assert file.exists(), f"{page.name}: {target}"
            assert file.is_relative_to(folder), f"{page.name}: {target} is not in {folder.name}/"
