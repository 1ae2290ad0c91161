"""Acts on pods and their namespace."""
