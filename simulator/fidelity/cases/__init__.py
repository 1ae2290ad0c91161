"""Case tables: published facts about Kubernetes, checked against the functions that a run uses: ``manage.py conformance``."""
