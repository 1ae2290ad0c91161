"""Case tables: published facts about Kubernetes, put to the functions that a run uses: ``manage.py conformance``."""
