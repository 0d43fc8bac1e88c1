"""From records to the end of a run: progress, reports, the baseline, the summary."""
