"""From the text of a script to its syntax tree."""
