"""Reads the guards of cached graphs: what they assumed, what is other now, what is likely to be."""
