"""Command lines of kubectl that change something: which commands of the run they mean, and what kubectl prints of what became of them."""
