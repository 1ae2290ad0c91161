"""Examples from the documentation, run as written, with the statements about them checked: ``manage.py docs_corpus``."""
