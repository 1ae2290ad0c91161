"""Acts on objects of any kind."""
