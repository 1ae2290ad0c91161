"""A notation for the fields of Go structs: their Go names, their types, and the minor versions that have them.

The JSON names of fields are the Go names with a lower-case beginning, except for those in ``_JSON``; the API server
also writes a service account's name into the old field.
"""

import re

from simulator.engine.versions.span import OPEN, Span

MAPS = {"core.ResourceList": "quantity", "map[string]string": "string", "map[string][]byte": "string"}
INLINE = frozenset({"VolumeSource", "EphemeralContainerCommon", "Handler", "ProbeHandler", "LocalObjectReference"})
"""Embedded structs, whose fields appear in the JSON of the struct around them."""
_JSON = {"ObjectMeta": "metadata", "CephFS": "cephfs", "StorageOS": "storageos", "DeprecatedServiceAccount": "serviceAccountName"}
_LEADING_CAPITALS = re.compile(r"[A-Z]+(?=[A-Z][a-z]|$)|[A-Z]")


class GoField(Span, frozen=True):
    """A field of a struct: its Go name and its type."""

    name: str
    type: str

    @property
    def json(self) -> str:
        """The name in JSON."""
        return _JSON.get(self.name) or _LEADING_CAPITALS.sub(lambda capitals: capitals[0].lower(), self.name, count=1)


def go_fields(*lines: str) -> tuple[GoField, ...]:
    """Fields from texts ``names type``, with ``>=minor`` or ``<=minor`` after it; names are separated by commas."""
    found = []
    for line in lines:
        names, kind, *spans = line.split()
        since = next((int(span[2:]) for span in spans if span.startswith(">=")), 0)
        until = next((int(span[2:]) for span in spans if span.startswith("<=")), OPEN)
        found += [GoField(name, kind, since=since, until=until) for name in names.split(",")]
    return tuple(found)
