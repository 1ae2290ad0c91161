"""A dictionary that is cheap to copy: a copy costs what was written since the last one. For large tables often written, seldom read.

What an earlier copy has sealed is shared by all copies and never changes (``below``); what was written since lies above it
(``top``). Hot paths write ``table.top[key] = value`` and read ``table.top.get(key) or table.below.get(key)``, without a call.
"""

from collections.abc import Hashable, ItemsView, Iterator, MutableMapping, ValuesView
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Layered(MutableMapping[Key, Value]):
    """Behaves like a dict whose values are never None, including the order of its keys.

    A read costs about twice as much as a dict's; the first deletion after a copy is O(n).
    """

    __slots__ = ("below", "top")

    def __init__(self) -> None:
        self.below: dict[Key, Value] = {}
        self.top: dict[Key, Value] = {}

    def __getitem__(self, key: Key) -> Value:
        return self.top[key] if key in self.top else self.below[key]

    def get(self, key: Key, default: Value | None = None) -> Value | None:  # type: ignore[override]
        """The value of the key, or ``default``."""
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
        """The values in key order."""
        return self._whole().values()

    def items(self) -> ItemsView[Key, Value]:
        """The items in key order."""
        return self._whole().items()

    def __len__(self) -> int:
        return len(self.below) + sum(key not in self.below for key in self.top) if self.below else len(self.top)

    def _whole(self) -> dict[Key, Value]:
        """Both layers as one dictionary. O(n) if something was written since the last copy."""
        if not self.top:
            return self.below
        return {**self.below, **self.top} if self.below else self.top

    def copy(self) -> "Layered[Key, Value]":
        """An independent dictionary. O(entries written since the last copy); occasionally, when these have become many, O(n)."""
        if len(self.top) * _SHARE > len(self.below):
            self.below, self.top = self._whole(), {}
        twin: Layered[Key, Value] = Layered()
        twin.below, twin.top = self.below, self.top.copy()
        return twin


_SHARE = 4
"""A layer larger than this fraction (a quarter) of the one below is merged into it."""
