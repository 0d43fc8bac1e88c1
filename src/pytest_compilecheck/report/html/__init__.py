"""The report as one page: it opens from disk and asks no network for anything."""
