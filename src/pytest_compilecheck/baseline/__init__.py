"""The ratchet: what is known today, held in a file, so that a run fails only for what is new."""
