"""A dictionary whose copy costs what was written since the last one: for large tables that are written often and read seldom.

What an earlier copy has closed is shared by all copies and never changes; what was written since lies above it.
"""

from collections.abc import Hashable, ItemsView, Iterator, MutableMapping, ValuesView
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Layered(MutableMapping[Key, Value]):
    """Behaves as a dict without None among its values, the order of its keys included.

    A read costs about twice what a dict's does; the first deletion after a copy, O(n).
    """

    __slots__ = ("_closed", "_open")

    def __init__(self) -> None:
        self._closed: dict[Key, Value] = {}
        self._open: dict[Key, Value] = {}

    def __getitem__(self, key: Key) -> Value:
        return self._open[key] if key in self._open else self._closed[key]

    def get(self, key: Key, default: Value | None = None) -> Value | None:  # type: ignore[override]
        """The value of the key, else ``default``."""
        value = self._open.get(key)
        return self._closed.get(key, default) if value is None else value

    def __setitem__(self, key: Key, value: Value) -> None:
        self._open[key] = value

    def __delitem__(self, key: Key) -> None:
        if self._closed:
            self._open, self._closed = {**self._closed, **self._open}, {}
        del self._open[key]

    def __contains__(self, key: object) -> bool:
        return key in self._open or key in self._closed

    def __iter__(self) -> Iterator[Key]:
        return iter(self._whole())

    def values(self) -> ValuesView[Value]:
        """The values in the order of their keys."""
        return self._whole().values()

    def items(self) -> ItemsView[Key, Value]:
        """The entries in the order of their keys."""
        return self._whole().items()

    def __len__(self) -> int:
        return len(self._closed) + sum(key not in self._closed for key in self._open) if self._closed else len(self._open)

    def _whole(self) -> dict[Key, Value]:
        """Both layers as one dictionary. O(n) where something was written since the last copy."""
        if not self._open:
            return self._closed
        return {**self._closed, **self._open} if self._closed else self._open

    def copy(self) -> "Layered[Key, Value]":
        """An independent dictionary. O(entries written since the last copy); now and then, when these have become many, O(n)."""
        if len(self._open) * _SHARE > len(self._closed):
            self._closed, self._open = self._whole(), {}
        twin: Layered[Key, Value] = Layered()
        twin._closed, twin._open = self._closed, self._open.copy()
        return twin


_SHARE = 4
"""A layer of more than a quarter of what lies below it is closed too."""
