"""The API server's object store: one way in for every request about any kind."""
