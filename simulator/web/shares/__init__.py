"""Links, the frames other sites show them in, and scenarios as files."""
