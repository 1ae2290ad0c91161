"""A release with the feature gates of one cluster: what decoding, defaulting, dropping and validation ask for.

The other parts of the engine ask a ``Profile``. These four need far more than behaviour (which field exists, which words an error has), so
they keep their facts by minor version, each with the gate that may bring it earlier or take it away.
"""

from collections.abc import Mapping

from msgspec import Struct


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

    def reaches(self, since: int, gate: str = "") -> bool:
        """Whether something is there that came with the minor ``since``, or with its gate where that was set."""
        found = self.setting(gate) if self.gates and gate else None
        return found if found is not None else self.minor >= since


def release_of(minor: int, gates: Mapping[str, bool] | None = None) -> Release:
    """The release ``1.<minor>`` with these gates set. Gates are not checked here; ``resolve`` refuses what a version does not have."""
    return Release(minor, tuple(sorted((gates or {}).items())))
