from __future__ import annotations

import itertools
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from observe.records import change

from pytest_compilecheck.contract.causes import CAUSES
from pytest_compilecheck.observe.values.cures import RESULT_OF_LINE, cure
from pytest_compilecheck.observe.values.place import Frame
from pytest_compilecheck.observe.values.recompile import Holder, Special

PLACE = Frame(file="model.py", line=12, function="forward")
NAME = "cfg.layers[0]['scale']"

# The name of what changed, by its cause, as torch_adapter's facts have it.
SOURCES = {
    "shape": f"{NAME}.size(1)",
    "rank": f"{NAME}.dim()",
    "stride": f"{NAME}.stride(0)",
    "dtype": f"{NAME}.dtype",
    "device": f"{NAME}.device",
    "requires_grad": f"{NAME}.requires_grad",
    "container_length": f"len({NAME})",
    "global_state": "grad mode",
}
# What helps against these is the same for all values.
WITHOUT_NAME = {"hook", "alias", "other"}

changes = st.builds(
    change,
    cause=st.sampled_from(CAUSES),
    holder=st.sampled_from(get_args(Holder)),
    source=st.text(min_size=1, max_size=20) | st.sampled_from(list(SOURCES.values())),
    expected=st.text(max_size=10) | st.sampled_from(["4", "None", "Parameter", "2.5", "nan"]),
    actual=st.text(max_size=10) | st.just("None"),
    automatic_dynamic=st.booleans(),
    special=st.none() | st.sampled_from(get_args(Special)),
    fixed_at=st.none() | st.just(PLACE),
)


@given(changes)
def test_there_is_a_cure_for_any_change(made: Any) -> None:
    assert cure(made)


@pytest.mark.parametrize("cause", CAUSES)
def test_the_cure_is_a_sentence_that_names_the_value(cause: str) -> None:
    specials = (None, *get_args(Special))
    for holder, special, automatic in itertools.product(get_args(Holder), specials, (True, False)):
        told = cure(
            change(
                cause=cause,
                holder=holder,
                source=SOURCES.get(cause, NAME),
                special=special,
                automatic_dynamic=automatic,
                fixed_at=PLACE if special == "specialized" else None,
            )
        )
        assert told == told.strip()
        assert not set("{}\n") & set(told)
        assert "  " not in told
        assert not told.endswith(".")  # the report sets what comes behind it
        named = SOURCES["global_state"] if cause == "global_state" else NAME
        if cause == "module_state":
            named = "scale"  # what to register
        assert cause in WITHOUT_NAME or named in told


MARK = "torch._dynamo.mark_dynamic(x, 1)"
ONCE = "before the first call spares the rebuild"
ALLOW = 'allow_recompiles=["automatic_dynamic"] accepts this one rebuild'


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"automatic_dynamic": True}, f"{MARK} {ONCE}; {ALLOW}"),
        ({}, f"{MARK} before the first call makes it dynamic; else pad to a few sizes"),
        ({"holder": "module"}, "keep x at one size, or compile a module for each size"),
        (
            {"special": "zero_one"},
            (
                "torch compiles sizes 0 and 1 apart from all others: keep x.size(1) at 2 or more"
                " (pad), or allow this rebuild"
            ),
        ),
        (
            {"special": "duck_shape"},
            (
                "torch took x.size(1) and a size of the same value for one: begin with different"
                f" sizes, or mark both, {MARK}"
            ),
        ),
        (
            {"special": "static_parameter"},
            (
                "the sizes of Parameters and buffers are always fixed: keep x at one size, or make"
                " it a plain tensor"
            ),
        ),
        (
            {"special": "condition"},
            (
                "the code branches on x.size(1): decide before the compiled function, or pad to a"
                " few sizes"
            ),
        ),
        (
            {"special": "specialized", "fixed_at": PLACE},
            (
                "model.py:12 needs x.size(1) as a number: write it without one (no Python loop or"
                " fixed view over it), or pad to a few sizes"
            ),
        ),
        # The line is not known.
        (
            {"special": "specialized"},
            f"{MARK} before the first call makes it dynamic; else pad to a few sizes",
        ),
    ],
)
def test_the_cure_for_a_size(fields: dict[str, Any], told: str) -> None:
    assert cure(change(cause="shape", source="x.size(1)", **fields)) == told


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"automatic_dynamic": True}, f"pass n as a tensor to spare the rebuild; {ALLOW}"),
        ({}, "pass n as a tensor"),
        ({"holder": "global"}, "do not change n between calls: pass it as a tensor argument"),
        (
            {"holder": "closure", "expected": "'a'"},
            "do not change n between calls: pass it as an argument, and keep to few values",
        ),
        ({"special": "condition"}, "the code branches on n: decide before the compiled function"),
        (
            {"special": "specialized"},
            "the code needs n as a number (a Python loop, a size): keep it to a few values",
        ),
        (
            {"special": "zero_one"},
            "torch compiles 0 and 1 apart from all other numbers: pass n as a tensor",
        ),
        (
            {"expected": "True"},
            (
                "each value of n gets a graph of its own: decide on it before the compiled"
                " function, or warm up each value and allow as many rebuilds"
            ),
        ),
    ],
)
def test_the_cure_for_a_value(fields: dict[str, Any], told: str) -> None:
    assert cure(change(**fields)) == told


