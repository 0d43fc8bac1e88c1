"""Whole files: their contracts, and all of their faults at once, in order."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from contract.file.loading import assert_faults, keys, load, load_faults, load_one

from pytest_compilecheck.contract.faults import ContractError
from pytest_compilecheck.contract.file.load import load_contracts
from pytest_compilecheck.contract.file.values import Target
from pytest_compilecheck.contract.trace.inputs import MadeObject, PythonValue


def test_a_contract_with_all_of_its_target() -> None:
    contract = load_one(
        """
        arguments: {config: {make: "m:Config", arguments: {width: 8}}, n: 1}
        call: encode
        keywords: {use_cache: false}
        dtype: half
        device: cpu
        training: true
        """
    )
    assert contract.target == Target(
        path="m:f",
        arguments={
            "config": MadeObject("m:Config", {"width": PythonValue(8)}),
            "n": PythonValue(1),
        },
        call="encode",
        keywords={"use_cache": PythonValue(False)},
        dtype="float16",
        device="cpu",
        training=True,
    )


def test_a_contract_of_a_target_alone() -> None:
    contract = load_one("")
    assert contract.target == Target(path="m:f")
    assert (contract.id, contract.name, contract.cell) == ("it", "it", None)
    assert (contract.place.line, contract.place.column) == (3, 3)


def test_arguments_that_are_empty_are_not_none() -> None:
    assert load_one("arguments: {}").target.arguments == {}
    assert load_one("arguments: null").target.arguments is None


def test_every_field_of_a_contract_is_read() -> None:
    made = load_one(
        """
        passes: 3
        backend: inductor
        mode: max-autotune
        dynamic: false
        max_graph_breaks: 2
        allow_recompiles: [automatic_dynamic]
        max_memory_growth: 20 MB
        match_eager: true
        owners: [own]
        """
    ).contract()
    assert (made.passes, made.backend) == (3, "inductor")
    assert made.torch_options == {"mode": "max-autotune", "dynamic": False}
    assert made.max_graph_breaks.value == 2
    assert made.max_memory_growth.value == 20_000_000
    assert made.allow_recompiles[0].automatic_dynamic
    assert (made.match_eager, made.owners) == (True, ("own",))


def test_contracts_are_in_the_order_of_the_file() -> None:
    text = "version: 1\ncontracts:\n  b: &b {target: 'm:f'}\n  _x: {}\n  a: *b\n  c: {<<: *b}\n"
    assert [contract.id for contract in load(text)] == ["b", "a", "c"]


def test_a_file_of_bases_alone_has_no_contracts() -> None:
    assert load("version: 1\ncontracts: {_a: {seed: 1}}") == []


def test_places_of_the_keys() -> None:
    places = load_one("call: encode\narguments: {a: 1}").places
    assert {key: (place.line, place.column) for key, place in places.items()} == {
        "target": (4, 13),
        "call": (5, 11),
        "arguments": (6, 16),
    }


def test_a_file_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "a.contract.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + keys("seed: 3").replace("\n", "\r\n").encode())
    found = load_contracts(path)
    assert found.path == str(path)
    assert [contract.contract().seed for contract in found.contracts] == [3]


def test_a_target_is_needed() -> None:
    assert_faults(
        "version: 1\ndefaults: {seed: 1}\ncontracts:\n  §a: {}\n  §b: {call: f}\n  _c: {}\n",
        "contracts['a']: target: is missing: name what is compiled, as package.module:attr",
        "contracts['b']: target: is missing: name what is compiled, as package.module:attr",
    )


def test_faults_of_keys_that_fields_of_the_decorator_have() -> None:
    assert_faults(
        "version: 1\ncontracts:\n  a:\n    target: m:f\n"
        "    §shapes: {x: B}\n    §compiles: model\n",
        "shapes: a file has what is made under inputs: write inputs: {x: 'B S 64'}",
        "compiles: in a file the target is what is compiled: name it under target",
    )


SHAPE = "expected a shape such as 'B S 64' or [8, 64]"
VALUE = "for a Python value write"


def test_all_faults_of_a_file_at_once_in_order() -> None:
    assert_faults(
        "version: 1\n"
        "defaults: {passes: §0, §extends: a}\n"
        "contracts:\n"
        "  a:\n"
        "    target: §m.f\n"
        "    §trainign: true\n"
        "    call: §a b\n"
        "    dims: {B: §x}\n"
        "    inputs: {x: §'B*', y: [§5.5, B]}\n"
        "    seed: 1\n"
        "    §seed: §!x 2\n"
        "  b:\n"
        "    extends: a\n"
        "    dtype: §int8\n"
        "    max_graphs: {§a: 1, '>1': §-1}\n"
        "    rtol: §0.1\n",
        "passes: expected a whole number, 1 or more, got 0",
        "extends: stands in a contract, not in defaults",
        "target: expected 'm:f', with a colon, got 'm.f'",
        "trainign: a contract has no such key (did you mean 'training'?)",
        "call: expected the name of a method such as 'forward', got 'a b'",
        "dims['B']: expected a whole number, 0 or more, got 'x'",
        "inputs['x']: 'B*' in 'B*' is neither a size nor a dim name",
        f"inputs['y'][0]: {SHAPE}, got 5.5: {VALUE} {{value: 5.5}}",
        "the key 'seed' is there twice, first in line 10",
        "the tag !x means nothing here: leave it out",
        "dtype: a module cannot be made int8: name a floating or complex dtype",
        "max_graphs: 'a' is no version specifier: write e.g. '<2.14' or '>=2.12,<2.14'",
        "max_graphs['>1']: expected a whole number, 0 or more, got -1",
        "rtol: does nothing without match_eager: true",
    )


def test_what_is_probably_meant_by_a_key() -> None:
    assert_faults(
        "version: 1\ncontracts:\n  a:\n    target: m:f\n"
        "    §args: {}\n    §kwargs: {}\n    §parametrize: {}\n    §colour: 1\n"
        "    §call:{a: 1}\n    inputs:\n    §ids: B S\n    §mask: B S\n    seed: 1\n    §odd: 1\n",
        "args: a contract has no such key (did you mean 'arguments'?)",
        "kwargs: a contract has no such key (did you mean 'keywords'?)",
        "parametrize: a contract has no such key (did you mean 'matrix'?)",
        "colour: a contract has no such key",
        "call:{a: a contract has no such key: a blank is missing after 'call:'",
        "ids: a contract has no such key: indent it below 'inputs', if it is a part of that",
        "mask: a contract has no such key: indent it below 'inputs', if it is a part of that",
        "odd: a contract has no such key",
    )


def test_a_fault_is_told_once_whoever_takes_it_over() -> None:
    assert_faults(
        "version: 1\ndefaults: {seed: §x}\ncontracts:\n"
        "  _a: {target: 'm:f', passes: §0, inputs: {x: §B}}\n"
        "  b: {extends: _a}\n  c: {extends: _a, matrix: {dtype: [half, float]}}\n",
        "seed: expected a whole number, got 'x'",
        "passes: expected a whole number, 1 or more, got 0",
        "inputs: the dim 'B' of inputs['x'] has no size in dims: write e.g. dims: {'B': 8}",
    )


def test_of_a_faulty_field_its_combinations_are_not_told() -> None:
    assert_faults(
        "version: 1\ncontracts:\n  a: {target: 'm:f', match_eager: §off, rtol: 0.1,"
        " max_kernels: §5}\n",
        "match_eager: expected true or false, got 'off' (plain off is a text in YAML 1.2:"
        " write false)",
        "max_kernels: the backend 'eager' (the default) generates no kernels:"
        " name backend: 'inductor'",
    )


def test_a_fault_of_a_text_lies_at_it() -> None:
    assert_faults(
        keys(
            """
            allow_breaks: [{because: x, owner: §me}]
            allow_recompiles: [{cause: §shpe, because: x}]
            owners: [own, §me]
            inputs: {x: B}
            dims: {B: [1, 2]}
            dynamic_dims: [B, §Q]
            """
        ),
        "allow_breaks[0]: 'me' is no owner (owners are own, third_party, torch)",
        "allow_recompiles[0]: 'shpe' is no cause (did you mean 'shape'?)",
        "owners: 'me' is no owner (owners are own, third_party, torch)",
        "dynamic_dims: 'Q' is no dim of the trace: it takes names from dims",
    )


def test_a_faulty_default_of_the_inputs_is_told_once() -> None:
    assert_faults(
        keys("device: §5\ndtype: §int8\ninputs: {x: '4', y: ['4', '4']}"),
        "device: expected a name in quotes, got 5",
        "dtype: a module cannot be made int8: name a floating or complex dtype",
    )


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("backend: inductor\n§options: {}\nmode: x", None),
        (
            "backend: inductor\noptions: §{a: 1}\nmode: x",
            "options: torch.compile takes mode or options, not both: leave one out",
        ),
        (
            "warmup_calls: §2",
            "warmup_calls: does nothing alone: add max_recompiles_after_warmup: 0",
        ),
        (
            "watch_only: true\nbackend: §eager",
            "backend: goes to torch.compile, and watch_only compiles nothing: leave one out",
        ),
        (
            "inputs: {x: B}\ndims: {B: 1}\ndynamic_dims: [§B]",
            (
                "dynamic_dims: 'B' has one size in the whole trace, so it is never seen to be"
                " dynamic: give it two or more in dims"
            ),
        ),
        ("seed: §!!int x", "'x' does not fit its tag !!int"),
    ],
)
def test_combinations(lines: str, message: str | None) -> None:
    text = keys(lines)
    if message is None:
        assert load_faults(text.replace("§", ""))
    else:
        assert_faults(text, message)


def test_the_text_of_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = textwrap.dedent(
        """\
        # -*- coding: latin-1 -*-
        version: 1
        contracts:
          prefill:  # 漢字 \N{GRINNING FACE}
            target: m:f
            keywords: {名: é, "\N{GRINNING FACE}": 1}
            inputs: {长度: "B S", x:\t5}
            dims: {B: 1, S: [128, 129.5]}
        """
    ).replace("\n", "\r\n")
    Path("a.contract.yaml").write_bytes(text.encode())
    with pytest.raises(ContractError) as caught:
        load_contracts("a.contract.yaml")
    assert str(caught.value).splitlines() == [
        "3 faults in the compile contract of a.contract.yaml",
        (
            "  a.contract.yaml:6:22: keywords: '\N{GRINNING FACE}' is no name of an argument:"
            " a name has letters, digits and _"
        ),
        '      keywords: {名: é, "\N{GRINNING FACE}": 1}',
        "                        ^",
        f"  a.contract.yaml:7:28: inputs['x']: {SHAPE}, got 5: {VALUE} {{value: 5}}",
        '      inputs: {长度: "B S", x: 5}',
        "                               ^",
        "  a.contract.yaml:8:27: dims['S'][1]: expected a whole number, 0 or more, got 129.5",
        "      dims: {B: 1, S: [128, 129.5]}",
        "                            ^",
    ]


def test_the_line_shown_is_that_of_the_bytes_that_were_read(tmp_path: Path) -> None:
    path = tmp_path / "a.contract.yaml"
    path.write_text("something else\n" * 9)
    with pytest.raises(ContractError) as caught:
        load_contracts(path, keys("passes: 0").encode())
    assert str(caught.value).splitlines()[2:] == ["      passes: 0", "              ^"]
