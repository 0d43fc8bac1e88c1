"""The page of pytest's options and their ini twins."""

from __future__ import annotations

from typing import Final

from docs_reference.markdown import code, page, prose, table
from pytest_compilecheck.pytest_layer.options import OPTIONS, SETTINGS, Option

_ABOUT: Final = """\
Options of `pytest`, each with an ini key of the same meaning: in `pytest.ini`, `tox.ini` or
`setup.cfg` as here, in `pyproject.toml` under `[tool.pytest.ini_options]`. A path on the command
line starts where it was typed, one of an ini file at the rootdir. An option of the command line
wins, and has a value: what the ini file gives is taken back with `-o compilecheck_json=`."""
_TYPES: Final = {
    "bool": "`true` or `false`",
    "string": "text",
    "path": "path",
    "report": "path",
    "reports": "lines",
}


def options_page() -> str:
    """The page."""
    options = table(["option", "ini key", "type", "meaning"], [_row(each) for each in OPTIONS])
    settings = table(
        ["ini key", "default", "meaning"],
        [
            [code(each.name), " ".join(map(code, each.default)) or "none", prose(each.help)]
            for each in SETTINGS
        ],
    )
    return page("Options", _ABOUT, [options, "## Ini keys without an option", settings])


def _row(option: Option) -> list[str]:
    value = f"={option.metavar}" if option.metavar else ""
    return [code(option.name + value), code(option.ini), _TYPES[option.kind], prose(option.help)]
