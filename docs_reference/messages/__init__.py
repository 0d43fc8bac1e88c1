"""Finds, in the source, what the plugin can say to a person."""
