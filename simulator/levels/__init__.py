"""Levels: graded exercises. ``level.py`` is the form, ``reading.py`` takes a file in, ``trial.py`` judges a level by playing it.

The levels of the product stand in the folders of this package, one for each track.
"""
