"""Pages of their own: landing page, fidelity, reasons, errors, health."""
