"""Indexes of the store: which keys belong to a namespace, a node, a label or an owner. A query costs as much as its result.

A fork must not copy them: forks share buckets until one of them writes, and then only that bucket is copied.
"""

from collections.abc import Collection, Hashable, Iterable
from typing import Generic, TypeVar

Bucket = TypeVar("Bucket", bound=Hashable)
Item = TypeVar("Item", bound=Hashable)


class Index(Generic[Bucket, Item]):
    """Sets of items by bucket, each in insertion order."""

    __slots__ = ("_mine", "_size", "held")

    def __init__(self) -> None:
        self.held: dict[Bucket, dict[Item, None]] = {}  # every non-empty bucket; others read it directly where a call would cost too much
        self._mine: dict[Bucket, None] = {}  # buckets that no fork shares
        self._size = 0

    def _writable(self, bucket: Bucket) -> dict[Item, None]:
        held = self.held.get(bucket)
        if held is None or bucket not in self._mine:
            held = self.held[bucket] = dict(held or ())
            self._mine[bucket] = None
        return held

    def add(self, bucket: Bucket, item: Item) -> None:
        """Put an item into a bucket; an item already there keeps its place."""
        held = self.held.get(bucket)
        if held is None or bucket not in self._mine:
            held = self._writable(bucket)
        self._size += item not in held
        held[item] = None

    def drop(self, bucket: Bucket, item: Item) -> None:
        """Remove an item from a bucket, if it is there."""
        if item not in self.held.get(bucket, ()):
            return
        held = self._writable(bucket)
        del held[item]
        self._size -= 1
        if not held:
            del self.held[bucket], self._mine[bucket]

    def of(self, bucket: Bucket) -> Collection[Item]:
        """The items of a bucket, in insertion order. Copy them before writing."""
        return self.held.get(bucket, ())

    def buckets(self) -> Iterable[Bucket]:
        """The buckets that are not empty."""
        return self.held

    def copy(self) -> "Index[Bucket, Item]":
        """An independent index with the same items. O(buckets)."""
        twin: Index[Bucket, Item] = Index()
        twin.held, twin._size = self.held.copy(), self._size
        self._mine = {}
        return twin

    def __len__(self) -> int:
        return self._size
