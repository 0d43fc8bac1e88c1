"""What a watch saw, as plain values: they know neither torch nor pytest."""
