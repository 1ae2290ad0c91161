"""The past of a run that begins in the middle: what is known or can be inferred about pods that lived elsewhere before.

A header carries it, so header and commands remain the whole truth. Each fact becomes a change of the world at its moment; at
``resume_ms`` the engine takes the pods over and continues by itself. Moments may lie before 0 in fields that only report a time.
"""

from typing import TYPE_CHECKING

from msgspec import Struct

from simulator.engine.kernel.units import Ms, Scalar

if TYPE_CHECKING:
    from simulator.engine.course.header import RunHeader

RECORDED = "IMPORT-RECORDED"
"""The rule of a fact dated by a timestamp; any other rule says how the fact was inferred."""


READ = "IMPORT-READ"
"""The rule of a note that reports a cause as the text states it."""


class PastState(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A container's state as a status shows it. ``kind``: waiting, running or terminated."""

    kind: str
    reason: str = ""
    message: str = ""
    exit_code: int = 0
    started_ms: Ms | None = None
    finished_ms: Ms | None = None


class PastContainer(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A container's entry in the status. ``group``: init, app or ephemeral; ``made``: an instance exists or existed."""

    group: str
    state: PastState
    last: PastState | None = None
    ready: bool = False
    started: bool = False
    restarts: int = 0
    made: bool = True


class PastFact(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something that became true at ``at_ms``.

    ``do``: created, bound, accepted, sandbox, condition, phase, container (its status), node (the reality there), event, attempt,
    result or deleted. ``name`` is the container, condition, reason or ``container/probe``. ``source`` says where in the text it
    is stated, or from what it was inferred.
    """

    at_ms: Ms
    do: str
    name: str = ""
    rule: str = RECORDED
    source: str = ""
    container: PastContainer | None = None
    data: dict[str, Scalar] = {}


class PastBackoff(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A back-off in effect at the moment of import. ``kind``: crash (of a container) or image; ``problem`` is the pull's error."""

    kind: str
    name: str
    window_ms: Ms
    updated_ms: Ms
    problem: str = ""


class PastProbe(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The state of a probe worker. ``result``: Success, Failure or empty; ``failures`` in a row that have not changed it yet.

    ``last_ms``: an attempt whose moment is known.
    """

    container: str
    kind: str
    result: str = ""
    failures: int = 0
    last_ms: Ms | None = None


class PastReason(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Why the last start of a container failed, as the kubelet knows it; its status may not show that until the next sync.

    ``source`` says where in the text it is stated.
    """

    container: str
    reason: str
    message: str
    source: str = ""


class PastPod(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One pod: its document without status, its facts in order, and what its kubelet remembers at the moment of import.

    ``stop_ms``: when the kubelet began to stop its containers. ``sync_ms``: the last sync that an Event reports.
    ``silent``: its node does not respond, so nothing happens to it there.
    """

    document: str
    namespace: str
    name: str
    uid: str
    created_ms: Ms
    # In order; the first is ``created``.
    facts: tuple[PastFact, ...]
    backoffs: tuple[PastBackoff, ...] = ()
    probes: tuple[PastProbe, ...] = ()
    reasons: tuple[PastReason, ...] = ()
    stop_ms: Ms | None = None
    sync_ms: Ms | None = None
    silent: bool = False


class Past(Struct, frozen=True, kw_only=True):
    """Everything before ``resume_ms``. ``assumed``: what is assumed about the containers from then on, as sentences."""

    resume_ms: Ms
    pods: tuple[PastPod, ...]
    assumed: tuple[tuple[str, str], ...] = ()  # container subject, sentence


def past_of(header: "RunHeader") -> Past | None:
    """The imported past, or None."""
    return header.past if isinstance(header.past, Past) else None
