"""The subcommands of `compilecheck`, a file each with `ABOUT`, `add_options` and `run`."""
