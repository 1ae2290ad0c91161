"""Acts on objects that create pods, one file each."""
