"""The subcommands of `compilecheck`, a file each: `ABOUT`, `add_options` and `run`."""
