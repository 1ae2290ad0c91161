"""The Kubernetes versions that are used where nobody names one: the only list of them.

Which minors there are follows from ``data/patches.toml``, so a new one changes ``NEWEST_MINOR`` and what is made of it. The others are
chosen by hand. Recordings and benchmarks name the versions they were made with.
"""

from simulator.engine.versions.minors import MINORS

OLDEST_MINOR, NEWEST_MINOR = MINORS[0], MINORS[-1]
_MIDDLE = "1.27"
"""Half-way: pods have scheduling gates and the phase is terminal on deletion, but there are no sidecar containers yet."""
OFFERED = "1.33"
"""What forms on the pages offer first."""
TYPED = "1.30"
"""What the command line takes without ``--kubernetes``, and what scripts and levels run under that name none."""
JUDGED = "1.35"
"""What fidelity compares with upstream's tests and documentation: the release whose sources the cases were taken from."""
COMPARED = (OLDEST_MINOR, _MIDDLE, NEWEST_MINOR)
"""The columns of the page that compares versions, where none are chosen."""
ERAS = (OLDEST_MINOR, _MIDDLE, OFFERED, NEWEST_MINOR)
"""Versions far apart, for tests of what has to hold in all of them."""
