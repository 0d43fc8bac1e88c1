"""What pytest does to loggers while a test runs."""

from __future__ import annotations

import logging


def is_pytest_handler(handler: logging.Handler) -> bool:
    """Whether pytest's capture put this handler on a logger, as it does in each phase of a test."""
    return type(handler).__module__.startswith("_pytest.")
