"""Contract files in YAML: read, checked, and turned into the values of `contract`."""
