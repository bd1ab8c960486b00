"""Pages, tables and pictures: values in; HTML, Markdown, CSV, LaTeX, SVG out. Knows nothing of how they were made."""
