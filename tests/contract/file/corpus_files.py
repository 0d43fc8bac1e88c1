"""Whole contract files: right ones, faulty ones, and those that only the loader can refuse."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from contract.file.corpus import BESIDE, VALUES

_TARGET = "{target: 'm:f'}"
WHOLE: tuple[list[str], list[str]] = (
    [
        f"version: 1\ncontracts: {{a: {_TARGET}}}",
        f"version: 1\ncontracts: {{a.b-c_1: {_TARGET}, _x: {{}}}}\ndefaults: {{passes: 3}}",
        "version: 1\ncontracts: {a: {passes: 3}}\ndefaults: {target: 'm:f'}",
        "version: 1\ncontracts: {_a: {}}",
        f"contracts: {{'1': {_TARGET}}}\nversion: 1",
        f"version: 1\ncontracts: {{a: &a {_TARGET}, b: *a, c: {{<<: *a, passes: 1}}}}",
    ],
    [
        "{}",
        "[]",
        "text",
        "version: 1",
        f"contracts: {{a: {_TARGET}}}",
        f"version: 2\ncontracts: {{a: {_TARGET}}}",
        f"version: '1'\ncontracts: {{a: {_TARGET}}}",
        f"version: true\ncontracts: {{a: {_TARGET}}}",
        f"version: null\ncontracts: {{a: {_TARGET}}}",
        "version: 1\ncontracts: {}",
        "version: 1\ncontracts: null",
        "version: 1\ncontracts: [a]",
        "version: 1\ncontracts: {a: null}",
        "version: 1\ncontracts: {a: 'm:f'}",
        f"version: 1\ncontracts: {{'a b': {_TARGET}}}",
        f"version: 1\ncontracts: {{'': {_TARGET}}}",
        f"version: 1\ncontracts: {{-a: {_TARGET}}}",
        f"version: 1\ncontracts: {{'a[b]': {_TARGET}}}",
        f"version: 1\ncontracts: {{a: {_TARGET}}}\nfoo: 1",
        f"version: 1\ncontracts: {{a: {_TARGET}}}\ndefaults: null",
        f"version: 1\ncontracts: {{a: {_TARGET}}}\ndefaults: {{extends: a}}",
        f"version: 1\ncontracts: {{a: {_TARGET}}}\ndefaults: {{foo: 1}}",
        f"version: 1\ncontracts: {{a: {_TARGET}}}\ndefaults: {{passes: 0}}",
        "version: 1\ncontracts: {_a: {passes: 0}}",
        "version: 1\ncontracts: {_a: {matrix: {passes: [0]}}}",
    ],
)
"""Whole files that are right, and others."""


def _file(key: str, value: str) -> str:
    beside = [line for line in BESIDE.get(key, "").splitlines() if not line.startswith(f"{key}:")]
    lines = ["target: m:f", *beside]
    if key == "target":
        lines = lines[1:]
    inner = "".join(f"    {line}\n" for line in [*lines, f"{key}: {value}"])
    return f"version: 1\ncontracts:\n  base: {_TARGET}\n  _other: {{}}\n  it:\n{inner}"


def right() -> Iterator[tuple[str, str]]:
    """Files that are right, by what they show."""
    for key, (values, _) in VALUES.items():
        yield from ((f"{key}: {value}", _file(key, value)) for value in values)
    yield from ((text, text) for text in WHOLE[0])


def wrong() -> Iterator[tuple[str, str]]:
    """Files in which one value is wrong by itself, by what they show."""
    for key, (_, values) in VALUES.items():
        yield from ((f"{key}: {value}", _file(key, value)) for value in values)
    yield from ((text, text) for text in WHOLE[1])


BEYOND_SCHEMA: Mapping[str, tuple[str, ...]] = {
    "JSON has one kind of number: 2.0 is a whole one": (
        _file("passes", "2.0"),
        _file("max_graphs", "1.0"),
        _file("inputs", "{x: [4, 8.0]}"),
        f"version: 1.0\ncontracts: {{a: {_TARGET}}}",
    ),
    "JSON has no numbers without end, and nothing to compare a NaN with": (
        _file("rtol", ".inf"),
        _file("policy_margin", ".inf"),
        _file("policies", "[{bucket: pow2, pad: {x: .nan}}]"),
        _file("min_hit_rate", ".nan"),
        _file("inputs", "{x: {shape: '4', high: .inf}}"),
    ),
    "1 and 1.0 are one in JSON, so that equal values cannot be told from like ones": (
        _file("matrix", "{seed: [1, 2, 1]}"),
        _file("matrix", "{values.n: [[1], [1]]}"),
    ),
    "two keys that exclude each other, or need each other, in a contract that may extend another": (
        _file("target", "m:f\n    rtol: 0.1"),
        _file("target", "m:f\n    backend: inductor\n    mode: x\n    options: {a: 1}"),
        _file("target", "m:f\n    watch_only: true\n    backend: inductor"),
        _file("target", "m:f\n    watch_only: true\n    policies: [static]"),
        _file("target", "m:f\n    dynamic: true\n    policies: [static]"),
        _file("keywords", "{x: 1}\n    inputs: {x: '4'}"),
        _file("values", "{x: 1}\n    inputs: {x: '4'}"),
        _file("matrix", "{keywords: [{}], keywords.a: [1]}"),
    ),
    "a name must be there: a dim, a contract, a target, a trace file": (
        _file("inputs", "{x: B}"),
        _file("target", "m:f\n    dims: {B: 1}"),
        _file("dynamic_dims", "Q"),
        _file("policies", "[{bucket: pow2, dims: Q}]"),
        _file("policies", "[{bucket: pow2, pad: {y: 1}}]"),
        _file("policies", "[{bucket: pow2, mask: x}]"),
        _file("preferred_policy", "auto"),
        _file("target", "m:f\n    preferred_policy: auto"),
        _file("extends", "nothing"),
        _file("extends", "it"),
        _file("extends", "missing.contract.yaml::a"),
        _file("target", "m:f\n    dims: {trace_file: missing.csv}"),
        "version: 1\ncontracts: {a: {passes: 1}}",
    ),
    "lengths and values are compared": (
        _file("inputs", "{x: ['4', '8'], y: ['4', '8', '9']}"),
        _file("inputs", "{x: {shape: '4', low: 3, high: 2}}"),
        _file("inputs", "{x: {shape: '4', strides: [1, 2]}}"),
        _file("inputs", "{x: {shape: '4', memory_format: channels_last}}"),
        _file("inputs", "{x: {shape: '4', memory_format: contiguous_format, strides: [1]}}"),
        _file("inputs", "{x: {shape: '4', dtype: int8, high: 1000}}"),
        _file("inputs", "{x: {shape: '4', dtype: int8, high: 1.5}}"),
        _file("inputs", "{x: {shape: '4', dtype: bool, requires_grad: true}}"),
        _file("dynamic_dims", "[B]").replace("B: [1, 2]", "B: 1"),
        _file("policies", "[{bucket: [256, 128]}]"),
        _file("policies", "[pow2, {bucket: pow2, dims: S}]"),
        _file("policies", "[static, static]"),
        _file("policies", "[marked]").replace("B: [1, 2], S: [3, 4]", "B: 1, S: 3"),
        _file("policies", "[{bucket: pow2, dims: B}]").replace("B: [1, 2]", "B: 1"),
        _file("preferred_policy", "static").replace("S: [3, 4]", "S: 3"),
        _file("preferred_policy", "static").replace("[static, pow2]", "[static]"),
    ),
    "a pattern cannot know all versions, names and sizes": (
        _file("max_graphs", "{'>=1.x': 1}"),
        _file("requires", "{torch: '~=2'}"),
        _file("keywords", "{'a\u00b7\u2212': 1}"),
        _file("inputs", "{x: '99999999999999999999'}"),
    ),
    "JSON has no limit of how many there are": (
        _file("matrix", f"{{seed: {list(range(40))}, passes: {list(range(1, 41))}}}"),
    ),
    "a key is there twice, which JSON leaves open": (_file("passes", "1\n    passes: 2"),),
}
"""Files that the loader alone refuses, by the reason why no schema can."""
