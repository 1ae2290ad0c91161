"""The levels of the product, read once in a process: modules ask for them while tests are collected."""

from simulator.levels.reading import built_in_levels

LEVELS = built_in_levels()
