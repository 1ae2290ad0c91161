"""The words about a change of a pod that depend on the version, as tables."""

from typing import Generic, TypeVar

from msgspec import Struct

_T = TypeVar("_T")
_FOREVER = 999


class Span(Struct, Generic[_T], frozen=True):
    """A value and the minor versions, both inclusive, that it holds for."""

    value: _T
    since: int = 0
    until: int = _FOREVER

    def holds_for(self, minor: int) -> bool:
        """Whether ``1.<minor>`` has it."""
        return self.since <= minor <= self.until


def at(spans: tuple[Span[_T], ...], minor: int) -> _T:
    """The value for a version. The spans of a table cover every version."""
    return next(span.value for span in spans if span.holds_for(minor))


_ONLY = "pod updates may not change fields other than "
_IMAGES = ("`spec.containers[*].image`", "`spec.initContainers[*].image`")
_DEADLINE = "`spec.activeDeadlineSeconds`"
_TOLERATIONS = "`spec.tolerations` (only additions to existing tolerations)"
_GRACE = "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"

OTHER_FIELDS = (
    Span(_ONLY + ", ".join((*_IMAGES, _DEADLINE)) + f" or {_TOLERATIONS}", until=21),
    Span(_ONLY + ", ".join((*_IMAGES, _DEADLINE, _TOLERATIONS)) + f" or {_GRACE}", since=22, until=26),
    Span(_ONLY + ",".join((*_IMAGES, _DEADLINE, _TOLERATIONS, _GRACE)), since=27),
)
"""What an update says that changes anything else in the spec; a diff follows on the next line."""

DIFF_STARTS_WITH_NEW = (Span(True, until=22), Span(False, since=23))
"""Whether ``-`` in the diff marks the new spec (older servers) or the old one."""

CONDITIONS_PATH = (Span("metadata.conditions", until=32), Span("status.conditions", since=33))
"""Where a bad condition type is reported."""

STRUCTURES_AS_JSON = (Span(False, until=33), Span(True, since=34))
"""How a message prints a structured value: in Go's syntax, or as JSON."""

NO_ADDRESS = (
    Span("must be a valid IP address, (e.g. 10.9.8.7)", until=21),
    Span("must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)", since=22),
)
"""What is said of a text that is no address."""
