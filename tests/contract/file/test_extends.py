from __future__ import annotations

import os
from pathlib import Path

import pytest
from contract.file.loading import assert_faults, load, load_faults, told

from pytest_compilecheck.contract.file.values import FileContract


def found(contracts: list[FileContract]) -> dict[str, FileContract]:
    return {contract.id: contract for contract in contracts}


BASE = "version: 1\ncontracts:\n"


def test_each_key_is_that_of_the_nearest() -> None:
    contracts = found(
        load(
            "version: 1\n"
            "defaults: {target: 'm:d', device: cpu, passes: 5, seed: 5}\n"
            "contracts:\n"
            "  _far: {target: 'm:far', passes: 4, call: far}\n"
            "  near: {extends: _far, target: 'm:near', seed: 3}\n"
            "  it: {extends: near, target: 'm:it'}\n"
        )
    )
    assert list(contracts) == ["near", "it"]
    target = contracts["it"].target
    assert (target.path, target.call, target.device) == ("m:it", "far", "cpu")
    made = contracts["it"].contract()
    assert (made.passes, made.seed) == (4, 3)


def test_null_takes_away_what_is_inherited() -> None:
    (contract,) = load(
        "version: 1\n"
        "defaults: {target: 'm:f', device: cpu, call: g, arguments: {a: 1}, skip: why}\n"
        "contracts: {it: {device: null, call: null, arguments: null, skip: null}}\n"
    )
    target = contract.target
    assert (target.device, target.call, target.arguments, contract.skip) == (None, None, None, None)


def test_a_key_is_taken_over_whole() -> None:
    contracts = found(
        load(
            f"{BASE}  a: {{target: 'm:f', keywords: {{x: 1, y: 2}}}}\n"
            "  b: {extends: a, keywords: {x: 3}}\n"
        )
    )
    assert list(contracts["b"].target.keywords) == ["x"]


def test_a_matrix_is_taken_over() -> None:
    ids = found(
        load(
            f"{BASE}  _a: {{target: 'm:f', matrix: {{dtype: [half, float]}}}}\n"
            "  b: {extends: _a}\n  c: {extends: _a, matrix: {seed: [1]}}\n"
            "  d: {extends: _a, matrix: null}\n"
        )
    )
    assert list(ids) == ["b[half]", "b[float]", "c[seed=1]", "d"]


def test_another_file(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "base.yaml").write_text(
        "version: 1\n"
        "defaults: {passes: 7, seed: 7, device: meta}\n"
        "contracts:\n"
        "  a: {target: 'm:far', seed: 6, extends: deep/other.yaml::b}\n"
    )
    (tmp_path / "deep" / "other.yaml").write_text(
        "version: 1\ndefaults: {threads: 2}\ncontracts:\n  b: {dims: {trace_file: sizes.csv}}\n"
    )
    (tmp_path / "deep" / "sizes.csv").write_text("B\n3\n4\n")
    (contract,) = load(
        "version: 1\n"
        "defaults: {device: cpu}\n"
        "contracts:\n  it: {extends: ../base.yaml::a, inputs: {x: B}}\n",
        tmp_path / "deep" / "it.yaml",
    )
    made = contract.contract()
    # What is extended, with the defaults of its own file, is nearer than the defaults of this one.
    assert (contract.target.path, contract.target.device) == ("m:far", "meta")
    assert (made.passes, made.seed, made.threads) == (7, 6, 2)
    # A trace file lies beside the file that names it.
    assert [step.dims for step in made.trace.steps] == [{"B": 3}, {"B": 4}]
    assert contract.places["seed"].file.endswith("base.yaml")


