"""For which minor versions something holds: the base of every table whose rows came with a version or went with one."""

from msgspec import Struct

OPEN = 999
"""The end of a span that has not ended."""


class Span(Struct, frozen=True, kw_only=True):
    """The minor versions, both inclusive, that a row of a table holds for; ``since=30`` is 1.30."""

    since: int = 0
    until: int = OPEN

    def holds_for(self, minor: int) -> bool:
        """Whether ``1.<minor>`` has it."""
        return self.since <= minor <= self.until
