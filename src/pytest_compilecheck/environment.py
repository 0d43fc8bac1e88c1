"""The environment variables that are read, each with what it does."""

from __future__ import annotations

from typing import Final

CI: Final = "CI"
GITHUB_ACTIONS: Final = "GITHUB_ACTIONS"
GITHUB_STEP_SUMMARY: Final = "GITHUB_STEP_SUMMARY"
GITHUB_WORKSPACE: Final = "GITHUB_WORKSPACE"
INDUCTOR: Final = "TORCHINDUCTOR_CACHE_DIR"
TRITON: Final = "TRITON_CACHE_DIR"
DYNAMO_OFF: Final = "TORCHDYNAMO_DISABLE"
POLICY_REQUEST: Final = "COMPILECHECK_POLICY_REQUEST"

VARIABLES: Final = {
    CI: "Set to anything but an empty text, 0 or false: a baseline is written only where"
    " --compilecheck-update-in-ci (`--in-ci` of `compilecheck baseline`) says so.",
    GITHUB_ACTIONS: "Where it is true, GitHub's annotations are printed;"
    " --compilecheck-annotations says otherwise.",
    GITHUB_STEP_SUMMARY: "The file to which a report in Markdown is appended, as the summary of a"
    " job of GitHub Actions.",
    GITHUB_WORKSPACE: "The checkout: paths in annotations and SARIF start from it, if the rootdir"
    " lies in it; from the rootdir without it.",
    INDUCTOR: "Where Inductor's files of contracts lie and stay, for each worker of pytest-xdist in"
    " a folder of its own; a temporary directory without it.",
    TRITON: "Where Triton keeps its kernels; beside Inductor's files without it.",
    DYNAMO_OFF: "Where it is 1, torch compiles nothing: the check of torch that comes before the"
    " first contract is left out, and no contract passes.",
    POLICY_REQUEST: "Set by the plugin for the process that measures a policy, and read there; not"
    " for people.",
}
"""Meaning of each variable that is read, by name, in the order of the documentation."""
