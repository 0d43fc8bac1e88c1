from __future__ import annotations

from types import SimpleNamespace

import pytest

from pytest_compilecheck.contract.allow import Allowance, AllowanceKind, parse_allowances

SITE = SimpleNamespace(
    reason="Unsupported Tensor.item() call",
    gb_id="GB0059",
    gb_ids=("GB0059", "GB0007"),
    file="models/text/mlp.py",
    function="forward",
    owner="own",
)
EVENT = SimpleNamespace(guard="L['self'].step == 3", file="a.py", function="forward")
FALLBACK = SimpleNamespace(kind="recompile_limit", reason="limit of 8", file=None, function=None)


def parse(value: object, kind: AllowanceKind = "break") -> tuple[tuple[Allowance, ...], list[str]]:
    faults: list[str] = []
    return parse_allowances(value, faults.append, kind=kind), faults


def allowance(kind: AllowanceKind, /, **keys: str) -> Allowance:
    (made,), faults = parse([{"because": "it is known", **keys}], kind)
    assert faults == []
    return made


@pytest.mark.parametrize(
    ("matcher", "excused"),
    [
        ({"gb_id": "GB0059"}, True),
        ({"gb_id": "gb0059"}, True),
        ({"gb_id": "GB0007"}, False),
        ({"reason": "tensor.ITEM"}, True),
        ({"reason": "print"}, False),
        ({"file": "models/*.py"}, True),
        ({"file": "*/mlp.py"}, True),
        ({"file": "mlp.py"}, False),
        ({"function": "for*"}, True),
        ({"function": "backward"}, False),
        ({"owner": "own"}, True),
        ({"owner": "torch"}, False),
        ({"gb_id": "GB0059", "function": "backward"}, False),
        ({"gb_id": "GB0059", "function": "forward", "owner": "own"}, True),
    ],
)
def test_breaks(matcher: dict[str, str], excused: bool) -> None:
    assert allowance("break", **matcher).excuses(SITE) is excused


def test_a_windows_path_is_matched_as_posix() -> None:
    site = SimpleNamespace(file="models\\mlp.py")
    assert allowance("break", file="models/*.py").excuses(site)


@pytest.mark.parametrize(
    ("pattern", "excused"),
    [
        ("ranklib/model.py", True),
        ("ranklib/*", True),
        ("*/ranklib/model.py", True),
        ("/env/lib/python3.11/site-packages/ranklib/model.py", True),
        ("model.py", False),
        ("other/ranklib/model.py", False),
    ],
)
def test_an_installed_file_is_matched_from_its_package_on_too(pattern: str, excused: bool) -> None:
    site = SimpleNamespace(file="/env/lib/python3.11/site-packages/ranklib/model.py")
    assert allowance("break", file=pattern).excuses(site) is excused


def test_a_file_that_is_not_installed_is_matched_as_a_whole() -> None:
    site = SimpleNamespace(file="/checkouts/ranklib/model.py")
    assert not allowance("break", file="ranklib/model.py").excuses(site)


@pytest.mark.parametrize(
    ("matcher", "misfit"),
    [
        ({"gb_id": "GB0059", "file": "mlp.py"}, ("file", "models/text/mlp.py")),
        ({"reason": "print", "file": "models/*", "owner": "own"}, ("reason", SITE.reason)),
        ({"gb_id": "GB0059", "file": "models/*"}, None),
        ({"gb_id": "GB0001", "file": "mlp.py"}, None),
        ({"file": "mlp.py"}, None),
    ],
)
def test_the_one_key_that_does_not_fit(
    matcher: dict[str, str], misfit: tuple[str, str] | None
) -> None:
    assert allowance("break", **matcher).only_misfit(SITE) == misfit


@pytest.mark.parametrize(
    ("matcher", "excused"),
    [({"guard": "].step"}, True), ({"guard": "].STEP"}, False), ({"file": "b.py"}, False)],
)
def test_recompiles(matcher: dict[str, str], excused: bool) -> None:
    assert allowance("recompile", **matcher).excuses(EVENT) is excused


