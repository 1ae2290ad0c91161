"""The database backend of the embedded default: Django's for SQLite, with another way to wait for the write lock."""
