"""Standalone pages: landing page, fidelity, reasons, errors, health."""
