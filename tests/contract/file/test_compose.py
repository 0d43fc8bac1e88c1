from __future__ import annotations

import time

import pytest
import yaml
from contract.file.loading import PATH, compose_faults, composed, told, unmarked

from pytest_compilecheck.contract.file.compose import compose
from pytest_compilecheck.contract.file.text import decode


def assert_faults(text: str, *messages: str) -> None:
    plain, places = unmarked(text)
    expected = [f"{place}: {each}" for place, each in zip(places, messages, strict=True)]
    assert told(compose_faults(plain)) == expected


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: 1\nb: [x, 'y', \"z\"]\n", {"a": 1, "b": ["x", "y", "z"]}),
        ("\ufeffa: 1", {"a": 1}),
        ("a: 1\r\nb:\r\n  - 2\r\n", {"a": 1, "b": [2]}),
        ("--- # one document\na: 1\n...\n", {"a": 1}),
        ("'1': '2'\n'null': ''", {"1": "2", "null": ""}),
        ("a:\nb: ~", {"a": None, "b": None}),
        ("a: |\n  x\n  y\nb: >-\n  x\n  y\n", {"a": "x\ny\n", "b": "x y"}),
        ("a: &b [1]\nc: *b\n", {"a": [1], "c": [1]}),
        ("&k a: 1\nb: *k\n", {"a": 1, "b": "a"}),
        ("? a\n: 1", {"a": 1}),
        ("a: !!str 5\nb: !!map {c: !!seq [1]}\nd: ! 7", {"a": "5", "b": {"c": [1]}, "d": "7"}),
        ("{a: on, b: 12:30, c: 010}", {"a": "on", "b": "12:30", "c": "010"}),
        ("text", "text"),
    ],
)
@pytest.mark.parametrize("parser", ["C", "Python"])
def test_values(text: str, value: object, parser: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if parser == "Python":
        monkeypatch.delattr(yaml, "CSafeLoader")
    assert composed(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: &a {x: 1, y: 2}\nb: {<<: *a, y: 3}\n", {"x": 1, "y": 3}),
        ("a: &a {x: 1, y: 2}\nb: {y: 3, <<: *a}\n", {"x": 1, "y": 3}),
        ("a: [&a {x: 1}, &b {x: 2, z: 3}]\nb: {<<: [*a, *b]}\n", {"x": 1, "z": 3}),
        ("b: {<<: {x: 1}}\n", {"x": 1}),
        ("b: {'<<': 1}\n", {"<<": 1}),
        ("b: {!!str <<: 1}\n", {"<<": 1}),
    ],
)
def test_merges(text: str, value: object) -> None:
    data = composed(text)
    assert isinstance(data, dict)
    assert data["b"] == value


def test_places_of_keys_values_and_items() -> None:
    written, _ = compose(decode("a: 1\n漢:\n  - x\n  - {k: [y]}\n".encode(), PATH))
    places = written.places
    inner = places.parts["漢"].parts

    def at(place: object) -> tuple[int, int | None]:
        return place.line, place.column  # type: ignore[attr-defined]

    assert at(places.place) == (1, 1)
    assert at(places.keys["漢"]) == (2, 1)
    assert at(places.parts["a"].place) == (1, 4)
    assert at(inner[0].place) == (3, 5)
    assert at(inner[1].keys["k"]) == (4, 6)
    assert at(inner[1].parts["k"].parts[0].place) == (4, 10)
    assert inner[0].place.source == "  - x\n"


