"""Why a contract cannot be run under a policy."""

from __future__ import annotations


class PolicyError(Exception):
    """The inputs of a contract cannot be made as a policy asks: the message says which and why."""