@pytest.mark.parametrize(
    ("matcher", "excused"),
    [
        ({"kind": "recompile_limit"}, True),
        ({"kind": "disabled"}, False),
        ({"reason": "Limit"}, True),
        ({"file": "*"}, False),
        ({"function": "*"}, False),
    ],
)
def test_fallbacks(matcher: dict[str, str], excused: bool) -> None:
    assert allowance("fallback", **matcher).excuses(FALLBACK) is excused


@pytest.mark.parametrize(
    ("kind", "entry", "fault"),
    [
        ("break", {"because": "b"}, "say what is allowed, by one or more of reason, gb_id, file,"),
        ("break", {"file": "a"}, "say why it is allowed: add 'because': '...'"),
        ("break", {"file": "a", "because": " "}, "'because' takes a text that is not empty, got "),
        ("break", {"file": 3, "because": "b"}, "'file' takes a text that is not empty, got 3"),
        ("break", {"gb_id": "59", "because": "b"}, "'gb_id' takes an id such as 'GB0059', got "),
        ("break", {"owner": "me", "because": "b"}, "'me' is no owner (owners are own, third_"),
        ("break", {"flie": "a", "because": "b"}, "a break is not matched by 'flie' (did you me"),
        ("break", {"guard": "a", "because": "b"}, "a break is not matched by 'guard' (known are"),
        ("recompile", {"gb_id": "GB0059", "because": "b"}, "a recompile is not matched by 'gb_id'"),
        (
            "recompile",
            "automatic",
            "'automatic' stands for no kind of recompile: write 'automatic_",
        ),
        (
            "recompile",
            "automatic_dynamics",
            "'automatic_dynamics' stands for no kind of recompile (",
        ),
        ("recompile", 3, "expected a dict such as {'source': 'self.step', "),
        ("break", "automatic_dynamic", "expected a dict such as {'gb_id': 'GB0059', "),
        ("recompile", {"cause": "shapes", "because": "b"}, "'shapes' is no cause (did you mean"),
        (
            "fallback",
            {"kind": "nothing_compiled", "because": "b"},
            "a contract under which nothing was compiled can never pass: leave this exception out",
        ),
        (
            "fallback",
            {"kind": "recompile_limits", "because": "b"},
            "'recompile_limits' is no kind of fallback (did you mean 'recompile_limit'?)",
        ),
    ],
)
def test_a_faulty_entry(kind: AllowanceKind, entry: object, fault: str) -> None:
    _, faults = parse([{"file": "a", "because": "b"}, entry], kind)
    assert len(faults) == 1
    assert faults[0].startswith(f"[1]: {fault}")


@pytest.mark.parametrize("value", [{"file": "a", "because": "b"}, "automatic_dynamic", 3])
def test_what_is_no_list(value: object) -> None:
    _, faults = parse(value)
    assert len(faults) == 1
    assert faults[0].startswith("expected a list of dicts such as [{'gb_id': 'GB0059', ")


def test_one_for_some_releases_is_there_under_these() -> None:
    entry = {"gb_id": "GB0156", "torch": "<2.9", "because": "2.9 traces it"}
    (allowance,) = parse_allowances([entry], pytest.fail, kind="break")
    assert [allowance.holds_for(torch) for torch in ("2.8.0+cpu", "2.9.0", "2.13.0")] == [
        True,
        False,
        False,
    ]
    assert allowance.to_dict() == entry


def test_none_has_no_exceptions() -> None:
    assert parse(None) == ((), [])


@pytest.mark.parametrize(
    ("kind", "keys", "text"),
    [
        ("break", {"gb_id": "gb0059", "file": "m/*.py"}, "graph break GB0059 in m/*.py"),
        ("break", {"reason": "item", "owner": "own"}, "graph break in own code with reason 'item'"),
        (
            "recompile",
            {"guard": "self.step", "function": "f"},
            "recompile by guard 'self.step' in function f",
        ),
        ("fallback", {"kind": "disabled"}, "fallback disabled"),
    ],
)
def test_description(kind: AllowanceKind, keys: dict[str, str], text: str) -> None:
    assert allowance(kind, **keys).describe() == text


def test_plain_form_is_what_a_person_writes() -> None:
    entry = {"kind": "disabled", "function": "f", "because": "it is known"}
    made = allowance("fallback", kind="disabled", function="f")
    assert made.to_dict() == entry
    assert parse([made.to_dict()], "fallback")[0] == (made,)
