"""A release with the feature gates of one cluster: what decoding, defaulting, dropping and validation ask for.

The other parts of the engine ask a ``Profile``. These four need far more than behaviour (which field exists, which words an error has), so
they ask for facts of the minor version (``facts``), for gates (``has``), and keep tables whose rows are a ``Span``.
"""

from collections.abc import Mapping

from msgspec import Struct

from simulator.engine.versions.facts import Facts, facts_of
from simulator.engine.versions.gates import ON_SINCE


class Release(Struct, frozen=True):
    """A minor version, ``30`` for 1.30, and the gates that are set against its defaults, sorted by name."""

    minor: int
    gates: tuple[tuple[str, bool], ...] = ()

    def setting(self, gate: str) -> bool | None:
        """How a gate was set; None where it is as it comes, or where no gate is named. Cost: O(gates that were set)."""
        for name, is_on in self.gates:
            if name == gate:
                return is_on
        return None

    def has(self, gate: str) -> bool:
        """Whether a gate is on: as it was set, else by its default. One that is gone stays as it was last. Raises KeyError for no gate."""
        found = self.setting(gate) if self.gates else None
        return found if found is not None else self.minor >= ON_SINCE[gate]

    @property
    def facts(self) -> Facts:
        """What documents, answers and texts of the minor version look like."""
        return facts_of(self.minor)


def release_of(minor: int, gates: Mapping[str, bool] | None = None) -> Release:
    """The release ``1.<minor>`` with these gates set. Gates are not checked here; ``resolve`` refuses what a version does not have."""
    return Release(minor, tuple(sorted((gates or {}).items())))
