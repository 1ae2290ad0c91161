"""Who has written which fields of an object, as clients that name themselves say it.

Only commands of clients (the API of a run) leave rows here; no record tells of them, so runs without such commands are what they were.
"""

from typing import Any

from msgspec import Struct

APPLY, UPDATE = "Apply", "Update"


class Manager(Struct, frozen=True, kw_only=True):
    """One entry of managedFields. ``fields`` are paths of path elements as fieldsV1 has them; ``time`` is RFC 3339."""

    name: str
    operation: str
    subresource: str = ""
    api_version: str
    time: str
    fields: frozenset[tuple[str, ...]]

    @property
    def identity(self) -> tuple[str, str, str, str]:
        """What tells managers apart: of those that apply the version does not count."""
        return self.name, self.operation, self.subresource, "" if self.operation == APPLY else self.api_version


class Managed(Struct, frozen=True):
    """The managers of an object just after the last write that named one, and the object as it was then."""

    managers: tuple[Manager, ...]
    document: dict[str, Any]
