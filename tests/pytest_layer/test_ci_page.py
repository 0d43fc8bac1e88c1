"""What docs/ci.md tells people to write can be read, and names what there is."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_compilecheck import cli
from pytest_compilecheck.pytest_layer.options import OPTIONS
from pytest_layer.pages import DOCS, blocks_in

ROOT = DOCS.parent
PAGE = (DOCS / "ci.md").read_text("utf-8")
YAML = [yaml.safe_load(block) for block in blocks_in("ci.md", "yaml")]


def kind(wanted: str) -> list[Any]:
    """The YAML blocks of a kind, which stands behind the language."""
    kinds = re.findall(r"^```yaml (\S+)$", PAGE, re.MULTILINE)
    assert len(kinds) == len(YAML)
    found = [block for block, each in zip(YAML, kinds, strict=True) if each == wanted]
    assert found
    return found


def steps() -> list[dict[str, Any]]:
    return [
        step
        for workflow in kind("workflow")
        for job in workflow["jobs"].values()
        for step in job["steps"]
    ]


def test_workflows_have_what_github_asks_for() -> None:
    for workflow in kind("workflow"):
        # YAML 1.1 reads the key `on` as true.
        assert {"name", True, "permissions", "jobs"} == set(workflow)
    assert all(("run" in step) != ("uses" in step) for step in steps())
    assert [step for step in steps() if "${{" in step.get("run", "")] == []


def test_the_action_is_given_inputs_that_it_has() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    (given,) = [step["with"] for step in steps() if "OWNER/" in step.get("uses", "")]
    assert set(given) <= set(action["inputs"])
    told = re.search(r"The other inputs: (.*?)\. A fork", PAGE, re.DOTALL)
    assert told is not None
    assert set(re.findall(r"`([\w-]+)`", told[1])) == set(action["inputs"]) - set(given)


def test_every_option_is_there() -> None:
    named = set(re.findall(r"--compilecheck[\w-]*", PAGE))
    assert named <= {option.name for option in OPTIONS}


def test_commands_take_what_they_are_given(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []
    monkeypatch.setattr(cli, "_run", lambda options: ran.append(options.run.__module__) or 0)
    commands = [line for block in blocks_in("ci.md", "shell") for line in block.splitlines()]
    ours = [shlex.split(line)[1:] for line in commands if line.startswith("compilecheck ")]
    for arguments in ours:
        assert cli.main(arguments) == 0
    assert [name.rpartition(".")[2] for name in ran] == [arguments[0] for arguments in ours]
    assert ours


def test_the_hook_is_the_one_of_the_repository() -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    named, local = (block["repos"][0]["hooks"][0] for block in kind("pre-commit"))
    assert named == {"id": hook["id"]}
    del hook["description"]
    assert local == hook


def test_artifacts_of_gitlab_are_what_the_command_writes() -> None:
    (pipeline,) = kind("gitlab")
    job = pipeline["compile-contracts"]
    script = " ".join(job["script"])
    written = set(re.findall(r"--(?:compilecheck-(?:json|markdown)|junitxml)=(\S+)", script))
    assert written == {*job["artifacts"]["paths"], job["artifacts"]["reports"]["junit"]}
    assert pipeline["compile-contracts-note"]["needs"][0]["job"] == "compile-contracts"


def test_pages_that_it_links_are_there() -> None:
    links = [link for link in re.findall(r"\]\(([^)]+)\)", PAGE) if "://" not in link]
    assert [link for link in links if not Path(DOCS, link).exists()] == []
