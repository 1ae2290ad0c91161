"""Levels: their list and pages, and the requests from an attempt's page."""
