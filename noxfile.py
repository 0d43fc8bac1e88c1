"""The checks that CI makes, by name: `nox -s lint types build tests-3.11`."""

from __future__ import annotations

import json
import shutil
import tarfile
import zipfile
from pathlib import Path

import nox

nox.options.default_venv_backend = "venv"
nox.options.error_on_missing_interpreters = False
nox.options.sessions = ["lint", "types", "workflows", "build", "consumer", "docs", "tests-3.11"]

PROJECT = nox.project.load_toml("pyproject.toml")["project"]

# The combinations in which the suite runs: one release at a time differs from the centre.
RELEASES = json.loads((Path(__file__).parent / "tools" / "releases.json").read_text("utf-8"))
CENTRE = RELEASES["centre"]
ALL = "slow or not slow"
CORNERS = [(each["python"], each["torch"], each["pytest"]) for each in RELEASES["corners"]]

PACKAGE_DATA = {
    "pytest_compilecheck/contract/contract.schema.json",
    "pytest_compilecheck/py.typed",
    "pytest_compilecheck/report/html/templates/contract.html",
    "pytest_compilecheck/report/html/templates/macros.html",
    "pytest_compilecheck/report/html/templates/page.css",
    "pytest_compilecheck/report/html/templates/page.html",
    "pytest_compilecheck/report/html/templates/page.js",
    "pytest_compilecheck/report/schema/report-1.json",
}


@nox.session(python=RELEASES["python"])
def tests(session: nox.Session) -> None:
    session.install(".[test]")
    session.run("pytest", "-n", "2", "-m", ALL, *session.posargs)


@nox.session(python=CENTRE["python"])
@nox.parametrize("release", RELEASES["torch"], ids=RELEASES["torch"])
def torch(session: nox.Session, release: str) -> None:
    run_suite(session, release, CENTRE["pytest"])


@nox.session(python=CENTRE["python"])
@nox.parametrize("release", RELEASES["pytest"], ids=RELEASES["pytest"])
def runner(session: nox.Session, release: str) -> None:
    run_suite(session, CENTRE["torch"], release)


@nox.session
@nox.parametrize("python, torch_release, pytest_release", CORNERS)
def corners(session: nox.Session, torch_release: str, pytest_release: str) -> None:
    run_suite(session, torch_release, pytest_release)


def run_suite(session: nox.Session, torch_release: str, pytest_release: str) -> None:
    """Run the tests under these releases, of torch as "2.13.0" and of pytest as "8.4"."""
    pins = f"torch=={torch_release}", f"pytest=={pytest_release}.*"
    session.install(*pins, ".[test-any-torch]")
    session.run("pytest", "-n", "2", "-m", ALL, *session.posargs)


@nox.session(python="3.11")
@nox.parametrize("release", RELEASES["contracts"], ids=RELEASES["contracts"])
def contracts(session: nox.Session, release: str) -> None:
    session.install(f"torch=={release}", ".[test-any-torch,examples]")
    session.run("pytest", "--compilecheck", "-n", "2", *(session.posargs or ["contracts"]))


@nox.session(python="3.11")
def coverage(session: nox.Session) -> None:
    # Editable: the report then names the files of the checkout.
    session.install("-e", ".[test]", "coverage")
    session.run("coverage", "erase")
    session.run("coverage", "run", "-m", "pytest", "-m", ALL, *session.posargs)
    session.run("coverage", "combine", "--quiet")
    session.run("coverage", "report")


@nox.session(python="3.11")
def mutants(session: nox.Session) -> None:
    session.install("-e", ".[test]", "mutmut==3.8.1")
    # Mutants run in forks of one process, in which threads of OpenMP would be missing.
    session.run("mutmut", "run", *session.posargs, env={"OMP_NUM_THREADS": "1"})


@nox.session(python="3.11")
def lint(session: nox.Session) -> None:
    session.install("ruff==0.17.6")
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")


@nox.session(python="3.11")
def types(session: nox.Session) -> None:
    session.install("-e", ".[dev]")
    session.run("mypy", *session.posargs)


@nox.session(python="3.11")
def workflows(session: nox.Session) -> None:
    session.install("zizmor==1.32.0")
    session.run("zizmor", "--offline", ".", *session.posargs)


@nox.session(python="3.11")
def docs(session: nox.Session) -> None:
    # Its extra alone: the site needs neither the package nor torch.
    session.install(*PROJECT["optional-dependencies"]["docs"])
    session.run("mkdocs", "build", "--strict", *session.posargs)


@nox.session(python="3.11")
def build(session: nox.Session) -> None:
    session.install("build", "twine", "check-wheel-contents")
    target = Path(session.create_tmp()).resolve()
    session.run("python", "-m", "build", "--outdir", str(target))
    (wheel,) = target.glob("*.whl")
    (sdist,) = target.glob("*.tar.gz")
    session.run("twine", "check", "--strict", str(wheel), str(sdist))
    session.run("check-wheel-contents", str(wheel))
    missing = PACKAGE_DATA - set(zipfile.ZipFile(wheel).namelist())
    if missing:
        session.error(f"{wheel.name} lacks {', '.join(sorted(missing))}")
    tracked = session.run("git", "ls-files", external=True, silent=True, log=False)
    with tarfile.open(sdist) as archive:
        packed = {each.name.partition("/")[2] for each in archive if each.isfile()}
    other = packed ^ {*str(tracked).splitlines(), "PKG-INFO"}
    if other:
        session.error(f"{sdist.name} is not what is checked in: {', '.join(sorted(other))}")


@nox.session(python="3.11")
def consumer(session: nox.Session) -> None:
    # From the wheel, and out of the checkout: what the type checkers find is what a user has.
    session.install(".", f"torch=={CENTRE['torch']}", "mypy==2.4.1", "pyright==1.1.414")
    folder = Path(session.create_tmp()).resolve() / "consumer"
    shutil.copytree("tests/typing", folder, dirs_exist_ok=True)
    session.chdir(folder)
    session.run("mypy", "--strict", "--config-file=", "consumer.py")
    session.run("pyright")
