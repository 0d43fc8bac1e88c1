"""The command: writes the pages anew, and names those that changed."""

from __future__ import annotations

import sys

from docs_reference.pages import FOLDER, PAGES


def main() -> None:
    """Run the command."""
    for name, page in PAGES.items():
        file = FOLDER / name
        text = page()
        if not file.exists() or file.read_text("utf-8") != text:
            file.write_text(text, encoding="utf-8", newline="\n")
            sys.stdout.write(f"{file.name} is written\n")


main()
