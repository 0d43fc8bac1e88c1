"""Contract and observation to verdict."""
