"""Contracts written from what was seen."""
