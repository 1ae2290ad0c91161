"""What is stored of a run, and what is read back from it: its row and clock, acts, records, content, and the way to any moment of them."""
