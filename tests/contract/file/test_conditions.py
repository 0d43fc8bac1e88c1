from __future__ import annotations

import pytest
from contract.file.loading import assert_faults, load_one

from pytest_compilecheck.contract.file.values import Excuse

HEAD = "version: 1\ncontracts:\n  it:\n    target: m:f\n"


def test_conditions() -> None:
    contract = load_one(
        """
        requires: {transformers: ">=5", einops: ""}
        marks: [slow, gpu]
        skip: too slow
        xfail: {reason: known, torch: "<2.9"}
        """
    )
    assert contract.requires == {"transformers": ">=5", "einops": ""}
    assert contract.marks == ("slow", "gpu")
    assert (contract.skip, contract.xfail) == (Excuse("too slow"), Excuse("known", "<2.9"))


def test_without_conditions() -> None:
    for contract in (load_one(""), load_one("requires:\nmarks:\nskip:\nxfail:")):
        assert (contract.requires, contract.marks) == ({}, ())
        assert (contract.skip, contract.xfail) == (None, None)


def test_faults_of_requires() -> None:
    assert_faults(
        f"{HEAD}    requires: {{a: §5, b: §'5', c: §latest, §'': '', d: §null, e: ' >= 1 , < 2 '}}",
        "requires['a']: expected a version specifier such as '>=5', or '' for any version, got 5",
        "requires['b']: expected a version specifier such as '>=5', or '' for any version, got '5'",
        "requires['c']: expected a version specifier such as '>=5', or '' for any version,"
        " got 'latest'",
        "requires: a package has a name, got ''",
        "requires['d']: expected a version specifier such as '>=5', or '' for any version,"
        " got null",
    )
    assert_faults(
        f"{HEAD}    requires: §[torch]\n",
        "requires: expected a mapping such as {transformers: '>=5'}, got ['torch']",
    )


def test_faults_of_marks() -> None:
    assert_faults(
        f"{HEAD}    marks: [slow, §skip, §parametrize, §'a b', §5, §'slow(1)']\n",
        "marks[1]: 'skip' cannot be given here: write the key skip",
        "marks[2]: 'parametrize' cannot be given here: write the key matrix",
        "marks[3]: expected the name of a pytest mark, got 'a b'",
        "marks[4]: expected the name of a pytest mark, got 5",
        "marks[5]: expected the name of a pytest mark, got 'slow(1)'",
    )
    assert_faults(
        f"{HEAD}    marks: §slow\n", "marks: expected a list of marks such as [slow], got 'slow'"
    )


@pytest.mark.parametrize("key", ["skip", "xfail"])
@pytest.mark.parametrize(
    ("value", "messages"),
    [
        ("§''", [": say why, in a text that is not empty, got ''"]),
        ("§5", [": expected a reason, or {reason: ..., torch: '<2.9'}, got 5"]),
        ("§true", [": expected a reason, or {reason: ..., torch: '<2.9'}, got true"]),
        ("§{}", [": say why: add reason: '...'"]),
        ("{reason: §' '}", ["['reason']: say why, in a text that is not empty, got ' '"]),
        (
            "§{§raeson: x}",
            [": say why: add reason: '...'", ": 'raeson' is no key here (did you mean 'reason'?)"],
        ),
        ("{§because: x}", [": 'because' is no key here (did you mean 'reason'?)"]),
        (
            "{reason: x, torch: §''}",
            ["['torch']: expected a version specifier such as '>=5', got ''"],
        ),
        (
            "{reason: x, torch: §2.9}",
            ["['torch']: expected a version specifier such as '>=5', got 2.9"],
        ),
        (
            "{reason: x, torch: §null}",
            ["['torch']: expected a version specifier such as '>=5', got null"],
        ),
    ],
)
def test_faults_of_excuses(key: str, value: str, messages: list[str]) -> None:
    assert_faults(f"{HEAD}    {key}: {value}\n", *(f"{key}{message}" for message in messages))
