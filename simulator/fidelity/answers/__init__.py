"""Recorded answers of an API server to creates and changes of pods, held against ours: ``manage.py api_answers``."""
