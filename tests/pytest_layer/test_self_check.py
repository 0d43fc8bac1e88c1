"""A torch that does not tell all, or that nobody has tried, under pytest."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pytest_compilecheck.observe import self_check, torch_adapter
from pytest_compilecheck.pytest_layer import installed
from pytest_compilecheck.pytest_layer.ending import header
from pytest_layer.projects import ONE_OF_TWO_BREAKS, Project, assert_shows

NIGHTLY = "2.16.0.dev20261101+cpu"
NO_MISS = "a cached graph did not serve a call, and torch told of no cache miss"


@pytest.fixture
def _no_misses(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """torch has no hook for cache misses any more, and no watch has begun yet."""
    monkeypatch.setattr(torch_adapter, "SET_GUARD_HOOK", None)
    self_check._prove.cache_clear()
    yield
    self_check._prove.cache_clear()


@pytest.mark.usefixtures("_no_misses")
def test_a_bound_on_what_is_unknown_fails_and_others_judge(project: Project) -> None:
    project.tests(ONE_OF_TWO_BREAKS)
    result = project.run("--compilecheck-json=report.json")
    result.assert_outcomes(failed=2)
    heading = "Some figures are unknown under this torch, and bounds on them fail:"
    assert_shows(
        result,
        f"? fallbacks, 0 allowed: {NO_MISS}*use torch 2.8 to",
        heading,
        f"fallbacks, hit rate: unknown, because {NO_MISS}",
    )
    assert result.stdout.str().count(heading) == 1
    broke, held = project.read_report()["contracts"]
    assert [each["bound"] for each in broke["violations"]] == ["max_graph_breaks", "fallback"]
    assert [each["observed"] for each in broke["violations"]] == [1, None]
    assert [each["bound"] for each in held["violations"]] == ["fallback"]
    assert held["observed"]["doubts"][0]["figures"] == ["fallbacks", "hit_rate"]
    assert {each["kind"] for each in held["observed"]["timeline"]} == {"compile", "unknown"}


@pytest.mark.usefixtures("_no_misses")
def test_an_audit_says_once_what_it_does_not_know(project: Project) -> None:
    project.tests(
        """
        @pytest.mark.parametrize("n", [1, 2])
        def test_it(n):
            torch.compile(lambda x: x + n, backend="eager")(torch.ones(2))
        """
    )
    result = project.run("--compilecheck-audit", check=False)
    result.assert_outcomes(passed=2)
    told = f"fallbacks, hit rate: unknown, because {NO_MISS}"
    assert result.stdout.str().count(told) == 1


@pytest.mark.usefixtures("_no_misses")
def test_no_baseline_is_written_from_what_is_unknown(project: Project) -> None:
    project.tests(ONE_OF_TWO_BREAKS)
    asked = "--compilecheck-baseline=known.yaml", "--compilecheck-update=all"
    project.run(*asked, "--compilecheck-update-in-ci").assert_outcomes(failed=2)
    known = project.path / "known.yaml"
    assert not known.exists() or "test_breaks" not in known.read_text()


def test_a_torch_that_tells_all_adds_no_line(project: Project) -> None:
    project.tests(ONE_OF_TWO_BREAKS)
    result = project.run("--compilecheck-json=report.json")
    result.assert_outcomes(passed=1, failed=1)
    assert "unknown" not in result.stdout.str()
    assert all(not each["observed"]["doubts"] for each in project.read_report()["contracts"])


def test_a_nightly_is_best_effort_and_says_so_once(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(header, "torch_build", lambda: NIGHTLY)
    project.tests(ONE_OF_TWO_BREAKS)
    told = f"torch {NIGHTLY} is newer than the newest that is known to work, so this run is best"
    result = project.run()
    assert_shows(result, f"compilecheck: {told} effort")
    assert result.stdout.str().count("best effort") == 1
    assert "best effort" not in project.run(check=False).stdout.str()


def test_an_old_torch_is_refused_where_it_would_be_watched(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installed, "version", lambda _: "2.7.1+cpu")
    project.tests(ONE_OF_TWO_BREAKS)
    result = project.run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*torch 2.7.1+cpu is too old*install torch 2.8 to *"])
    project.run(check=False).assert_outcomes(passed=2)
