"""Version profiles: everything that depends on the Kubernetes version, resolved once per run into plain values.

Only this package compares versions. The rest of the engine reads the fields of a ``Profile``.
"""

from simulator.engine.versions.fields import PhaseAlgorithm, Profile
from simulator.engine.versions.gates import PHASE_GATE, BadGate, GateState, gates_of, settings_of
from simulator.engine.versions.minors import MINORS
from simulator.engine.versions.versions import BARE_GATES, FIELDS, About, Difference, about, diff, resolve, setting

__all__ = [
    "BARE_GATES",
    "FIELDS",
    "MINORS",
    "PHASE_GATE",
    "About",
    "BadGate",
    "Difference",
    "GateState",
    "PhaseAlgorithm",
    "Profile",
    "about",
    "diff",
    "gates_of",
    "resolve",
    "setting",
    "settings_of",
]
