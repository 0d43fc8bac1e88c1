"""Runs the trace of a contract under a shape policy, in this process, and measures it."""
