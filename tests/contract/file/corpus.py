"""Values of every key of a contract file: those that are right by themselves, and others.

Each is written as YAML. Where a value needs other keys beside it, these stand in `BESIDE`.
"""

from __future__ import annotations

from collections.abc import Mapping

BESIDE: Mapping[str, str] = {
    "mode": "backend: inductor",
    "options": "backend: inductor",
    "max_recompiles_after_warmup": "warmup_calls: 1",
    "warmup_calls": "max_recompiles_after_warmup: 0",
    "max_kernels": "backend: inductor",
    "dynamic_dims": "inputs: {x: 'B S'}\ndims: {B: [1, 2], S: [3, 4]}",
    "rtol": "match_eager: true\natol: 0.1",
    "atol": "match_eager: true\nrtol: 0.1",
    "match_eager": "rtol: 0.1\natol: 0.1",
    "dims": "inputs: {x: 'B S'}",
    "policies": "inputs: {x: 'B S'}\ndims: {B: [1, 2], S: [3, 4]}",
    "preferred_policy": "inputs: {x: 'B S'}\ndims: {B: 1, S: [3, 4]}\npolicies: [static, pow2]",
    "extends": "",
}

# fmt: off
# A table: as many values as fit in each line.
_COUNT = (
    ["0", "3", "null", "{'<2.14': 2, '>=2.14': 0}", "{'>=2.8, <3': 1}", "{'==2.13.*': 7}"],
    ["-1", "1.5", "true", "x", "[1]", "{}", "{'<2.14': null}", "{'2.14': 1}", "{'': 1}", "'3'"],
)
_FLAG = (["true", "false", "True", "FALSE"], ["null", "1", "yes", "'true'", "[]", "{}"])
_TEXT = (["name", "'5'", "null"], ["''", "5", "true", "[name]", "{}"])
_TOLERANCE = (["0", "0.1", "1e-3", "null"], ["-1", "true", "x", "'0.1'", "[]", "-.inf"])
_EXCUSE = (
    ["because", "null", "{reason: it is slow}", "{reason: old, torch: '<2.9'}"],
    ["''", "' '", "5", "true", "[x]", "{}", "{reason: ''}", "{reason: x, torch: ''}",
     "{reason: x, torch: 2.9}", "{reason: x, torch: '2.9'}", "{reason: x, foo: 1}", "{torch: <2}",
     "{reason: null}"],
)
_ARGUMENTS = (
    ["null", "{}", "{a: 1, b: [1, {c: x}], d: null}", "{é: 1}", "{c: {make: 'm:C'}}",
     "{c: [{make: 'm.n:C.D', arguments: {a: {make: 'm:A', arguments: null}}}]}"],
    ["5", "x", "[a]", "{'a b': 1}", "{'1': 1}", "{'': 1}", "{c: {make: m}}", "{c: {make: 5}}",
     "{c: {make: 'm:C', args: {}}}", "{c: {make: 'm:C', arguments: [1]}}",
     "{c: {make: 'm:C', arguments: {'1': 1}}}", "{c: {d: [{make: 'm:'}]}}"],
)

