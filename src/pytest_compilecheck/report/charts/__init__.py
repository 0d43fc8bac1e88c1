"""Charts of a report as Vega-Lite specifications: plain dicts, drawn in the page or to a file."""
