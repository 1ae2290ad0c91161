"""The past of a run that begins in the middle: what is known, or can be worked out, of pods that lived elsewhere before.

A header carries it, so header and commands stay the whole truth. Each fact becomes a change of the world at its moment; at
``resume_ms`` the engine takes the pods over and goes on by itself. Moments may lie before 0 in fields that only tell of a time.
"""

from typing import TYPE_CHECKING

from msgspec import Struct

from simulator.engine.kernel.units import Ms, Scalar

if TYPE_CHECKING:
    from simulator.engine.course.header import RunHeader

RECORDED = "IMPORT-RECORDED"
"""The rule of a fact that a timestamp dates; any other rule says how the fact was worked out."""


READ = "IMPORT-READ"
"""The rule of a note that tells a cause as the text names it."""


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

    ``do``: created, bound, accepted, sandbox, condition, phase, container (its status), node (its reality), event, attempt,
    result or deleted. ``name`` is the container, condition, reason or ``container/probe``. ``source`` says where the text
    tells it, or from what it was worked out.
    """

    at_ms: Ms
    do: str
    name: str = ""
    rule: str = RECORDED
    source: str = ""
    container: PastContainer | None = None
    data: dict[str, Scalar] = {}


class PastBackoff(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A back-off that runs at the moment of import. ``kind``: crash (of a container) or image; ``problem`` is the pull's error."""

    kind: str
    name: str
    window_ms: Ms
    updated_ms: Ms
    problem: str = ""


class PastProbe(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where a probe worker stands. ``result``: Success, Failure or empty; ``failures`` in a row that did not change it yet.

    ``last_ms``: an attempt that is dated.
    """

    container: str
    kind: str
    result: str = ""
    failures: int = 0
    last_ms: Ms | None = None


class PastReason(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Why the last start of a container did not succeed, as the kubelet knows it; its status may show that only with the next sync.

    ``source`` says where the text tells it.
    """

    container: str
    reason: str
    message: str
    source: str = ""


class PastPod(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One pod: its document without status, its facts in order, and what its kubelet remembers at the moment of import.

    ``stop_ms``: when the kubelet began to stop its containers. ``sync_ms``: the last sync of which an Event tells.
    ``silent``: its node does not answer, so nothing happens to it there.
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
    """Everything before ``resume_ms``. ``assumed``: what is taken for granted about the containers from then on, as sentences."""

    resume_ms: Ms
    pods: tuple[PastPod, ...]
    assumed: tuple[tuple[str, str], ...] = ()  # container subject, sentence


def past_of(header: "RunHeader") -> Past | None:
    """The past that was imported, or None."""
    return header.past if isinstance(header.past, Past) else None
