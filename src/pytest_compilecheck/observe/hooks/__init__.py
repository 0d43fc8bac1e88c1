"""Hooks in torch: what each sees becomes an event."""