def in_a_tensor(name: str) -> str:
    return (
        f"keep it in a tensor: register_buffer({name!r}, torch.tensor(...)); where gradients flow "
        "through it, change it outside of what is compiled"
    )


@pytest.mark.parametrize(
    ("source", "before", "told"),
    [
        ("self.step", "0", in_a_tensor("step")),
        ("self.h[0]", "2.5", in_a_tensor("h")),
        ("self.d['k'][1]", "-1", in_a_tensor("k")),
        (
            "self.mode",
            "'a'",
            "set self.mode once, before the first call, or pass it as an argument",
        ),
        (
            "self.training",
            "True",
            "train() and eval() get a graph each: compile them apart, or allow the one rebuild",
        ),
    ],
)
def test_the_cure_for_what_a_module_holds(source: str, before: str, told: str) -> None:
    made = change(cause="module_state", holder="module", source=source, expected=before)
    assert cure(made) == told


@pytest.mark.parametrize(
    ("source", "before", "after", "told"),
    [
        ("v", "None", "int", "always pass a value for v: an empty or zero one instead of None"),
        ("v", "Tensor", "None", "always pass a value for v: an empty or zero one instead of None"),
        (
            "w",
            "Tensor",
            "Parameter",
            "pass w as the same kind in all calls: w.detach() is no Parameter",
        ),
        ("v", "int", "float", "convert v to one type before the compiled function"),
        (
            "self",
            "Relu",
            "Gelu",
            (
                "instances of several classes share this code: compile them apart (each class with"
                " a forward of its own), or allow one rebuild for each class"
            ),
        ),
    ],
)
def test_the_cure_for_a_type(source: str, before: str, after: str, told: str) -> None:
    made = change(cause="python_type", source=source, expected=before, actual=after)
    assert cure(made) == told


@pytest.mark.parametrize("cause", ["shape", "python_value", "object_identity"])
@pytest.mark.parametrize(
    ("source", "where"),
    [
        (f"{RESULT_OF_LINE} 12: y = x.item()>", "line 12"),
        (f"{RESULT_OF_LINE} 7>.size(0)", "line 7"),
    ],
)
def test_the_cure_for_what_a_broken_line_left_is_to_mend_the_line(
    cause: str, source: str, where: str
) -> None:
    made = change(cause=cause, source=source)
    assert (
        cure(made) == f"remove the graph break in {where}: nothing is guarded then on what it gives"
    )


@pytest.mark.parametrize(
    ("source", "after", "told"),
    [
        (
            "backend of torch.compile",
            "another one",
            "make the backend function once and pass the same one to each torch.compile",
        ),
        (
            "x",
            "dims marked dynamic: [0]",
            "mark x before its first call, the same way in all calls",
        ),
        ("a guard", "", "keep what the guard names the same in all calls"),
    ],
)
def test_the_cure_for_all_else(source: str, after: str, told: str) -> None:
    assert cure(change(cause="other", source=source, actual=after)) == told
