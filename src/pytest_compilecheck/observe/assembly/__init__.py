"""Raw records of a watch to what a person counts."""
