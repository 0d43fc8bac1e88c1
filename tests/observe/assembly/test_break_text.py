"""The texts are what torch itself says, without the parts that only repeat them."""

from __future__ import annotations

import pytest

from pytest_compilecheck.observe.assembly.break_text import (
    BreakText,
    docs_link,
    is_user_exception,
    parse,
)

PRINT_HINTS = """\
  Hint: Avoid calling builtin `print` with argument types ['str']. Consider using an equivalent \
alternative function/method to `print`.
  Hint: If you are attempting to call a logging function (e.g. `print`), you can try adding it to \
`torch._dynamo.config.reorderable_logging_functions`.
  Hint: Please report an issue to PyTorch.

  Developer debug context: builtin print \
[<class 'torch._dynamo.variables.constant.ConstantVariable'>] True
"""
PRINT = f"""\
Failed to trace builtin operator
  Explanation: Dynamo does not know how to trace builtin operator `print` with argument types \
['str'] (has_kwargs True)
{PRINT_HINTS}"""


def visit(number: str) -> str:
    site = "https://meta-pytorch.github.io/compile-graph-break-site/gb"
    return f"\n For more details about this graph break, please visit: {site}/gb{number}.html\n"


# torch 2.13 and 2.15 differ only in the carets of the stacks.
RESUMED_213 = f"""\
Graph break in user code at /project/model.py:20
Graph Break Reason: Encountered graph break when attempting to trace CALL: a function call, e.g. \
f(x, y):

{PRINT}{visit("0059")}
User code traceback:
  File "/project/model.py", line 20, in plain
    print("", end="")
    ~~~~~^^^^^^^^^^^^

Traceback (most recent call last):
  File "torch/_dynamo/exc.py", line 727, in unimplemented
    raise Unsupported(msg, gb_type, skip_frame)
torch._dynamo.exc.Unsupported: {PRINT}{visit("0059")}
"""
IN_CHECKPOINT_213 = f"""\
Graph break in user code at /project/model.py:20
Graph Break Reason: Encountered graph break when attempting to trace CALL: a function call, e.g. \
f(x, y):

Failed to trace builtin operator
  Higher Order Operator: torch.utils.checkpoint.checkpoint
{PRINT.partition(chr(10))[2]}{visit("0059")}
User code traceback:
  File "/project/model.py", line 20, in plain
"""
CHAINED_213 = f"""\
Graph break in user code at /project/model.py:36
Graph Break Reason: Failed to handle graph break gracefully. Skipping the function and falling \
back to eager. Graph break encountered:

{PRINT}{visit("0059")}
*** While handling this graph break, another graph break occurred: ***

Graph break under GenericContextWrappingVariable
  Explanation: Attempted to graph break in an active context manager(s) that doesn't support graph \
breaking.
  Hint: Move the offending context manager(s) to outside the compiled region.
  Hint: This graph break may have been caused by an earlier graph break. Resolving the earlier \
graph break may resolve this one.

  Developer debug context: Active generic context managers: [GenericContextWrappingVariable(C)]
{visit("0066")}
Stack variable source attribution:
  WithExitFunctionVariable() originated from:
  File "/project/model.py", line 34
        with C():

User code traceback:
  File "/project/model.py", line 36, in ctx
    print("", end="")
"""
BRANCH_213 = f"""\
Graph break in user code at /project/model.py:23
Graph Break Reason: Data-dependent branching
  Explanation: Detected data-dependent branching (e.g. `if my_tensor.sum() > 0:`). Dynamo does not \
support tracing dynamic control flow.

      The branch condition involves a tensor computed as follows:
        # File "/project/model.py", line 23, in branch, code: if x.sum() > 0: return x + 1
        gt = gt(sum_1, 0)
    \n\
  Hint: For the common pattern `if tensor_cond: x = transform(x)`
    (e.g. clamping inf/nan values), consider making the code branchless.
  Hint: Use `torch.cond` to express dynamic control flow.

  Developer debug context: attempted to jump with TensorVariable()
{visit("0170")}
User code traceback:
  File "/project/model.py", line 23, in branch
    if x.sum() > 0: return x + 1
"""
REST_213 = f"""\
Graph break in user code at /project/model.py:59
Graph Break Reason: Encountered graph break that we cannot resume from. Compiling up to the \
previous resumable state, then skipping the rest of the function. Graph break encountered:

Call to `torch._dynamo.step_unsupported()`
  Explanation: User-inserted step_unsupported.
  Hint: Remove the `torch._dynamo.step_unsupported()` call.

  Developer debug context: \n\
{visit("4636")}"""
# What the exception itself says, as full-graph mode raises it.
RAISED_213 = f"{PRINT}{visit('0059')}"

