"""The recorder: events of a watch, kept call by call."""
