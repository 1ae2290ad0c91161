"""A release with the feature gates of one cluster: what decoding, defaulting, field dropping and validation query.

The other parts of the engine query a ``Profile``. These four need far more than behaviour (which field exists, how an error is worded),
so they query facts of the minor version (``facts``) and gates (``has``), and keep tables whose rows are a ``Span``.
"""

from collections.abc import Mapping

from msgspec import Struct

from simulator.engine.versions.facts import Facts, facts_of
from simulator.engine.versions.gates import ON_SINCE


class Release(Struct, frozen=True):
    """A minor version, ``30`` for 1.30, and the gates that differ from their defaults, sorted by name."""

    minor: int
    gates: tuple[tuple[str, bool], ...] = ()

    def setting(self, gate: str) -> bool | None:
        """How a gate was set; None if it was not set or is unknown. Cost: O(gates that were set)."""
        for name, is_on in self.gates:
            if name == gate:
                return is_on
        return None

    def has(self, gate: str) -> bool:
        """Whether a gate is on: as set, else by default. A removed gate keeps its last value. Raises KeyError for an unknown gate."""
        found = self.setting(gate) if self.gates else None
        return found if found is not None else self.minor >= ON_SINCE[gate]

    @property
    def facts(self) -> Facts:
        """What documents, responses and texts of the minor version look like."""
        return facts_of(self.minor)


def release_of(minor: int, gates: Mapping[str, bool] | None = None) -> Release:
    """The release ``1.<minor>`` with these gates set. Gates are not checked here; ``resolve`` rejects those a version does not have."""
    return Release(minor, tuple(sorted((gates or {}).items())))
