"""Which tests, files and library code hold contracts."""
