"""A contract's item while it runs."""
