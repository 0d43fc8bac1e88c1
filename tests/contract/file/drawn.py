"""Hypothesis strategies for contract files, drawn from the keys of their own JSON schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml
from hypothesis import strategies as st

from pytest_compilecheck.contract.file.schema import schema

SCHEMA = schema()
Values = st.SearchStrategy[Any]

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 12)
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(
        [
            *("4 8", " 4, 8 ", "B S", "B,S\t4", "8", "x", "", " ", "é", "\U0001d54f", "a b", "<<"),
            *(">=1", ">=1,", ",", "===x", "== V1.0", ">= 1.0 , < 2", "~=1", ">=1;", "20MB", "1 B"),
            *(" 1.5 GiB ", "20 mb", "gb0059", " GB0170 ", "torch.float32", "torch.torch.float32"),
            *("float32", "long", "m:f", "a.b:c.d", "m.f", "m:", "automatic_dynamic", "yes", "010"),
            *(
                "1_000",
                "0x1F",
                "12:30",
                "1e3",
                ".inf",
                "nan",
                "None",
                "on",
                "a::b",
                "none",
                "=",
                "~",
            ),
        ]
    )
)
ANYTHING: Values = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
NAMES = st.sampled_from(["x", "y", "B", "S", "n", "mask", "_a", "é", "\U0001d54f", "class"])
SHAPES = st.sampled_from(["4 8", "B S 64", "B", " 2 , 3 "])


def _resolved(part: Mapping[str, Any]) -> Mapping[str, Any]:
    while "$ref" in part:
        part = SCHEMA["$defs"][part["$ref"].removeprefix("#/$defs/")]
    return part


@st.composite
def values(draw: st.DrawFn, part: Mapping[str, Any], deep: int = 5, odd: int = 12) -> Any:
    """A value that a part of the schema accepts; of `odd` values one is any at all."""
    if deep <= 0 or draw(st.integers(1, odd)) == odd:
        return draw(SCALARS if deep <= 0 else ANYTHING)
    part = _resolved(part)
    if "anyOf" in part:
        outer = {key: item for key, item in part.items() if key != "anyOf"}
        branch = _resolved(draw(st.sampled_from(part["anyOf"])))
        required = dict.fromkeys([*outer.get("required", ()), *branch.get("required", ())])
        return draw(values({**outer, **branch, "required": list(required)}, deep, odd))
    if "if" in part:
        chosen = draw(st.sampled_from(["then", "else"]))
        outer = {key: item for key, item in part.items() if key not in ("if", "then", "else")}
        limits = {"type": part["if"].get("type")} if chosen == "then" else {}
        branch = _resolved(part.get(chosen, {}))
        return draw(values({**outer, **limits, **branch}, deep, odd))
    if "enum" in part or "const" in part:
        return draw(st.sampled_from(part.get("enum", [part.get("const")])))
    return _of_type(draw, part, deep, odd)


def _of_type(draw: st.DrawFn, part: Mapping[str, Any], deep: int, odd: int) -> Any:
    types = part.get("type", ["string", "integer", "array", "object"])
    kind = draw(st.sampled_from([types] if isinstance(types, str) else types))
    if kind == "object":
        return _mapping(draw, part, deep, odd)
    if kind == "array":
        items = values(part.get("items", {}), deep - 1, odd)
        return draw(st.lists(items, min_size=part.get("minItems", 0), max_size=3))
    if kind == "string":
        return draw(_texts(part))
    low, high = part.get("minimum"), part.get("maximum")
    if kind == "integer":
        return draw(st.integers(low, None if low is None else low + 4))
    if kind == "number":
        return draw(st.integers(low, high) | st.floats(low, high, allow_nan=False))
    return {"null": None, "boolean": draw(st.booleans())}[kind]


def _texts(part: Mapping[str, Any]) -> Values:
    pattern = part.get("pattern")
    if pattern is None:
        return st.text(min_size=part.get("minLength", 0), max_size=8)
    if "0-9]+|" in pattern:
        return SHAPES | st.from_regex(pattern)
    return st.from_regex(pattern)


def _mapping(draw: st.DrawFn, part: Mapping[str, Any], deep: int, odd: int) -> dict[str, Any]:
    known = part.get("properties", {})
    required = part.get("required", ())
    optional = [name for name in known if name not in required]
    chosen = draw(st.lists(st.sampled_from(optional), max_size=3)) if optional else []
    made = {name: draw(values(known[name], deep - 1, odd)) for name in [*required, *chosen]}
    for pattern, inner in part.get("patternProperties", {}).items():
        if draw(st.integers(0, 3)) == 0:
            made[draw(st.from_regex(pattern))] = draw(values(inner, deep - 1, odd))
    others = part.get("additionalProperties", {})
    if others is not False:
        pattern = part.get("propertyNames", {}).get("pattern")
        names = NAMES if pattern is None else NAMES | st.from_regex(pattern)
        least = max(part.get("minProperties", 0) - len(made), 0)
        for name in draw(st.lists(names, min_size=least, max_size=3)):
            made[name] = draw(values(others, deep - 1, odd))
    return made


_KEYS: Mapping[str, Any] = SCHEMA["$defs"]["contract"]["properties"]
_SIZES = {"B": 2, "S": [3, 4]}


@st.composite
def contracts(draw: st.DrawFn, odd: int = 12) -> dict[str, Any]:
    """The keys of a contract, of which most are right by themselves."""
    made: dict[str, Any] = {"target": "m:f"}
    for key in draw(st.lists(st.sampled_from(sorted(_KEYS)), max_size=4)):
        made[key] = draw(values(_KEYS[key], odd=odd))
    if draw(st.booleans()):  # the sizes of the names that shapes have most often
        text = yaml.safe_dump(made.get("inputs"))
        made["dims"] = {name: size for name, size in _SIZES.items() if name in text}
    return made


@st.composite
def documents(draw: st.DrawFn, odd: int = 12) -> dict[str, Any]:
    """A contract file as plain data, in which most is right."""
    names = st.sampled_from(["a", "b", "_base", "a.b-c"])
    made: dict[str, Any] = {"version": 1}
    made["contracts"] = draw(st.dictionaries(names, contracts(odd), min_size=1, max_size=3))
    if draw(st.integers(0, 3)) == 0:
        made["defaults"] = draw(values(SCHEMA["properties"]["defaults"], odd=odd))
    if draw(st.integers(1, odd)) == odd:
        made[draw(st.sampled_from(["version", "contracts", "defaults", "x"]))] = draw(ANYTHING)
    return made


@st.composite
def written(draw: st.DrawFn, data: Any) -> str:
    """Plain data as YAML, in block or flow style."""
    style = draw(st.sampled_from([None, True, False]))
    text: str = yaml.safe_dump(data, default_flow_style=style, allow_unicode=True, sort_keys=False)
    return text
