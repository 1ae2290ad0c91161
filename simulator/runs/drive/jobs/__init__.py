"""Long-running work, carried out separately from pages and runs: its kinds, the queue in the database, and the workers."""
