"""A dictionary whose copy costs what was written since the last one: for large tables that are written often and read seldom.

What an earlier copy has closed is shared by all copies and never changes (``below``); what was written since lies above it
(``top``). Hot paths write ``table.top[key] = value`` and read ``table.top.get(key) or table.below.get(key)``, without a call.
"""

from collections.abc import Hashable, ItemsView, Iterator, MutableMapping, ValuesView
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Layered(MutableMapping[Key, Value]):
    """Behaves as a dict without None among its values, the order of its keys included.

    A read costs about twice what a dict's does; the first deletion after a copy, O(n).
    """

    __slots__ = ("below", "top")

    def __init__(self) -> None:
        self.below: dict[Key, Value] = {}
        self.top: dict[Key, Value] = {}

    def __getitem__(self, key: Key) -> Value:
        return self.top[key] if key in self.top else self.below[key]

    def get(self, key: Key, default: Value | None = None) -> Value | None:  # type: ignore[override]
        """The value of the key, else ``default``."""
        value = self.top.get(key)
        return self.below.get(key, default) if value is None else value

    def __setitem__(self, key: Key, value: Value) -> None:
        self.top[key] = value

    def __delitem__(self, key: Key) -> None:
        if self.below:
            self.top, self.below = {**self.below, **self.top}, {}
        del self.top[key]

    def __contains__(self, key: object) -> bool:
        return key in self.top or key in self.below

    def __iter__(self) -> Iterator[Key]:
        return iter(self._whole())

    def values(self) -> ValuesView[Value]:
        """The values in the order of their keys."""
        return self._whole().values()

    def items(self) -> ItemsView[Key, Value]:
        """The entries in the order of their keys."""
        return self._whole().items()

    def __len__(self) -> int:
        return len(self.below) + sum(key not in self.below for key in self.top) if self.below else len(self.top)

    def _whole(self) -> dict[Key, Value]:
        """Both layers as one dictionary. O(n) where something was written since the last copy."""
        if not self.top:
            return self.below
        return {**self.below, **self.top} if self.below else self.top

    def copy(self) -> "Layered[Key, Value]":
        """An independent dictionary. O(entries written since the last copy); now and then, when these have become many, O(n)."""
        if len(self.top) * _SHARE > len(self.below):
            self.below, self.top = self._whole(), {}
        twin: Layered[Key, Value] = Layered()
        twin.below, twin.top = self.below, self.top.copy()
        return twin


_SHARE = 4
"""A layer of more than a quarter of what lies below it is closed too."""
