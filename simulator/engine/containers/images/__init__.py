"""Images: their names, and what is known about public ones."""
