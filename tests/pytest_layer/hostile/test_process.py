"""Code that changes the process around the watch: processes, files, streams, the clock."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from pytest_layer.hostile.cases import Case, hold_cases
from pytest_layer.projects import Project

SIZES = 'shapes={"x": "B"}, dims={"B": [3, 4]}, max_recompiles=1'
USUAL = {"graphs": 2, "recompiles": 1, "kinds": ["compile", "recompile", "hit", "hit"]}


def compiled(statement: str, fixtures: str = "", *, outcome: str = "passed") -> Case:
    """A test that runs a statement, and the model, in each step."""
    return Case(
        f"""
        @compile_contract({SIZES}, compiles="model")
        def test_it({fixtures}model, x):
            {statement}
            model(x)
        """,
        outcome,
        figures=USUAL,
    )


PROCESSES = {
    "a fork that compiles": compiled(
        """
            child = os.fork()
            if child == 0:
                try:
                    model(torch.ones(7, 7))
                finally:
                    os._exit(0)
            assert os.waitpid(child, 0)[1] == 0"""
    ),
    "a fork in a call": Case(
        f"""
        @torch.compiler.disable
        def fork():
            child = os.fork()
            if child == 0:
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0

        @compile_contract({SIZES}, max_graph_breaks=1)
        def test_it(x):
            y = x + 1
            fork()
            return y * 2
        """,
        "passed",
        figures={**USUAL, "graphs": 4},
    ),
    "a process that is spawned": compiled(
        """
            import multiprocessing
            child = multiprocessing.get_context("spawn").Process(target=os.getpid)
            if len(x) == 3:
                child.start()
                child.join(60)
                assert child.exitcode == 0"""
    ),
}

PLACES = {
    "another directory": compiled("os.chdir('/')"),
    "a directory that is gone": compiled(
        """
            place = tmp_path / "gone"
            place.mkdir()
            os.chdir(place)
            place.rmdir()""",
        "tmp_path, ",
    ),
    "a break in a directory that is gone": Case(
        f"""
        @pytest.fixture
        def gone(tmp_path):
            os.chdir(tmp_path)
            tmp_path.rmdir()

        @compile_contract({SIZES})
        def test_it(gone, x):
            print("break")
            return x + 1
        """,
        "failed",
        "graph breaks (sites): 1, at most 0 allowed",
        {**USUAL, "breaks": [("test_it", "GB0059")]},
    ),
    "no path to import from": compiled("monkeypatch.setattr(sys, 'path', [])", "monkeypatch, "),
}

RUNTIME = {
    "no garbage collector": compiled("gc.disable(); gc.freeze()"),
    "no streams": compiled("sys.stdout = sys.stderr = None"),
    "closed streams": Case(
        f"""
        @compile_contract({SIZES}, compiles="model")
        def test_it(monkeypatch, model, x):
            monkeypatch.setattr(sys, "stdout", io.StringIO())
            monkeypatch.setattr(sys, "stderr", sys.stdout)
            model(x)
            sys.stdout.close()
        """,
        "passed",
        figures=USUAL,
    ),
    "a clock that stands still": Case(
        f"""
        @compile_contract({SIZES}, compiles="model", max_compile_seconds=0.0001)
        def test_it(monkeypatch, model, x):
            monkeypatch.setattr(time, "perf_counter", lambda: 5.0)
            monkeypatch.setattr(time, "time", lambda: 5.0)
            model(x)
        """,
        "failed",
        "seconds spent compiling",
        USUAL,
    ),
    "a print that does nothing": Case(
        f"""
        @pytest.fixture
        def silent(monkeypatch):
            monkeypatch.setattr(builtins, "print", lambda *words: None)

        @compile_contract({SIZES})
        def test_it(silent, x):
            print("no break")
            return x + 1
        """,
        "passed",
        figures=USUAL,
    ),
    "nothing that can be opened": Case(
        f"""
        @pytest.fixture
        def closed(monkeypatch):
            def refuse(*args, **options):
                raise OSError("closed")
            linecache.clearcache()
            monkeypatch.setattr(builtins, "open", refuse)
            monkeypatch.setattr(io, "open", refuse)

        @compile_contract({SIZES})
        def test_it(closed, x):
            print("break")
            return x + 1
        """,
        "failed",
        "InternalTorchDynamoError: OSError: closed",
    ),
}


@pytest.fixture
def _collecting() -> Iterator[None]:
    yield
    gc.enable()
    gc.unfreeze()


@pytest.mark.slow
def test_processes(project: Project) -> None:
    hold_cases(project, PROCESSES)


def test_directories(project: Project) -> None:
    hold_cases(project, PLACES)


@pytest.mark.slow
@pytest.mark.usefixtures("_collecting")
def test_the_runtime(project: Project) -> None:
    hold_cases(project, RUNTIME)
