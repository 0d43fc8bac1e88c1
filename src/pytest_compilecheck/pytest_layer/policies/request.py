"""What the process of one policy is told: which test, which policy, under which options."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_compilecheck.pytest_layer.node_id import node_id
from pytest_compilecheck.pytest_layer.options import OPTIONS
from pytest_compilecheck.pytest_layer.policies.chosen import CHOSEN
from pytest_compilecheck.pytest_layer.settings import KEY

# Options of pytest and of plugins in wide use that choose tests, show or write something, or start
# processes: that is the business of the run that measures, not of the process for one policy.
_OF_THE_RUN: Final = """
file_or_dir keyword markexpr deselect ignore ignore_glob pyargs collectonly lf failedfirst
newfirst last_failed_no_failures stepwise stepwise_skip stepwise_reset maxfail setuponly
setupshow setupplan usepdb usepdb_cls trace xmlpath junitprefix pastebin durations
durations_min debug cacheclear cacheshow showfixtures show_fixtures_per_test markers version
help verbose color code_highlight reportchars tbstyle xfail_tb showcapture no_header no_summary
basetemp capture plugins override_ini inifilename rootdir importmode log_file log_cli_level
numprocesses maxprocesses maxworkerrestart dist tx px rsyncdir rsyncignore looponfail
testrunuid distload maxschedchunk htmlpath css self_contained_html reruns reruns_delay
timeout session_timeout shard_id num_shards splits group
"""
_NOT_HANDED_ON: Final = frozenset(_OF_THE_RUN.split())
_PREFIXES: Final = ("compilecheck", "cov", "no_cov", "json_report", "benchmark")

Json = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyRequest:
    """Made by the run that compares, read by the process that measures one policy.

    `arguments` are those of pytest, `options` values of options that its command line does not
    say, `chosen` the policies of the run in place of the contract's (None for the contract's own),
    `policy` the name of the one to measure. What was measured goes to `output`, how far it is to
    `progress`.
    """

    node: str
    policy: str
    arguments: list[str]
    options: Json
    sys_path: list[str]
    output: str
    progress: str
    chosen: list[Any] | None = field(default=None)

    def write(self, path: Path) -> None:
        """Write it for the process."""
        path.write_text(json.dumps(asdict(self)), encoding="utf-8")

    @classmethod
    def read(cls, path: str) -> PolicyRequest:
        """Inverse of `write`."""
        return cls(**json.loads(Path(path).read_text(encoding="utf-8")))


def request_for(item: pytest.Item, policy: str, folder: Path) -> PolicyRequest:
    """The request for one policy of an item's contract; `folder` is for its files."""
    config = item.config
    chosen = config.stash.get(CHOSEN, None)
    return PolicyRequest(
        node=node_id(item),
        policy=policy,
        arguments=_arguments(item, folder),
        options=_options(config),
        sys_path=list(sys.path),
        output=str(folder / "measured.json"),
        progress=str(folder / "progress.json"),
        chosen=None if chosen is None else list(chosen),
    )


def _arguments(item: pytest.Item, folder: Path) -> list[str]:
    """pytest's arguments for the file of an item: same rootdir, settings and plugins."""
    config = item.config
    settings = config.stash[KEY]
    plugins = [each for each in config.option.plugins or () if each != "no:terminal"]
    quiet = {each.ini: "false" if each.kind == "bool" else "" for each in OPTIONS}
    # Arguments of the setting are in the options already; nothing of the run's cache is touched.
    quiet |= {"addopts": "", "cache_dir": str(folder / "cache")}
    quiet["compilecheck_policies_seconds"] = str(settings.policies_seconds)
    overridden = [*(config.option.override_ini or ()), *map("=".join, quiet.items())]
    return [
        *(["-c", str(config.inipath)] if config.inipath is not None else []),
        f"--rootdir={config.rootpath}",
        f"--import-mode={config.getoption('importmode')}",
        *(part for plugin in plugins for part in ("-p", plugin)),
        *(part for text in overridden for part in ("-o", text)),
        "--compilecheck",
        f"--compilecheck-backend={settings.backend}",
        "-q",
        "--tb=short",
        str(item.path),
    ]


def _options(config: pytest.Config) -> Json:
    """Values of the other options, of the project's own above all; what JSON can carry."""
    return {
        name: value
        for name, value in vars(config.option).items()
        if name not in _NOT_HANDED_ON and not name.startswith(_PREFIXES) and _is_plain(value)
    }


def _is_plain(value: object) -> bool:
    try:
        return bool(json.loads(json.dumps(value)) == value)
    except (TypeError, ValueError):
        return False