def test_what_is_taken_over_keeps_its_place() -> None:
    written, _ = compose(decode(b"a: &a {x: 1}\nb: {<<: *a}\nc: *a\n", PATH))
    for name in ("b", "c"):
        place = written.places.parts[name].parts["x"].place
        assert (place.line, place.column) == (1, 11)
    assert written.places.parts["b"].keys["x"].line == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("§", "the file is empty: begin with version: 1"),
        ("§# nothing\n\n", "the file is empty: begin with version: 1"),
        ("a: 1\n§---\nb: 2\n", "a file has one document: take out the '---'"),
        ("a: §*b\n", "the alias *b has no anchor &b above it"),
        ("a: §*b\nc: &b 1\n", "the alias *b has no anchor &b above it"),
        ("a: &b [1, §*b]\n", "the alias *b stands in its own anchor"),
        ("a: &b {c: {d: §*b}}\n", "the alias *b stands in its own anchor"),
        ("&b {<<: §*b}\n", "the alias *b stands in its own anchor"),
    ],
)
def test_what_cannot_be_read(text: str, message: str) -> None:
    assert_faults(text, message)


def test_every_fault_of_a_document_is_told() -> None:
    assert_faults(
        "a: 1\n§a: 2\n§5: x\n§null: x\n§[b]: x\n§true: {c: §!x 1, §c: 2}\n"
        "d: {<<: §5, §<<: [§e]}\nf: §!!set {}\n",
        "the key 'a' is there twice, first in line 1",
        "the key 5 is no text: write it in quotes",
        "the key null is no text: write it in quotes",
        "the key ['b'] is no text",
        "the key true is no text: write it in quotes",
        "the tag !x means nothing here: leave it out",
        "the key 'c' is there twice, first in line 6",
        "<< takes an alias of a mapping, got 5",
        "the key << is there twice: give it a list of aliases",
        "<< takes an alias of a mapping, got 'e'",
        "the tag !!set means nothing here: leave it out",
    )


def bomb(levels: int, width: int) -> str:
    """Aliases of aliases: `width` to the power of `levels` values."""
    lines = ["a0: &a0 [" + ", ".join(["x"] * width) + "]"]
    for level in range(1, levels):
        aliases = ", ".join([f"*a{level - 1}"] * width)
        lines.append(f"a{level}: &a{level} [{aliases}]")
    return "\n".join(lines)


@pytest.mark.parametrize(
    "text",
    [
        bomb(9, 9),
        bomb(60, 2),
        "a: &a {x: 1}\n"
        + "\n".join(f"b{n}: {{<<: [{', '.join(['*a'] * 500)}]}}" for n in range(60)),
        "[" + "x, " * 20_000 + "]",
    ],
    ids=["nine laughs", "doubled", "merged", "long"],
)
def test_a_file_that_unfolds_to_too_much_is_refused_at_once(text: str) -> None:
    data = decode(text.encode(), PATH)
    before = time.process_time()
    (fault,) = compose_faults(text)
    spent = time.process_time() - before
    assert fault.message == "the file has more than 20,000 values, those of aliases counted"
    # 20,000 values take a while to be read; what they would unfold to takes none.
    assert spent < (2 if data.content.startswith("[") or "b59" in data.content else 0.1)


def test_as_many_values_as_permitted() -> None:
    assert composed("[" + "x, " * 19_999 + "]") == ["x"] * 19_999


def test_depth() -> None:
    assert composed("[" * 64 + "]" * 64)
    assert_faults("[" * 64 + "§[" + "]" * 65, "values are nested deeper than 64 levels")
    # An alias is as deep as what it stands for.
    nested = "a: &a " + "[" * 40 + "]" * 40
    assert_faults(
        f"{nested}\nb: {'[' * 30}§*a{']' * 30}", "values are nested deeper than 64 levels"
    )


def test_no_depth_exhausts_the_stack() -> None:
    (fault,) = compose_faults("[" * 100_000)
    assert "values are nested" in fault.message


def test_what_is_faulty_is_left_out_and_known_as_such() -> None:
    written, faults = compose(decode(b"a: {b: 1, b: 2}\nc: {d: 1}\n", PATH))
    assert len(faults) == 1
    assert written.value == {"a": {"b": 1}, "c": {"d": 1}}
    sound = {name: places.sound for name, places in written.places.parts.items()}
    assert sound == {"a": False, "c": True}
