"""The Kubernetes versions that are used where none is specified: the only list of them.

Which minors exist follows from ``data/patches.toml``, so a new one changes ``NEWEST_MINOR`` and what derives from it. The others are
chosen by hand. Recordings and benchmarks name the versions they were made with.
"""

from simulator.engine.versions.minors import MINORS

OLDEST_MINOR, NEWEST_MINOR = MINORS[0], MINORS[-1]
_MIDDLE = "1.27"
"""Half-way: pods have scheduling gates and the phase is terminal on deletion, but there are no sidecar containers yet."""
OFFERED = "1.33"
"""What forms on the pages preselect."""
TYPED = "1.30"
"""The default of the command line's ``--kubernetes``, and of scripts and levels that name no version."""
JUDGED = "1.35"
"""What fidelity compares with upstream's tests and documentation: the release whose sources the cases were taken from."""
COMPARED = (OLDEST_MINOR, _MIDDLE, NEWEST_MINOR)
"""The default columns of the page that compares versions."""
ERAS = (OLDEST_MINOR, _MIDDLE, OFFERED, NEWEST_MINOR)
"""Versions far apart, for tests of what must hold in all of them."""
