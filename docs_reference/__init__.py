"""Writes the reference pages of docs/ from the code: `python -m docs_reference`."""