CHAINED_28 = f"""\
Graph break: skip: from user code at:
  File "/project/model.py", line 36, in ctx
    print("", end="")

Traceback (most recent call last):
  File "torch/_dynamo/exc.py", line 528, in unimplemented_v2
    raise Unsupported(msg)
torch._dynamo.exc.Unsupported: {PRINT}

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "torch/_dynamo/exc.py", line 527, in unimplemented_v2
    raise Unsupported(msg) from from_exc
torch._dynamo.exc.Unsupported: Graph break under GenericContextWrappingVariable
  Explanation: Attempted to graph break in an active context manager(s) that doesn't support graph \
breaking.
  Hint: Move the offending context manager(s) to outside the compiled region.

  Developer debug context: Active generic context managers: [GenericContextWrappingVariable(C)]


from user code:
   File "/project/model.py", line 36, in ctx
    print("", end="")

Set TORCHDYNAMO_VERBOSE=1 for the internal stack trace
"""
RESUMED_28 = f"""\
Graph break in user code at /project/model.py:20
Graph Break Reason: {PRINT}
User code traceback:
  File "/project/model.py", line 20, in plain
    print("", end="")

Traceback (most recent call last):
  File "torch/_dynamo/exc.py", line 528, in unimplemented_v2
    raise Unsupported(msg)
torch._dynamo.exc.Unsupported: {PRINT}
"""
ONE_LINE_28 = """\
Graph break in user code at /project/model.py:43
Graph Break Reason: Can't find numpy function <function interp at 0x7f5135375940> in torch._numpy. \
 Please file an issue to request support for this function.
User code traceback:
  File "/project/model.py", line 43, in nump
    return torch.as_tensor(np.interp(x.numpy(), [0., 1.], [0., 1.]))

Traceback (most recent call last):
torch._dynamo.exc.Unsupported: Can't find numpy function <function interp at 0x7f5135375940> in \
torch._numpy.  Please file an issue to request support for this function.
"""
ONE_LINE_SKIP_28 = """\
Graph break: skip: from user code at:
  File "/project/model.py", line 9, in f
    log.info("x")

Traceback (most recent call last):
  File "torch/_dynamo/exc.py", line 317, in unimplemented
    raise Unsupported(msg, case_name=case_name)
torch._dynamo.exc.Unsupported: Logger not supported for non-export cases
"""

UNKNOWN_VALUE = """\
Consider annotating your code using torch._check*(). Could not guard on data-dependent expression \
zuf0 > 1.0 (unhinted: zuf0 > 1.0).  (Size-like symbols: none)

consider using data-dependent friendly APIs such as guard_or_false, guard_or_true and \
statically_known_true.
Caused by: if x.max().item() > 1:  # model.py:4 in helper (_dynamo/variables/tensor.py:2606)
"""
BRANCHING = """\
Traceback (most recent call last):
  File "torch/_dynamo/symbolic_convert.py", line 960, in inner
    eval_result = value.evaluate_expr(self.output)
                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
"""
COUNTING = """\
Traceback (most recent call last):
  File "torch/_dynamo/variables/builtin.py", line 1730, in call_range
    args = [x.evaluate_expr() for x in args]
"""
WHERE = "Graph break in user code at /project/model.py:4"
CALLING = "Encountered graph break when attempting to trace CALL: a function call, e.g. f(x, y):"
NO_RESUME = (
    "Encountered graph break that we cannot resume from. Compiling up to the previous resumable"
    " state, then skipping the rest of the function. Graph break encountered:"
)
# The same branch in a function that is inlined, in one from which torch cannot resume, in 2.8.
UNTITLED_213 = f"{WHERE}\nGraph Break Reason: {CALLING}\n\n{UNKNOWN_VALUE}\n{BRANCHING}"
UNTITLED_REST_213 = f"{WHERE}\nGraph Break Reason: {NO_RESUME}\n\n{UNKNOWN_VALUE}\n{BRANCHING}"
UNTITLED_28 = f"{WHERE}\nGraph Break Reason: {UNKNOWN_VALUE}\n{BRANCHING}"
UNTITLED_RANGE_213 = f"{WHERE}\nGraph Break Reason: {CALLING}\n\n{UNKNOWN_VALUE}\n{COUNTING}"

REGISTRY = {
    "Data-dependent branching": "GB0170",
    "Failed to trace builtin operator": "GB0059",
    "Graph break under GenericContextWrappingVariable": "GB0066",
}
PRINT_EXPLAINED = (
    "Dynamo does not know how to trace builtin operator `print` with argument types ['str']"
    " (has_kwargs True)"
)


@pytest.mark.parametrize(
    "text",
    [RESUMED_213, IN_CHECKPOINT_213, CHAINED_213, RAISED_213, RESUMED_28, CHAINED_28],
)
def test_the_first_title_is_the_root(text: str) -> None:
    read = parse(text, REGISTRY)
    assert read.reason == "Failed to trace builtin operator"
    assert read.gb_id == "GB0059"
    assert read.explanation == PRINT_EXPLAINED
    assert [hint.split()[0] for hint in read.hints] == ["Avoid", "If", "Please"]
    assert read.hints[1].endswith("`torch._dynamo.config.reorderable_logging_functions`.")


