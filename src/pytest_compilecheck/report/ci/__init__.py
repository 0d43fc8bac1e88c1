"""Reports for code hosts and CI: Markdown, annotations, SARIF, JUnit."""
