"""Recorded answers of an API server to the creation and update of pods, compared with ours: ``manage.py api_answers``."""
