"""Levels: graded exercises. ``level.py`` is the data model, ``reading.py`` parses a file, ``trial.py`` tests a level by playing it.

The built-in levels are in the folders of this package, one for each track.
"""
