"""Levels: their list and pages, and what the page of an attempt asks for."""
