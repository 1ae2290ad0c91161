"""The default database backend: Django's for SQLite, with a different way of waiting for the write lock."""
