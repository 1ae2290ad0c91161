"""The minor versions something applies to: the base of every table whose rows were added or removed in some version."""

from msgspec import Struct

OPEN = 999
"""The end of a span that has not ended."""


class Span(Struct, frozen=True, kw_only=True):
    """The minor versions, both inclusive, that a row of a table applies to; ``since=30`` is 1.30."""

    since: int = 0
    until: int = OPEN

    def holds_for(self, minor: int) -> bool:
        """Whether the span includes ``1.<minor>``."""
        return self.since <= minor <= self.until