VALUES: Mapping[str, tuple[list[str], list[str]]] = {
    "target": (
        ["m:f", "package.module:attr", "m:Class.method", "'é:ü'"],
        ["null", "5", "''", "m", "m.f", "'m:'", "':f'", "m:f:g", "'m f:g'", "m-n:f", "[m]", "m:1f"],
    ),
    "arguments": _ARGUMENTS,
    "call": (["forward", "null", "_step"], ["''", "a.b", "5", "'a b'", "[f]", "1a"]),
    "keywords": _ARGUMENTS,
    "dtype": (
        ["float32", "torch.bfloat16", "half", "complex64", "null"],
        ["''", "int64", "float99", "32", "[float32]", "torch", "bool", "true"],
    ),
    "device": _TEXT,
    "training": _FLAG,
    "grad": _FLAG,
    "skip_without_device": _FLAG,
    "torch_compile": (
        ["null", "{}", "{recompile_limit: 16}", "{name: [1, x]}"],
        ["5", "x", "[a]", "{backend: eager}", "{model: 1}", "{'a b': 1}", "{max_graphs: 1}"],
    ),
    "inputs": (
        ["null", "{}", "{x: '4 8'}", "{x: '4, 8'}", "{x: [4, 8]}",
         "{x: ['4 8', '8 8']}", "{x: [[4, 8], [8, 8]]}", "{x: {shape: []}}", "{x: [[], [4]]}",
         "{x: {shape: '4', dtype: int64, low: 2, high: 9}}", "{x: {shape: '4', device: null}}",
         "{x: {shape: '4', requires_grad: true, high: 1.5, low: null}}", "{é: '4'}",
         "{x: {shape: '1 2 3 4', memory_format: channels_last}}", "{x: {value: {a: [1, x]}}}",
         "{x: {shape: '4 8', strides: [1, 4], memory_format: null}}", "{x: {value: null}}",
         "{x: {tuple: ['4', {list: [[8], {dict: {a: '2', '1 b': '3'}}]}]}}", "{x: {tuple: []}}",
         "{x: {make: 'm:C', arguments: {a: '4', b: {value: 3}}}}", "{x: {make: 'm:C'}}",
         "{x: {value: [{make: 'm:C'}]}}", "{x: [{value: 1}, {value: 2}]}", "{x: {dict: {}}}"],
        ["5", "'4 8'", "[x]", "{x: 5}", "{x: null}", "{x: true}", "{x: ''}", "{x: []}", "{x: {}}",
         "{x: '4 -1'}", "{x: '4,,8'}", "{x: '4 8,'}", "{x: '4 a*2'}", "{x: [4, -8]}", "{x: 4x}",
         "{x: [4, true]}", "{x: [4, [8]]}", "{x: [4, 'a b']}", "{'1': '4'}", "{'': '4'}",
         "{x: {shap: '4'}}", "{x: {shape: 4}}", "{x: {shape: '4', dtyp: int64}}",
         "{x: {shape: '4', dtype: int63}}", "{x: {shape: '4', dtype: null}}",
         "{x: {shape: '4', device: ''}}", "{x: {shape: '4', device: 0}}",
         "{x: {shape: '4', requires_grad: 1}}", "{x: {shape: '4', low: '1'}}",
         "{x: {shape: '4', high: [1]}}", "{x: {shape: '4', memory_format: last}}",
         "{x: {shape: '4', strides: 1}}", "{x: {shape: '4', strides: [-1]}}",
         "{x: {shape: '4', strides: [a]}}", "{x: {shape: '4', tuple: []}}", "{x: {tuple: '4'}}",
         "{x: {tuple: [5]}}", "{x: {tuple: ['4'], foo: 1}}", "{x: {list: {}}}",
         "{x: {dict: ['4']}}", "{x: {dict: {a: 5}}}", "{x: {make: m}}", "{x: {arguments: {}}}",
         "{x: {make: 'm:C', arguments: ['4']}}", "{x: {make: 'm:C', arguments: {a: 5}}}",
         "{x: {make: 'm:C', foo: 1}}", "{x: {value: {make: 5}}}", "{x: {value: 1, shape: '4'}}",
         "{x: ['4', 5]}", "{x: [null]}", "{x: {value: 1, list: []}}"],
    ),
    "requires": (
        ["null", "{}", "{torch: ''}", "{transformers: '>=4.5, <6', einops: '~=0.8'}",
         "{a: '>=1,'}", "{a: '=== x'}", "{a: '== V1.0'}", "{a: ' '}"],
        ["5", "torch", "[torch]", "{torch: 2}", "{torch: '2'}", "{torch: null}", "{'': '>=1'}",
         "{torch: '>=x'}", "{torch: latest}"],
    ),
    "marks": (
        ["null", "[]", "[slow, gpu]", "[slow, slow]"],
        [
            "slow",
            "{}",
            "5",
            "[5]",
            "[a b]",
            "['']",
            "[skip]",
            "[parametrize]",
            "[compile_contract]",
        ],
    ),
    "skip": _EXCUSE,
    "xfail": _EXCUSE,
    "extends": (
        ["base", "_other"],
        ["null", "5", "''", "'a b'", "[base]", "'::base'", "'base::'"],
    ),
    "dims": (
        ["{B: 1, S: [2, 3]}", "{B: 0, S: 0}", "{B: [1, 2], S: [3, 3]}"],
        ["5", "[B]", "{B: -1, S: 1}", "{B: 1.5, S: 1}", "{B: [], S: 1}", "{B: x, S: 1}",
         "{B: true, S: 1}", "{B: [1, -1], S: 1}", "{B: null, S: 1}", "{B: [[1]], S: 1}",
         "{B: 1, S: 1, 'a b': 1}", "{trace_file: ''}", "{trace_file: 5}", "{B: {}, S: 1}",
         "{trace_file: a.csv, max_steps: 0}", "{trace_file: a.csv, foo: 1}"],
    ),
    "values": (
        ["null", "{}", "{n: 1}", "{n: [1, 2]}", "{n: {a: []}, m: null}", "{n: [[], {}]}"],
        ["5", "n", "[n]", "{n: []}", "{'1': 1}", "{'a b': 1}"],
    ),
    "passes": (["1", "3"], ["0", "-1", "1.5", "null", "true", "x", "'2'", "[1]", "010", "1_0"]),
    "backend": _TEXT,
    "mode": (["max-autotune", "null"], ["''", "5", "[x]", "{}"]),
    "options": (["null", "{}", "{max_autotune: true}"], ["x", "5", "[a]", "true"]),
    "dynamic": (["null", "true", "false"], ["1", "auto", "[]", "'true'"]),
    "fullgraph": _FLAG,
    "watch_only": _FLAG,
    "max_graph_breaks": _COUNT,
    "max_recompiles": _COUNT,
    "max_recompiles_after_warmup": (_COUNT[0][:2] + _COUNT[0][3:], _COUNT[1]),
    "warmup_calls": (["1", "9"], ["0", "-1", "1.5", "true", "x", "[]"]),
    "max_graphs": _COUNT,
    "max_graph_launches_per_call": _COUNT,
    "min_hit_rate": (
        ["0", "1", "0.5", "null", "{'<2.9': 0.5, '>=2.9': 1}", "1e-1"],
        ["-0.1", "1.1", "2", "true", "'0.5'", "[]", "{}", "{'<2.9': 2}", ".inf"],
    ),
    "min_captured_ops": _COUNT,
    "min_ops_per_graph": _COUNT,
    "max_compile_seconds": (
        ["0", "2.5", "null", "{'>=2.8': 1.5}"],
        ["-1", "true", "x", "[]", "{}", "{'>=2.8': x}"],
    ),
    "max_memory_growth": (
        ["0", "1000", "null", "20 MB", "1.5GiB", "' 1 kB '", "{'>=2.8': 20 MB, '<2.8': 5}"],
        ["-1", "1.5", "true", "'20'", "20 mb", "20 TB", "-1 MB", "1e3 MB",
         "{}", "{'>=2.8': x}", "{'>=2.8': null}", "[]", "''"],
    ),
    "dynamic_dims": (["B", "[B, S]", "[S, S]", "null", "[]"], ["5", "[5]", "{}", "true"]),
    "max_fragile_guards": _COUNT,
    "allow_breaks": (
        ["null", "[]", "[{gb_id: GB0059, because: x}]", "[{gb_id: ' gb0059 ', because: x}]",
         "[{reason: a, file: b, function: c, owner: torch, because: d}]",
         "[{gb_id: GB0059, torch: '<2.9', because: x}]"],
        ["5", "x", "{}", "[x]", "[automatic_dynamic]", "[{because: x}]", "[{gb_id: GB0059}]",
         "[{gb_id: GB1, because: x}]", "[{gb_id: 59, because: x}]", "[{reason: '', because: x}]",
         "[{reason: a, because: ' '}]", "[{owner: me, because: x}]", "[{foo: 1, because: x}]",
         "[{cause: shape, because: x}]", "[{}]", "[null]", "[{torch: '<2.9', because: x}]",
         "[{gb_id: GB0059, torch: '2.9', because: x}]", "[{file: a, torch: 2.9, because: x}]"],
    ),
    "allow_recompiles": (
        ["null", "[]", "[automatic_dynamic]", "[{cause: shape, because: x}]",
         "[{source: a, guard: b, file: c, function: d, because: e}, automatic_dynamic]"],
        ["automatic_dynamic", "[automatic]", "[{cause: shapes, because: x}]", "[{cause: shape}]",
         "[5]", "[{because: x}]", "[{gb_id: GB0059, because: x}]", "[{source: 5, because: x}]"],
    ),
    "allow_fallbacks": (
        ["null", "[]", "[{kind: recompile_limit, because: x}]", "[{reason: a, because: x}]"],
        ["x", "[x]", "[{kind: nothing_compiled, because: x}]", "[{kind: foo, because: x}]",
         "[{kind: disabled}]", "[{kind: 5, because: x}]", "[{owner: torch, because: x}]"],
    ),
    "owners": (
        ["null", "[own]", "[own, third_party, torch]", "[own, own]"],
        ["own", "[]", "[me]", "[5]", "{}", "[null]", "[[own]]"],
    ),
    "max_kernels": _COUNT,
    "max_opaque_ops": _COUNT,
    "extra": (
        ["null", "{}", "{max_matmuls: 3}", "{min_share: 0.5, max_matmuls: null}",
         "{max_matmuls: {'<2.14': 2, '>=2.14': 0}}"],
        ["5", "x", "[max_matmuls]", "{max_matmuls: -1}", "{max_matmuls: x}", "{max_matmuls: true}",
         "{max_matmuls: {}}", "{max_matmuls: {'2.14': 1}}"],
    ),
    "check_custom_ops": _FLAG,
    "policies": (
        ["null", "[]", "[static]", "[static, auto, dynamic, marked, pow2, multiple(64)]",
         "[{bucket: pow2, dims: S}]", "[{bucket: {multiple: 64}}, {bucket: [1, 256]}, marked]",
         "[{bucket: [128, 256], dims: [B, S], pad: {x: -1.5}, label: a}, {bucket: multiple(2)}]",
         "[pow2, {bucket: pow2, dims: null, pad: {x: -.inf}, mask: m, label: masked}]"],
        ["5", "static", "{}", "[eager]", "[5]", "[null]", "[[static]]", "[multiple(1)]",
         "[multiple()]", "['multiple(-4)']", "[{}]", "[{dims: S}]", "[{bucket: 64}]",
         "[{bucket: []}]", "[{bucket: [0, 4]}]", "[{bucket: [4, x]}]", "[{bucket: pow3}]",
         "[{bucket: {multiple: 1}}]", "[{bucket: {multiple: 64, dims: S}}]", "[{bucket: {}}]",
         "[{bucket: pow2, rule: 'm:f'}]", "[{bucket: pow2, dims: 5}]", "[{bucket: pow2, pad: 1}]",
         "[{bucket: pow2, pad: {x: a}}]", "[{bucket: pow2, mask: ''}]", "[{bucket: null}]",
         "[{bucket: pow2, label: 5}]", "[{bucket: pow2, pads: {x: 1}}]"],
    ),
    "preferred_policy": (["static", "pow2", "null"], ["5", "''", "[static]", "true"]),
    "policy_margin": (["0", "0.25", "2"], ["null", "-0.1", "x", "true", "[]", "-.inf"]),
    "match_eager": (["true"], ["null", "1", "off", "'true'"]),
    "rtol": (_TOLERANCE[0][:3], _TOLERANCE[1]),
    "atol": (_TOLERANCE[0][:3], _TOLERANCE[1]),
    "backward": _FLAG,
    "seed": (["0", "-7", "12345"], ["null", "1.5", "true", "x", "'1'", "[]"]),
    "threads": (["1", "null"], ["0", "-1", "1.5", "true", "x", "[]"]),
    "matrix": (
        ["null", "{dtype: [float32, bfloat16]}", "{dynamic: [null, true, false], seed: [1]}",
         "{keywords.a: [1, true, {make: 'm:C'}], arguments.b: [null]}", "{values.n: [1, 2]}",
         "{inputs: [{x: '4'}, {x: '8'}]}", "{values.n: [1, 1.0, '1']}", "{values: [{n: 1}]}",
         "{marks: [[slow], []], skip: [null, why]}", "{keywords: [{a: 1}, {}]}"],
        ["5", "[]", "{}", "x", "{dtype: float32}", "{dtype: []}", "{dtype: {a: 1}}",
         "{dtypes: [float32]}", "{target: ['m:f', 'm:g']}", "{arguments: [{}]}", "{call: [f]}",
         "{extends: [a]}", "{matrix: [{}]}", "{dims.B: [1]}", "{keywords.: [1]}", "{'a b': [1]}",
         "{keywords.1: [1]}", "{dtype: [float99]}", "{passes: [1, 0]}", "{values.n: [[]]}",
         "{keywords.a: [{make: 5}]}", "{shapes: [x]}"],
    ),
    "shapes": ([], ["{x: '4 8'}", "null"]),
    "compiles": ([], ["model", "null"]),
    "factory": ([], ["m:f", "null"]),
}
"""By key, what it takes and what it does not."""
# fmt: on
