"""The pages by the name of their file; each is made by a function of its own module."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from docs_reference.baseline_file import baseline_file_page
from docs_reference.commands import commands_page
from docs_reference.contract_fields import contract_fields_page
from docs_reference.contract_file_keys import contract_file_keys_page
from docs_reference.diff_page import diff_page
from docs_reference.environment import environment_page
from docs_reference.exit_statuses import exit_statuses_page
from docs_reference.hooks import hooks_page
from docs_reference.messages_page import messages_page
from docs_reference.options import options_page
from docs_reference.python_names import python_page
from docs_reference.report import report_page
from docs_reference.values_page import values_page

FOLDER: Final = Path(__file__).parents[1] / "docs" / "reference"

PAGES: Final[Mapping[str, Callable[[], str]]] = {
    "contract-fields.md": contract_fields_page,
    "contract-file-keys.md": contract_file_keys_page,
    "options.md": options_page,
    "commands.md": commands_page,
    "python.md": python_page,
    "hooks.md": hooks_page,
    "report.md": report_page,
    "diff.md": diff_page,
    "values.md": values_page,
    "baseline-file.md": baseline_file_page,
    "exit-statuses.md": exit_statuses_page,
    "environment.md": environment_page,
    "messages.md": messages_page,
}
