"""Which client wrote which fields of an object, for clients that identify themselves.

Only commands of such clients (the API of a run) leave rows here; no record mentions them, so runs without such commands are unaffected.
"""

from typing import Any

from msgspec import Struct

APPLY, UPDATE = "Apply", "Update"


class Manager(Struct, frozen=True, kw_only=True):
    """One entry of managedFields. ``fields`` are paths of path elements as in fieldsV1; ``time`` is RFC 3339."""

    name: str
    operation: str
    subresource: str = ""
    api_version: str
    time: str
    fields: frozenset[tuple[str, ...]]

    @property
    def identity(self) -> tuple[str, str, str, str]:
        """What distinguishes managers: for those that apply, the version does not count."""
        return self.name, self.operation, self.subresource, "" if self.operation == APPLY else self.api_version


class Managed(Struct, frozen=True):
    """The managers of an object right after the last write that named one, and the object as it was then."""

    managers: tuple[Manager, ...]
    document: dict[str, Any]
