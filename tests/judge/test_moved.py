from __future__ import annotations

from collections import Counter

from pytest_compilecheck.judge.findings import Finding
from pytest_compilecheck.judge.moved import Moved, moved


def found(cause: str = "GB1", function: str = "f", **fields: str) -> Finding:
    return Finding(
        **{
            "contract": "c",
            "kind": "graph_break",
            "file": "a.py",
            "function": function,
            "cause": cause,
            **fields,
        }
    )


def pairs(
    gone: Finding, new: Finding, code: str = "x()", other: str = "x()", *, reworded: bool = True
) -> list[Moved]:
    lines = {gone: frozenset([code])}, {new: frozenset([other])}
    return moved(Counter([gone]), Counter([new]), *lines, reworded=reworded)


def test_torch_says_it_in_other_words() -> None:
    one, other = found("GB1"), found("GB2")
    assert pairs(one, other) == [Moved(one, other, 1)]
    assert pairs(one, other, other="y()") == [Moved(one, other, 1)]  # the same function
    elsewhere = found("GB2", function="g")
    assert pairs(one, elsewhere) == [Moved(one, elsewhere, 1)]
    assert pairs(one, elsewhere, other="y()") == []
    assert pairs(one, elsewhere, code="", other="") == []
    assert pairs(one, found("GB2", file="b.py")) == []


def test_under_one_torch_another_cause_is_another_break() -> None:
    assert pairs(found("GB1"), found("GB2"), reworded=False) == []


def test_a_line_that_stands_in_another_function_or_file() -> None:
    one, other = found(function="f"), found(function="g", file="b.py")
    assert pairs(one, other, reworded=False) == [Moved(one, other, 1)]
    assert pairs(one, other, other="y()", reworded=False) == []


def test_only_breaks_of_one_contract_move() -> None:
    assert pairs(found("GB1"), found("GB2", contract="d")) == []
    assert pairs(found("shape", kind="recompile"), found("rank", kind="recompile")) == []
    assert pairs(found("GB1"), found("GB1", kind="recompile")) == []


def test_the_surest_pair_comes_first_and_nothing_moves_twice() -> None:
    gone = found("GB1")
    same_line, same_function = found("GB2", function="g"), found("GB3")
    lines = {same_line: frozenset(["x()"]), same_function: frozenset(["y()"])}
    found_pairs = moved(
        Counter({gone: 2}),
        Counter({same_line: 1, same_function: 3}),
        {gone: frozenset(["x()"])},
        lines,
        reworded=True,
    )
    assert found_pairs == [Moved(gone, same_function, 1), Moved(gone, same_line, 1)]


def test_the_same_cause_is_surer_than_other_words_for_it() -> None:
    gone = found("GB2", function="f")
    other_words, same_cause = found("GB1", function="f"), found("GB2", function="g")
    lines = dict.fromkeys((gone, other_words, same_cause), frozenset(["x()"]))
    new = Counter([other_words, same_cause])
    assert moved(Counter([gone]), new, lines, lines, reworded=True) == [Moved(gone, same_cause, 1)]
