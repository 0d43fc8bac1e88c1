"""Runs the trace of a contract: its inputs, its steps, the eager run beside it."""