@pytest.mark.parametrize(
    ("text", "gb_ids"),
    [
        (RESUMED_213, ("GB0059",)),
        (RESUMED_28, ("GB0059",)),
        (CHAINED_213, ("GB0059", "GB0066")),
        (CHAINED_28, ("GB0059", "GB0066")),
        (ONE_LINE_28, ()),
    ],
)
def test_every_id_once_and_the_root_first(text: str, gb_ids: tuple[str, ...]) -> None:
    assert parse(text, REGISTRY).gb_ids == gb_ids


def test_a_title_that_the_registry_lacks_has_no_id() -> None:
    read = parse(RESUMED_28, {})
    assert (read.reason, read.gb_id, read.gb_ids) == ("Failed to trace builtin operator", None, ())


def test_a_link_is_worth_more_than_the_registry() -> None:
    assert parse(RESUMED_213, {"Failed to trace builtin operator": "GB9999"}).gb_id == "GB0059"


@pytest.mark.parametrize(
    ("text", "function", "rest"),
    [
        (RESUMED_213, False, False),
        (RAISED_213, False, False),
        (CHAINED_213, True, False),
        (REST_213, False, True),
        (RESUMED_28, False, False),
        (CHAINED_28, True, False),
        (ONE_LINE_28, False, False),
        (ONE_LINE_SKIP_28, True, False),
    ],
)
def test_what_is_given_up(text: str, function: bool, rest: bool) -> None:
    read = parse(text, REGISTRY)
    assert (read.skips_function, read.skips_rest) == (function, rest)


def test_the_explanation_is_its_first_paragraph() -> None:
    assert parse(BRANCH_213, {}).explanation == (
        "Detected data-dependent branching (e.g. `if my_tensor.sum() > 0:`)."
        " Dynamo does not support tracing dynamic control flow."
    )


def test_a_hint_of_several_lines_is_one_hint() -> None:
    pattern, cond = parse(BRANCH_213, {}).hints
    assert pattern == (
        "For the common pattern `if tensor_cond: x = transform(x)` (e.g. clamping inf/nan values),"
        " consider making the code branchless."
    )
    assert cond == "Use `torch.cond` to express dynamic control flow."


def test_a_message_of_one_line_is_the_reason() -> None:
    read = parse(ONE_LINE_28, REGISTRY)
    assert read.reason.startswith("Can't find numpy function <function interp")
    assert read.reason.endswith("Please file an issue to request support for this function.")
    assert (read.explanation, read.hints) == ("", ())
    assert parse(ONE_LINE_SKIP_28, {}).reason == "Logger not supported for non-export cases"


@pytest.mark.parametrize("text", [UNTITLED_213, UNTITLED_REST_213, UNTITLED_28])
def test_a_branch_on_an_unknown_value_has_the_reason_that_it_has_where_it_stands(text: str) -> None:
    read = parse(text, REGISTRY)
    assert (read.reason, read.gb_id, read.gb_ids) == (
        "Data-dependent branching",
        "GB0170",
        ("GB0170",),
    )
    assert read.explanation.endswith(
        "zuf0 > 1.0 (unhinted: zuf0 > 1.0).  (Size-like symbols: none)"
    )
    assert read.skips_rest == (text is UNTITLED_REST_213)


def test_another_use_of_an_unknown_value_has_a_reason_without_its_expression() -> None:
    read = parse(UNTITLED_RANGE_213, REGISTRY)
    assert read.reason == "Could not guard on data-dependent expression"
    assert read.gb_id is None
    assert "zuf0 > 1.0" in read.explanation


def test_a_message_without_a_title_stands_behind_what_follows_from_it() -> None:
    text = f"{WHERE}\nGraph Break Reason: {CALLING}\n\nsome message\nand more"
    assert parse(text, REGISTRY).reason == "some message"


@pytest.mark.parametrize("text", [CHAINED_213, RESUMED_28, ONE_LINE_28])
def test_no_address_gets_into_a_report(text: str) -> None:
    numbered = text.replace("builtin operator `print`", "<function f at 0x7f91eaad37e0>")
    read = parse(numbered, REGISTRY)
    assert "0x" not in read.reason + read.explanation + "".join(read.hints)


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_a_record_that_says_nothing(text: str) -> None:
    assert parse(text, {}) == BreakText(
        reason="torch gives no reason",
        explanation="",
        hints=(),
        gb_id=None,
        gb_ids=(),
        skips_function=False,
        skips_rest=False,
    )


@pytest.mark.parametrize("within", ["", "  Higher Order Operator: torch.cond\n"])
def test_an_exception_of_the_traced_code(within: str) -> None:
    text = f"Observed exception\n{within}  Explanation: Dynamo found no exception handler."
    assert is_user_exception(text)


def test_the_link_to_the_catalogue() -> None:
    assert docs_link("GB0059") in RESUMED_213
    assert docs_link(None) is None


def test_the_id_of_a_consequence_is_not_that_of_the_root() -> None:
    text = (
        "Graph Break Reason: something new\n  Explanation: why.\n\n"
        "graph break in loop\n  Explanation: it is a loop.\n\n"
        " For more details, visit: https://example.org/gb/gb7000.html\n"
    )
    read = parse(text, {})
    assert (read.reason, read.gb_id, read.gb_ids) == ("something new", None, ("GB7000",))