def test_the_nearest_wins_key_by_key(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text(
        "version: 1\n"
        "defaults: {passes: 2, seed: 2, threads: 2}\n"
        "contracts:\n"
        "  far: {passes: 3, seed: 3, inputs: {x: '3', y: '3'}}\n"
        "  near: {target: 'm:f', extends: far, seed: 4}\n"
    )
    (contract,) = load(
        "version: 1\n"
        "defaults: {passes: 1, seed: 1, threads: 1, max_graphs: 1, max_recompiles: 1}\n"
        "contracts:\n"
        "  it: {extends: base.yaml::near, max_graphs: null, inputs: {x: '5'}}\n",
        tmp_path / "it.yaml",
    )
    made = contract.contract()
    assert (made.threads, made.passes, made.seed) == (2, 3, 4)
    assert made.max_recompiles.value == 1
    assert made.max_graphs.value is None
    assert [list(step.inputs) for step in made.trace.steps] == [["x"]]


def test_unknown_names() -> None:
    assert_faults(
        f"{BASE}  prefill: {{target: 'm:f'}}\n"
        "  a: {extends: §prefil}\n  b: {extends: §other}\n  c: {extends: §5}\n",
        "extends: there is no contract 'prefil' (did you mean 'prefill'?)",
        "extends: there is no contract 'other'",
        "extends: expected 'name' or 'other.contract.yaml::name', got 5",
    )


def test_what_is_missing_where_the_base_is_missing_is_no_fault_of_its_own() -> None:
    assert_faults(
        f"{BASE}  a: {{extends: §base, dims: {{B: 1}}, passes: §0}}\n",
        "extends: there is no contract 'base'",
        "passes: expected a whole number, 1 or more, got 0",
    )


@pytest.mark.parametrize(
    ("contracts", "message"),
    [
        ("  a: {extends: §a}\n", "extends: goes round in a circle: a -> a"),
        (
            "  a: {extends: b}\n  b: {extends: c}\n  c: {extends: §a}\n",
            "extends: goes round in a circle: a -> b -> c -> a",
        ),
        (
            "  d: {extends: b}\n  b: {extends: c}\n  c: {extends: §b}\n",
            "extends: goes round in a circle: b -> c -> b",
        ),
    ],
)
def test_circles(contracts: str, message: str) -> None:
    assert_faults(BASE + contracts, message)


def test_a_circle_through_another_file(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(f"{BASE}  a: {{extends: 'b.yaml::b'}}\n")
    (tmp_path / "b.yaml").write_text(f"{BASE}  b: {{extends: 'a.yaml::a'}}\n")
    path = tmp_path / "a.yaml"
    faults = load_faults(path.read_text(), path)
    assert [fault.message for fault in faults] == ["extends: goes round in a circle: a -> b -> a"]


def test_levels() -> None:
    def chain(levels: int) -> str:
        lines = ["  c0: {target: 'm:f'}"]
        lines += [f"  c{n}: {{extends: c{n - 1}}}" for n in range(1, levels)]
        return BASE + "\n".join(lines)

    assert len(load(chain(64))) == 64
    assert told(load_faults(chain(65))) == ["4:17: extends: more than 64 levels"]


def test_faults_of_another_file_are_told_with_their_place_in_it(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text(
        f"{BASE}  a:\n    target: m:f\n    passes: 0\n    passes: 1\n  b: 5\n"
    )
    path = tmp_path / "it.yaml"
    text = f"{BASE}  it: {{extends: base.yaml::a, seed: x}}\n  two: {{extends: base.yaml::b}}\n"
    faults = load_faults(text, path)
    assert [(Path(f.place.file).name, f.place.line, f.message) for f in faults if f.place] == [
        ("base.yaml", 5, "passes: expected a whole number, 1 or more, got 0"),
        ("base.yaml", 6, "the key 'passes' is there twice, first in line 5"),
        (
            "base.yaml",
            7,
            "contracts['b']: expected a mapping such as {target: 'package.module:attr'}, got 5",
        ),
        ("it.yaml", 3, "seed: expected a whole number, got 'x'"),
    ]


def test_another_file_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("a: [")
    text = f"{BASE}  a: {{extends: gone.yaml::x}}\n  b: {{extends: bad.yaml::x}}\n"
    faults = load_faults(text + "  c: {extends: bad.yaml::y}\n", tmp_path / "it.yaml")
    assert [(Path(f.place.file).name, f.message) for f in faults if f.place] == [
        ("it.yaml", "extends: 'gone.yaml' cannot be read as a contract file"),
        ("it.yaml", "extends: 'bad.yaml' cannot be read as a contract file"),
        ("gone.yaml", "cannot be read: No such file or directory"),
        ("bad.yaml", "no YAML: the file ends inside a bracket that is not closed"),
    ]


def test_another_file_that_is_a_pipe(tmp_path: Path) -> None:
    """To open one waits for who writes to it: for ever, where nobody does."""
    os.mkfifo(tmp_path / "pipe.yaml")
    faults = load_faults(f"{BASE}  a: {{extends: pipe.yaml::x}}\n", tmp_path / "it.yaml")
    assert [fault.message for fault in faults] == ["extends: 'pipe.yaml' is no file"]


def test_an_unknown_contract_of_another_file(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text(f"{BASE}  prefill: {{target: 'm:f'}}\n")
    faults = load_faults(f"{BASE}  a: {{extends: base.yaml::prefil}}\n", tmp_path / "it.yaml")
    assert [fault.message for fault in faults] == [
        "extends: 'base.yaml' has no contract 'prefil' (did you mean 'prefill'?)"
    ]
