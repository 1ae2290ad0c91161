"""Links, the frames in which other sites show them, and scenarios as files."""
