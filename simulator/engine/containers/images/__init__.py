"""Images: their names, and what is known of public ones."""
