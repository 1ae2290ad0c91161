"""How states look: the tones with their glyphs, and the tone of each Kubernetes word. Declared only here.

A tone names a design token (``--st-<tone>``: colour and pattern), never a colour. The tone of a machine's state is declared with the
state (``State.tone``). The browser gets all of it as files that ``simulator/web/tones.py`` writes.
"""

from collections.abc import Callable

from simulator.engine.kubelet.pods.containers.container_machine import CONTAINER
from simulator.engine.machines.condition import CONDITION
from simulator.engine.machines.node import KUBELET, NETWORK_PLUGIN, RUNTIME, SHUTDOWN, STATUS_REPORT, UPLINK
from simulator.engine.machines.phase import PHASE
from simulator.engine.machines.requests import REQUESTS
from simulator.engine.machines.workload import WORKLOAD

GLYPHS = {
    "absent": "–",
    "ready": "●",
    "succeeded": "✓",
    "waiting": "○",
    "starting": "◔",
    "notready": "◑",
    "terminating": "▾",
    "unknown": "?",
    "backoff": "↻",
    "failed": "✕",
}
"""Every tone with the glyph shown next to its colour; the worst last, which wins if several share a place."""
PROBE_RESULTS = {"suppressed": "·", "success": "✓", "error": "?", "timeout": "▢", "failure": "✕"}
"""The results of a probe attempt with their glyphs, the worst last."""
CONDITION_STATUSES = {"True": "✓", "False": "✗", "Unknown": "?"}
"""The statuses of a condition with their glyphs."""
EVENT_TYPES = {"Normal": "○", "Warning": "△"}
"""The types of an Event with their glyphs."""
SIGNS = {"ok": "✓", "good": "✓", "info": "i", "warn": "△", "warning": "△", "bad": "✕", "error": "✕"}
"""The glyph of a message, a finding or an effect by how good its news is."""

TRUE_IS_BAD = ("DisruptionTarget",)
"""Conditions of a pod whose True is bad news."""
NODE_READY = {"True": "ready", "False": "failed", "Unknown": "unknown"}
"""The tone of a node by its condition Ready, if nothing else is wrong with it."""

_BACKING_OFF = dict.fromkeys(("CrashLoopBackOff", "ImagePullBackOff"), "backoff")
WAITING_REASONS = {"": "waiting", "PodInitializing": "waiting", "ContainerCreating": "starting", **_BACKING_OFF}
"""The tone of a waiting container by its reason; any other reason is an error."""
STATUS_WORDS = {
    **dict.fromkeys(("Pending", "SchedulingGated", "Init", "PodInitializing", "ContainerCreating"), "starting"),
    **dict.fromkeys(("Completed", "Succeeded"), "succeeded"),
    "Terminating": "terminating",
    "NotReady": "notready",
    "Unknown": "unknown",
    **_BACKING_OFF,
}
"""The tone of a pod by kubectl's STATUS word, without the prefix of init containers; any other word is an error. ``status_tone``
handles the words that need more than a look-up."""

MACHINES = {
    machine.name: {state.name: state.tone for state in machine.states if state.name}
    for machine in (PHASE, CONDITION, CONTAINER, KUBELET, RUNTIME, NETWORK_PLUGIN, UPLINK, STATUS_REPORT, SHUTDOWN, WORKLOAD, REQUESTS)
}
"""The tones of the states of the machines that have a lane of their own."""


def status_tone(word: str, fact: Callable[[str], object]) -> str:
    """The tone of a pod, from its STATUS word and additional facts (``fact``: ``deleting``, ``scheduled``, ``pod_ready``).

    The browser's ``statusTone`` does the same; ``tests/web/status-tones.json`` keeps the two in step.
    """
    if not word:
        return "absent"
    if fact("deleting"):
        return "terminating"
    if word == "Running":
        return "ready" if fact("pod_ready") else "notready"
    # Waiting for a node, not for the kubelet.
    if word in ("Pending", "SchedulingGated") and not fact("scheduled"):
        return "waiting"
    # Init:0/2 counts progress; Init:Error and the like are looked up.
    if word.startswith("Init:") and word[5:6].isdigit():
        return "starting"
    return STATUS_WORDS.get(word.removeprefix("Init:"), "failed")
