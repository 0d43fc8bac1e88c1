"""All that touches pytest, beside `plugin`."""
