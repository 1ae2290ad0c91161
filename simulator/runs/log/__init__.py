"""A run's stored data and how to read it back: its row and clock, acts, records and content, and the world at any moment."""
