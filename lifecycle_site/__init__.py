"""Podscope's Django project: settings and entry points, nothing about pods."""
