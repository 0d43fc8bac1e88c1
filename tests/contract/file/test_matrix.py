from __future__ import annotations

import pytest
from contract.file.loading import assert_faults, keys, load, load_faults, load_one, told


def ids(lines: str) -> list[str]:
    return [contract.id for contract in load(keys(lines))]


@pytest.mark.parametrize(
    ("matrix", "names"),
    [
        (
            "{dtype: [float32, bfloat16], dynamic: [null, true, false]}",
            (
                "float32-auto float32-dynamic float32-static bfloat16-auto bfloat16-dynamic"
                " bfloat16-static"
            ),
        ),
        ("{training: [true, false]}", "train eval"),
        ("{passes: [1, 2]}", "passes=1 passes=2"),
        ("{fullgraph: [false, true]}", "fullgraph=false fullgraph=true"),
        ("{keywords.a: [1, 2.5, null, x, [1], {b: 1}]}", "a=1 a=2.5 a=null x a4 a5"),
        ("{values.n: ['', 'a[b]', 'a\\b', ok]}", "n= n1 n2 ok"),
        ("{arguments.name: [" + "x" * 40 + ", " + "x" * 41 + "]}", "x" * 40 + " name1"),
        ("{skip: [null, why]}", "skip=null why"),
        ("{max_graph_breaks: [0, {'<3': 1, '>=3': 0}]}", "max_graph_breaks=0 max_graph_breaks1"),
        ("{keywords.a: [1, true, 1.0, '1']}", "a=1 a=true a=1.0 1"),
        ("{keywords.a: [x, y], keywords.b: [x, y]}", "x-x x-y y-x y-y"),
        # What would be one name is told apart by its number.
        ("{keywords.a: [x-y, x], keywords.b: [z, y-z]}", "x-y-z-0 x-y-y-z-1 x-z-2 x-y-z-3"),
    ],
)
def test_names_of_cells(matrix: str, names: str) -> None:
    assert ids(f"matrix: {matrix}") == [f"it[{name}]" for name in names.split()]


def test_a_cell_sets_its_keys() -> None:
    contracts = load(
        keys(
            """
            seed: 1
            inputs: {x: "4"}
            matrix: {dtype: [float16, float64], seed: [5], inputs: [{x: "8"}]}
            """
        )
    )
    assert [contract.target.dtype for contract in contracts] == ["float16", "float64"]
    steps = [contract.contract().trace.steps[0] for contract in contracts]
    assert [step.sizes() for step in steps] == [{"x": (8,)}, {"x": (8,)}]
    # The dtype of a cell is that of the inputs in it.
    assert [step.inputs["x"].dtype for step in steps] == [  # type: ignore[union-attr]
        "float16",
        "float64",
    ]
    assert [contract.contract().seed for contract in contracts] == [5, 5]


def test_a_dotted_key_sets_a_part_and_leaves_the_others() -> None:
    contracts = load(
        keys(
            """
            keywords: {a: 1, b: 2}
            values: {n: 5}
            matrix: {keywords.a: [10, 20], arguments.c: [{make: "m:C"}], values.n: [[1, 2]]}
            """
        )
    )
    target = contracts[1].target
    assert {name: getattr(made, "value", made) for name, made in target.keywords.items()} == {
        "a": 20,
        "b": 2,
    }
    assert target.arguments is not None
    assert type(target.arguments["c"]).__name__ == "MadeObject"
    assert len(contracts[0].contract().trace.steps) == 2


def test_parts_of_a_key_that_is_inherited() -> None:
    (contract,) = load(
        "version: 1\ndefaults: {target: 'm:f', keywords: {b: 2}}\n"
        "contracts: {it: {matrix: {keywords.a: [1]}}}\n"
    )
    assert list(contract.target.keywords) == ["b", "a"]


def test_a_fault_in_a_value_lies_at_it() -> None:
    assert_faults(
        "version: 1\ncontracts:\n  it:\n    target: m:f\n"
        "    matrix: {dtype: [float32, §float33], passes: [§0, 1, §0.5],"
        " keywords.a: [{make: §5}]}\n",
        "dtype: dtype 'float33' is unknown (did you mean 'float32'?)",
        "passes: expected a whole number, 1 or more, got 0",
        "passes: expected a whole number, 1 or more, got 0.5",
        "keywords['a']['make']: expected 'package.module:attr', got 5",
    )


