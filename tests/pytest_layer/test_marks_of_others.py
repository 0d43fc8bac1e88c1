"""Marks, decorators and fixtures of pytest and of others beside a contract."""

from __future__ import annotations

from typing import Any

from pytest_layer.projects import Project


def by_name(report: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {each["id"].partition("::")[2]: each for each in report["contracts"]}


def test_skip_and_xfail(project: Project) -> None:
    project.tests(
        """
        from pytest_compilecheck.judge.violation import ContractViolation

        def breaking(x):
            print()
            return x + 1

        @pytest.mark.skip
        @compile_contract(shapes=[(2, 8)])
        def test_skip(x):
            return breaking(x)

        @pytest.mark.skipif("True", reason="as asked")
        @compile_contract(shapes=[(2, 8)])
        def test_skipif(x):
            return breaking(x)

        @pytest.mark.xfail(strict=True)
        @compile_contract(shapes=[(2, 8)])
        def test_xfail(x):
            return breaking(x)

        @pytest.mark.xfail(raises=ContractViolation, strict=True)
        @compile_contract(shapes=[(2, 8)])
        def test_violation_expected(x):
            return breaking(x)

        @pytest.mark.xfail(raises=ContractViolation, strict=True)
        @compile_contract(shapes=[(2, 8)])
        def test_another_error(x):
            y = x + 1
            raise ValueError

        @pytest.mark.xfail(raises=ContractViolation, strict=True)
        @compile_contract(shapes=[(2, 8)])
        def test_unexpected_pass(x):
            return x + 1

        @pytest.mark.xfail(run=False)
        @compile_contract(shapes=[(2, 8)])
        def test_not_run(x):
            return breaking(x)
        """
    )
    contracts = by_name(project.report(outcomes={"skipped": 2, "xfailed": 3, "failed": 2}))
    assert {name: contract["outcome"] for name, contract in contracts.items()} == {
        "test_skip": "skipped",
        "test_skipif": "skipped",
        "test_xfail": "xfailed",
        "test_violation_expected": "xfailed",
        "test_another_error": "failed",
        "test_unexpected_pass": "failed",
        "test_not_run": "xfailed",
    }
    seen = {name for name, contract in contracts.items() if contract["observed"] is not None}
    assert seen == set(contracts) - {"test_skip", "test_skipif", "test_not_run"}


def test_marks_and_fixtures_of_others(project: Project) -> None:
    project.file("pytest.ini", "[pytest]\nmarkers = slow\n")
    project.tests(
        """
        from unittest import mock

        class Config:
            scale = 1

        @pytest.mark.slow
        @pytest.mark.timeout(60)
        @pytest.mark.usefixtures("tmp_path")
        @pytest.mark.filterwarnings("error")
        @compile_contract(shapes=[(2, 8)])
        def test_marks(x):
            return x + 1

        @compile_contract(shapes=[(2, 8)], compiles="model")
        @mock.patch.object(Config, "scale", 3)
        def test_patched(model, x):
            assert model(x).shape == (2, 8)
            assert Config.scale == 3

        @compile_contract(shapes={"x": [(2, 8)]}, compiles="model")
        @mock.patch.object(Config, "scale")
        def test_patched_with_an_argument(scale, model, x):
            model(x)
            assert Config.scale is scale

        @pytest.fixture
        def model():
            return torch.nn.ReLU()

        @pytest.fixture(autouse=True)
        def around():
            yield

        @compile_contract(shapes=[(2, 8)], compiles="model", passes=1)
        def test_capture(model, capsys, caplog, recwarn, monkeypatch, x):
            import logging, warnings

            print("said")
            logging.getLogger("mine").warning("logged")
            warnings.warn("warned")
            model(x)
            assert capsys.readouterr().out == "said\\n"
            assert caplog.messages[-1:] == ["logged"]
            assert "warned" in [str(warning.message) for warning in recwarn]
        """
    )
    result = project.run("--strict-markers")
    result.assert_outcomes(passed=4)
    project.run("-m", "slow").assert_outcomes(passed=1, deselected=3)
