"""Measurements behind ``make bench``. Nothing here runs in a site."""