def test_a_fault_between_a_value_and_the_rest_lies_at_it() -> None:
    assert_faults(
        "version: 1\ncontracts:\n  it:\n    target: m:f\n    inputs: {x: B}\n"
        "    matrix: {dims: [{B: 1}, {B: 1, §C: 2}], backend: [inductor, eager],"
        " max_kernels: [§5]}\n",
        "dims: no shape uses the dim 'C'",
        "max_kernels: the backend 'eager' generates no kernels: name backend: 'inductor'",
    )


def test_what_is_wrong_with_a_matrix() -> None:
    assert_faults(
        "version: 1\ncontracts:\n  it:\n    target: m:f\n"
        "    matrix:\n      §dtypes: [half]\n      §arguments: [{}]\n      §call: [f]\n"
        "      §keywords.a b: [1]\n      passes: §1\n      seed: §[]\n"
        "      training: §[true, true]\n"
        "      values: [{n: 1}]\n      §values.n: [1]\n",
        "matrix: 'dtypes' is no key of a contract (did you mean 'dtype'?)",
        "matrix: 'arguments' is not changed by a matrix: name a part of it, as arguments.NAME",
        "matrix: 'call' is not changed by a matrix",
        "matrix: 'keywords.a b': 'a b' is no name of an argument: a name has letters, digits and _",
        "matrix['passes']: expected a list of values, got 1",
        "matrix['seed']: expected a list of values, got []",
        "matrix['training']: true is there twice",
        "matrix: 'values.n' is a part of 'values', which is there too: leave one of them out",
    )


@pytest.mark.parametrize("matrix", ["5", "[]", "{}"])
def test_what_is_no_matrix(matrix: str) -> None:
    assert told(load_faults(keys(f"matrix: {matrix}"))) == [
        f"5:13: matrix: expected a mapping such as {{dtype: [float32, bfloat16]}}, got {matrix}"
    ]


def test_no_matrix() -> None:
    assert load_one("matrix: null").id == "it"


def test_how_many_combinations_there_may_be() -> None:
    def matrix(*lengths: int) -> str:
        axes = [f"keywords.k{at}: {list(range(length))}" for at, length in enumerate(lengths)]
        return keys(f"matrix: {{{', '.join(axes)}}}")

    assert len(load(matrix(10, 100))) == 1000
    assert told(load_faults(matrix(11, 100))) == [
        "5:13: matrix: has 1,100 combinations, more than 1,000: write several contracts"
    ]
    assert told(load_faults(matrix(1001))) == [
        "5:27: matrix['keywords.k0']: has 1,001 values, more than 1,000: write several contracts"
    ]
    # They are counted before any is made.
    assert "has 10,000,000,000,000,000 combinations" in told(load_faults(matrix(*[100] * 8)))[0]


def test_how_many_contracts_a_file_may_have() -> None:
    values = list(range(600))
    text = (
        f"version: 1\ncontracts:\n  _a: {{target: 'm:f', matrix: {{seed: {values}}}}}\n"
        "  b: {extends: _a}\n"
    )
    assert len(load(text)) == 600
    assert told(load_faults(f"{text}  c: {{extends: _a}}\n")) == [
        "5:3: with this one the file has more than 1,000 contracts"
    ]


def test_what_is_for_extends_alone_is_checked_and_not_counted() -> None:
    bases = "".join(
        f"  _{at}: {{target: 'm:f', matrix: {{seed: {list(range(900))}}}}}\n" for at in range(5)
    )
    assert load(f"version: 1\ncontracts:\n{bases}") == []
    assert_faults(
        "version: 1\ncontracts:\n  _a: {matrix: {seed: [1, §x]}, passes: §0}\n",
        "seed: expected a whole number, got 'x'",
        "passes: expected a whole number, 1 or more, got 0",
    )
