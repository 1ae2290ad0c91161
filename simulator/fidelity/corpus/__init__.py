"""Examples of the documentation, run as written, and what is said about them checked: ``manage.py docs_corpus``."""
