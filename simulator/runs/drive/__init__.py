"""The loop around the engine: it owns runs, keeps them on their clocks, and appends what happens to the log."""
