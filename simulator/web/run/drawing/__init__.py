"""Layouts of pictures of a run, as coordinates for inline SVG in templates. Pure and deterministic."""
