from __future__ import annotations

from report.values import change, fallback, observation, recompile, record, site

from pytest_compilecheck.judge.findings import Finding, findings

CONTRACT = "tests/test_mlp.py::test_mlp"


def test_where_nothing_ran_nothing_is_found() -> None:
    assert findings(record()) == {}


def test_a_break_site_is_known_by_its_function_and_id_not_its_line() -> None:
    seen = observation(
        break_sites=(
            site(line=3, events=9),
            site(line=30, column=None),
            site(function="outer"),
            site(gb_id=None, reason="Call to print"),
        )
    )
    assert findings(record(observed=seen)) == {
        Finding(CONTRACT, "graph_break", "model/mlp.py", "inner", "GB0170"): 2,
        Finding(CONTRACT, "graph_break", "model/mlp.py", "outer", "GB0170"): 1,
        Finding(CONTRACT, "graph_break", "model/mlp.py", "inner", "Call to print"): 1,
    }


def test_recompiles_are_counted_as_a_person_counts_them_by_function_and_cause() -> None:
    step = (change(cause="python_value", source="self.step"),)
    seen = observation(
        recompile_events=(
            recompile(call=1, code_object=0),
            recompile(call=1, code_object=1, line=12),  # another piece of the same function
            recompile(call=2, code_object=0),
            recompile(call=2, code_object=0, changes=step),
            recompile(call=2, code_object=2, function="helper"),
        )
    )
    assert findings(record(observed=seen)) == {
        Finding(CONTRACT, "recompile", "model/mlp.py", "forward", "shape"): 2,
        Finding(CONTRACT, "recompile", "model/mlp.py", "forward", "python_value"): 1,
        Finding(CONTRACT, "recompile", "model/mlp.py", "helper", "shape"): 1,
    }


def test_a_fallback_may_have_no_place() -> None:
    nowhere = fallback(kind="disabled", function=None, file=None, line=None)
    seen = observation(fallbacks=(fallback(), fallback(line=90), nowhere))
    assert findings(record(observed=seen)) == {
        Finding(CONTRACT, "fallback", "model/mlp.py", "forward", "recompile_limit"): 2,
        Finding(CONTRACT, "fallback", "", "", "disabled"): 1,
    }


def test_what_the_contract_excuses_is_no_finding() -> None:
    seen = observation(
        break_sites=(site(), site(function="kept")),
        recompile_events=(recompile(), recompile(function="kept")),
        fallbacks=(fallback(), fallback(function="kept")),
    )
    excused = {"excused_sites": (0,), "excused_recompiles": (0,), "excused_fallbacks": (0,)}
    found = findings(record(observed=seen, verdict=excused))
    assert [finding.function for finding in found.elements()] == ["kept"] * 3


def test_contracts_and_blocks_of_a_test_are_told_apart() -> None:
    seen = observation(break_sites=(site(),))
    records = record(observed=seen), record(observed=seen, part="watch 1")
    contracts = [finding.contract for each in records for finding in findings(each)]
    assert contracts == [CONTRACT, f"{CONTRACT} (watch 1)"]
