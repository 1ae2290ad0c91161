"""The versions that are meant where nobody names one: the only list of them.

Which minors there are follows from ``data/patches.toml``. Recordings and benchmarks name the versions they were made with.
"""

from simulator.engine.versions.minors import MINORS

OLDEST_MINOR, NEWEST_MINOR = MINORS[0], MINORS[-1]
OFFERED = "1.33"
"""What forms offer first."""
TYPED = "1.30"
"""What the command line takes without ``--kubernetes``, and a run of a script that names none."""
JUDGED = "1.35"
"""What a fidelity case is held against where its note allows that."""
COMPARED = (OLDEST_MINOR, "1.27", NEWEST_MINOR)
"""The columns of the version lens where none are chosen."""
ERAS = (OLDEST_MINOR, "1.27", OFFERED, NEWEST_MINOR)
"""Versions far apart, for what has to hold in all of them."""
