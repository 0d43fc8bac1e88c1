"""How a text is told, by the function or the error that it is given to."""

from __future__ import annotations

import ast
from typing import Final

_FAULT: Final = "fault of a contract"
_REFUSED: Final = "a command stops, exit status 2"
_USAGE: Final = "the run stops, exit status 4"
_FAILURE: Final = "the test fails"
_BASELINE: Final = "fault of a baseline"
_UNWATCHED: Final = "a problem: no figure is certain, and the contract fails"
_PROBLEM: Final = "a doubt: the figure is unknown"

WAYS: Final = {
    "report": _FAULT,
    "Fault": _FAULT,
    "fault": _FAULT,
    "_unreadable": _FAULT,
    "UnreadableError": _FAULT,
    "ContractError": _FAULT,
    "BoundError": _FAULT,
    "BadRowError": _FAULT,
    "ScalarError": _FAULT,
    "_refused": _FAULT,
    "TargetError": "the contract cannot be run",
    "InputError": "the contract cannot be run",
    "NoGradientError": "the contract cannot be run",
    "IncomparableError": "match_eager does not hold",
    "HookError": "a plugin is at fault",
    "wrong": "a plugin is at fault",
    "UsageError": _USAGE,
    "UnsupportedTorchError": _USAGE,
    "_usage_error": _USAGE,
    "CollectError": "the collection fails",
    "fail": _FAILURE,
    "fail.Exception": _FAILURE,
    "skip.Exception": "the test is skipped",
    "Violation": _FAILURE,
    "at_most": _FAILURE,
    "at_least": _FAILURE,
    "_at_most": _FAILURE,
    "_at_least": _FAILURE,
    "unknown": _FAILURE,
    "refuse": _FAULT,
    "refused": _REFUSED,
    "InitError": _REFUSED,
    "OptionError": _REFUSED,
    "MergeError": _REFUSED,
    "ReportError": _REFUSED,
    "PlotError": _REFUSED,
    "FormatError": _REFUSED,
    "MismatchError": _REFUSED,
    "ArgumentTypeError": _REFUSED,
    "BaselineError": _BASELINE,
    "_FaultError": _BASELINE,
    "PolicyError": "the policy is not measured",
    "Doubt": _PROBLEM,
    "doubt": _PROBLEM,
    "Source": _PROBLEM,
    "_NotNowError": _PROBLEM,
    "trouble": _UNWATCHED,
    "_trouble": _UNWATCHED,
    "write_line": "printed",
    "TypeError": "an error in Python",
    "ValueError": "an error in Python",
    "RuntimeError": "an error in Python",
    "AttributeError": "an error in Python",
}
"""Names of functions and errors; what is given to none is handed on and told elsewhere."""

QUIET: Final = {
    "KeyError": "is caught where it is raised for",
    "NotImplementedError": "a subclass has the method",
    "OSError": "the error of the system, with the path that it is about",
    "ContractViolation": "its text is the headline of a record, which judge/ and report/ make",
    "_UnknownError": "is caught: a figure is unknown",
    "_DoubtsError": "is caught: it carries doubts, which stand under Source",
}
"""Errors that bring no text of their own, each with the reason."""

ASIDE: Final = {
    # They stand on pages of their own.
    "Field", "Option", "Setting", "Format", "add", "add_argument", "addoption", "help=",
    "description", "_told", "ABOUT", "_EXAMPLE", "MARKER", "VARIABLES", "FILE_KEYS",
    "RECORDED_KEYS", "ENTRY_KEYS", "_MEANINGS",
    # No person reads them.
    "cast", "compile", "fullmatch", "search", "sub", "PROGRAM", "_OF_THE_RUN",
}  # fmt: skip
"""Calls, keywords, keys and names whose texts are no messages."""

FOREIGN: Final = {
    "torch.compile stance is 'fail_on_recompile'",
    "Dynamo recompile limit exceeded",
    "Attempt to trace generator",
    "Unsupported functorch tracing attempt",
    "Skipping the function and falling back to eager",
    "skipping the rest of the function",
    "which results in a skip",
    "fullgraph=True found no compiled frames",
    "skipping cudagraphs due to",
    "Tensor-likes are not close!",
    "end of stream .*quoted scalar",
    "cannot start any token",
    "could not find expected ':'",
    "mapping values are not allowed|mapping keys are not allowed",
    "sequence entries are not allowed",
    "scanning a tag|parsing a tag",
    "directive|document start",
    "tracing is disabled",
    "error was suppressed",
    "custom frame execution",
    "no tensor-related",
    "No ops traced",
    "User stack trace:",
    "from user code:",
    "Graph Break Reason:",
    "Graph break: skip:",
    "TorchDynamo Cache Lookup",
}
"""What torch and PyYAML say, and is looked for in their texts."""

DRAWN: Final = ("report/html/", "report/charts/", "report/ci/junit.py")
"""What makes a page, a picture or XML: only what is raised there is a message."""

FIELDS_ASIDE: Final = ("annotation", "returns", "slice")
"""Parts of the syntax that are never shown."""


def callee(node: ast.AST) -> str:
    """What is called or raised, by its last name: "UsageError" of pytest.UsageError(...).

    Of pytest's outcomes the last two: "fail.Exception" of pytest.fail.Exception(...).
    """
    if isinstance(node, ast.Call):
        return callee(node.func)
    if isinstance(node, ast.Attribute):
        outer = node.value.attr if isinstance(node.value, ast.Attribute) else ""
        return f"{outer}.Exception" if node.attr == "Exception" else node.attr
    return node.id if isinstance(node, ast.Name) else ""
