"""Colour arithmetic: contrast, and the distance between colours for four kinds of vision."""

import re
from collections.abc import Sequence

from simulator.web.pictures.palette import colours

Linear = tuple[float, ...]

SIGHTS: dict[str, tuple[tuple[float, float, float], ...]] = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
"""Linear RGB as seen with each kind of vision: Machado, Oliveira and Fernandes 2009, severity 1.0."""
_TO_CONES = (
    (0.4122214708, 0.5363325363, 0.0514459929),
    (0.2119034982, 0.6806995451, 0.1073969566),
    (0.0883024619, 0.2817188376, 0.6299787005),
)
_TO_LAB = (
    (0.2104542553, 0.7936177850, -0.0040720468),
    (1.9779984951, -2.4285922050, 0.4505937099),
    (0.0259040371, 0.7827717662, -0.8086757660),
)


def linear(colour: str) -> Linear:
    """Linear RGB of ``#rrggbb``."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return tuple(part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)


def _times(matrix: Sequence[Sequence[float]], values: Sequence[float]) -> Linear:
    return tuple(sum(factor * value for factor, value in zip(row, values, strict=True)) for row in matrix)


def contrast(one: str, other: str) -> float:
    """The WCAG 2 contrast ratio, from 1 to 21."""
    dark, light = sorted(sum(_times(((0.2126, 0.7152, 0.0722),), linear(colour))) for colour in (one, other))
    return (light + 0.05) / (dark + 0.05)


def distance(one: str, other: str, sight: str) -> float:
    """The OKLab distance of two colours for a kind of vision; about 0.02 is just noticeable, black and white are 1 apart."""
    seen = [_oklab(tuple(min(1.0, max(0.0, part)) for part in _times(SIGHTS[sight], linear(colour)))) for colour in (one, other)]
    return sum((a - b) ** 2 for a, b in zip(*seen, strict=True)) ** 0.5


def _oklab(rgb: Linear) -> Linear:
    return _times(_TO_LAB, [cone ** (1 / 3) for cone in _times(_TO_CONES, rgb)])


def tokens(theme: str) -> dict[str, str]:
    """The colours of a theme by token."""
    return colours(theme)


def patterns(script: str) -> dict[str, str]:
    """The source of the pattern that a timeline script draws over each tone's fill, for tones that have one."""
    table = script.split("const PATTERNS = {", 1)[1].split("\n};", 1)[0]
    return dict(re.findall(r"^  (\w+): ((?:.|\n    |\n  \})*),$", table, re.MULTILINE))
