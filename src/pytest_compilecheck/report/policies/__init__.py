"""What is said of shape policies."""
