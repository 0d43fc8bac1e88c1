from __future__ import annotations

from report.values import change, entry, fallback, observation, recompile, site

from pytest_compilecheck.contract.file.document import read_document
from pytest_compilecheck.contract.file.load import load_contracts
from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.report.suggested.contract_file import contract_file
from pytest_compilecheck.report.suggested.seen_bounds import SeenBound, seen_bounds

FIELDS = {
    "target": "models:MLP",
    "call": "forward",
    "inputs": {"x": "B S"},
    "dims": {"B": 1, "S": 2},
}
SEEN = observation(
    break_sites=(site(reason="a\u2028 'reason'\x00: # \u202e", gb_id=None), site(line=20)),
    recompiles=1,
    recompile_events=(recompile(changes=(change(automatic_dynamic=True), change(source="a.b"))),),
    fallbacks=(fallback(),),
    timeline=(entry(0, "compile"), entry(1, "recompile")),
)


def test_the_file_says_what_was_given_and_what_holds() -> None:
    bounds = seen_bounds(Contract(), SEEN, "2.13.0")
    text = contract_file("mlp", FIELDS, bounds, ["Written by hand.", "word " * 40])
    data = text.encode()
    (contract,) = load_contracts("it.contract.yaml", data).contracts
    assert contract.id == "mlp"
    assert contract.contract().max_graph_breaks.value == 0
    written = read_document("it.contract.yaml", data).contracts["mlp"].values
    expected = {bound.name: bound.value for bound in bounds if bound.value is not None}
    assert {name: each.value for name, each in written.items()} == {**FIELDS, **expected}
    assert max(map(len, text.splitlines())) <= 100


def test_comments_stand_beside_a_bound_or_above_it() -> None:
    bounds = [
        SeenBound("max_graphs", 2, "with 41 operations"),
        SeenBound("max_recompiles", 0, "long " * 25),
        SeenBound("allow_breaks", [{"gb_id": "GB1", "because": "b"}], "to do", (("one", "two"),)),
        SeenBound("min_hit_rate", None, "unknown"),
    ]
    text = contract_file("mlp", {"target": "a:b"}, bounds, ["Head."])
    assert (
        text
        == f"""\
# Head.
version: 1
contracts:
  mlp:
    target: a:b

    max_graphs: 2  # with 41 operations
    # {" ".join(["long"] * 19)}
    #   {" ".join(["long"] * 6)}
    max_recompiles: 0
    allow_breaks:  # to do
      # one
      # two
      - {{gb_id: GB1, because: b}}
    # no min_hit_rate: unknown
"""
    )
