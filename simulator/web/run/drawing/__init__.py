"""Pictures of a run as numbers for templates: where the parts of an inline SVG stand. Pure, and the same at every call."""
