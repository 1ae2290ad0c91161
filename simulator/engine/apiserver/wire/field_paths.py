"""Field paths as the API server writes them: ``spec.containers[0].image``, ``metadata.annotations[example.com/a]``."""

import re
from collections.abc import Iterable

Step = str | int
_STEP = re.compile(r"\[([^\]]*)\]|([^.\[\]]+)")
_PLAIN = re.compile(r"[A-Za-z0-9_-]+")


def parse_path(path: str) -> tuple[str, ...]:
    """The steps of a path; list positions stay strings because only the document tells a list from a map."""
    return tuple(match[1] if match[1] is not None else match[2] for match in _STEP.finditer(path))


def format_path(steps: Iterable[Step]) -> str:
    """The path of steps: numbers, and keys that are not plain words, in brackets."""
    text = ""
    for step in steps:
        text = child(text, step)
    return text


def child(path: str, step: Step) -> str:
    """The path of a field, key or list item below ``path``."""
    if isinstance(step, int) or _PLAIN.fullmatch(step) is None:
        return f"{path}[{step}]"
    return f"{path}.{step}" if path else step
