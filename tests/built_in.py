"""The product's levels, loaded once per process, since modules need them during collection."""

from simulator.levels.reading import built_in_levels

LEVELS = built_in_levels()
