"""The trace of a contract: shapes, sizes, values and the steps that they make."""
