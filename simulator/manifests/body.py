"""In which order the values of a JSON text stand."""

import json
import sys
from typing import Any

Place = tuple[int, ...]
NOWHERE: Place = (sys.maxsize,)
"""Behind everything that the text holds."""


class Order:
    """The order of a JSON text. It is read once; a question costs O(depth), and O(keys) for the first of a map."""

    def __init__(self, body: str) -> None:
        try:
            self._root: Any = json.loads(body)
        except ValueError:
            self._root = None
        self._keys: dict[int, dict[str, int]] = {}

    def place(self, steps: tuple[str, ...]) -> Place:
        """What sorts as the value at a path of keys and list positions stands; NOWHERE where there is none."""
        value, place = self._root, []
        for step in steps:
            if isinstance(value, dict) and step in value:
                place.append(self._index(value)[step])
                value = value[step]
            elif isinstance(value, list) and step.isdecimal() and len(step) < 10 and int(step) < len(value):
                place.append(int(step))
                value = value[int(step)]
            else:
                return NOWHERE
        return tuple(place)

    def _index(self, value: dict[str, Any]) -> dict[str, int]:
        if id(value) not in self._keys:
            self._keys[id(value)] = {key: n for n, key in enumerate(value)}
        return self._keys[id(value)]
