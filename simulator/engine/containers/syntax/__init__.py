"""Text of a script to its syntax tree."""
