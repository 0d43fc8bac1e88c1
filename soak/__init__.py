"""Holds thousands of contracts in one process, and looks at what they leave: `python -m soak`."""
