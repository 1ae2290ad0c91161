"""Acts on nodes and their machines."""
