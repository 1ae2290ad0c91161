"""The view model of a pod: what the inspector draws. Values only, ready for JSON; times in milliseconds of the run.

These names are read by templates and scripts; a field that is renamed here must be renamed there.
"""

from msgspec import Struct

from simulator.engine.kernel.units import Key, Ms, Subject
from simulator.engine.projection.events import EventRow


class DerivationStep(Struct, frozen=True, gc=False):
    """One step on kubectl's way to the STATUS word: the field it read, its value, and the word after it.

    ``holds``: the step applied; otherwise it left the word unchanged.
    """

    field: str
    value: str
    word: str
    rule_id: str
    holds: bool = True


class DeletionView(Struct, frozen=True, gc=False):
    """A deletion in progress: when it was requested, and deletionTimestamp as the deadline."""

    requested_ms: Ms
    deadline_ms: Ms
    grace_s: int


class ConditionView(Struct, frozen=True, gc=False):
    """A condition; ``since_ms`` is its lastTransitionTime."""

    subject: Subject
    type: str
    status: str
    reason: str
    message: str
    since_ms: Ms | None


class LastState(Struct, frozen=True, gc=False):
    """lastState.terminated."""

    reason: str
    message: str
    exit_code: int
    signal: int
    started_ms: Ms | None
    finished_ms: Ms | None


class StopView(Struct, frozen=True, gc=False):
    """A container being stopped; ``state``: pre_stop, term or killed."""

    state: str
    reason: str
    began_ms: Ms
    deadline_ms: Ms
    grace_ms: Ms
    term_ms: Ms | None


# Separate from the API's fields, since both are shown side by side.
class NodeSide(Struct, frozen=True, kw_only=True):
    """The reality of a container on its node: ``state`` is waiting, pulling, creating, running, stopping, exited or backoff."""

    state: str
    reason: str = ""
    until_ms: Ms | None = None
    window_ms: Ms = 0
    instance: int = 0
    started_ms: Ms | None = None
    finished_ms: Ms | None = None
    exit_code: int | None = None
    stop: StopView | None = None
    is_hung: bool = False


class Detection(Struct, frozen=True, kw_only=True, gc=False):
    """What a probe's fields guarantee. ``quick_ms`` and ``slow_ms``: until its result is a failure if attempts fail at once or time out.

    ``gone_ms``: until the container has ended at the latest; None if the result does not end it, or not by itself.
    """

    quick_ms: Ms
    slow_ms: Ms
    gone_ms: Ms | None


class Remaining(Struct, frozen=True, kw_only=True, gc=False):
    """The rest of a run of failures. ``earliest_ms`` and ``latest_ms`` are moments; no earliest: it may be over at any moment."""

    earliest_ms: Ms | None
    latest_ms: Ms


class ProbeView(Struct, frozen=True, kw_only=True, gc=False):
    """A probe and its worker. ``result``: unknown, success, failure, held (on hold) or suppressed (startup comes first)."""

    subject: Subject
    kind: str
    handler_text: str
    fields_text: str
    result: str
    last: str
    run: int
    threshold: int
    successes_needed: int
    failures_needed: int
    period_s: int
    timeout_s: int
    initial_delay_s: int
    override: str | None
    override_left: int
    next_ms: Ms | None
    is_busy: bool
    detection: Detection
    remaining: Remaining | None


class LogRow(Struct, frozen=True, gc=False):
    """A line written by the container."""

    at_ms: Ms
    text: str
    stream: str
    instance: int


class ProcessView(Struct, frozen=True, gc=False):
    """A process of the container, as ``ps`` shows it."""

    pid: int
    ppid: int
    command: str
    state: str


class EnvView(Struct, frozen=True, gc=False):
    """A variable as the process sees it. ``source`` is where its value comes from, such as ``metadata.name``; empty for a literal."""

    name: str
    value: str
    source: str


class ContainerView(Struct, frozen=True, kw_only=True):
    """A container: what the API shows, and next to it (``node_…``, ``stop``) what is true on the node.

    ``notes`` say what the simulation did not understand about the newest instance.
    """

    subject: Subject
    name: str
    group: str
    image: str
    command: str
    tone: str
    state: str
    reason: str
    message: str
    exit_code: int | None
    signal: int
    instance: int
    ready: bool
    started: bool
    since_ms: Ms | None
    last: LastState | None
    node_state: str
    node_reason: str
    node_until_ms: Ms | None
    node_window_ms: Ms
    node_instance: int
    node_started_ms: Ms | None
    node_finished_ms: Ms | None
    node_exit_code: int | None
    stop: StopView | None
    is_hung: bool
    is_ghost: bool
    is_sidecar: bool
    env: tuple[EnvView, ...]
    requests: tuple[tuple[str, str], ...]
    limits: tuple[tuple[str, str], ...]
    probes: tuple[ProbeView, ...]
    log: tuple[LogRow, ...]
    processes: tuple[ProcessView, ...]
    notes: tuple[str, ...]


class SandboxView(Struct, frozen=True, gc=False):
    """The pod's sandbox; ``state``: creating, ready or stopped."""

    attempt: int
    state: str
    ip: str
    created_ms: Ms
    stopped_ms: Ms | None


class WorkerView(Struct, frozen=True, gc=False):
    """The kubelet's worker of the pod; ``step`` is what the running sync waits for, empty between syncs."""

    state: str
    step: str
    start_container: str
    start_state: str
    sync_due_ms: Ms | None
    grace_s: int | None


class VolumeView(Struct, frozen=True, gc=False):
    """A volume of the spec by its kind (``emptyDir``, ``configMap`` …); ``detail`` names what it refers to."""

    name: str
    kind: str
    detail: str


class BackoffView(Struct, frozen=True, gc=False):
    """A back-off entry; ``until_ms`` None: it is not in effect now."""

    kind: str
    container: str
    image: str
    window_ms: Ms
    since_ms: Ms
    until_ms: Ms | None


class NextThing(Struct, frozen=True, gc=False):
    """Something that is due: probe_tick, backoff_end, image_backoff_end, grace_deadline, stop_deadline, pull_end, sync or relist.

    ``rule`` names the rule that set the moment, if it is one of the kubelet's own ticks.
    """

    name: str
    at_ms: Ms
    subject: Subject
    rule: str = ""


class PodView(Struct, frozen=True, kw_only=True):
    """Everything that the inspector shows of a pod. ``status_rule`` names the step of kubectl that produced the word.

    ``eviction_version`` is the apiVersion of an Eviction for it. ``is_stale``: its node is cut off, and the rest is
    what the API server last heard; ``holds`` is then STATUS, READY and RESTARTS as the node's kubelet has them, empty if it
    knows nothing.
    """

    subject: Subject
    key: Key
    namespace: str
    name: str
    uid: str
    node: str
    is_stale: bool
    holds: str
    status_word: str
    tone: str
    ready: str
    restarts: int
    restarts_text: str
    status_rule: str
    derivation: tuple[DerivationStep, ...]
    phase: str
    phase_rule: str
    reason: str
    message: str
    qos: str
    ip: str
    host_ip: str
    start_ms: Ms | None
    created_ms: Ms
    age: str
    gone_ms: Ms | None
    is_present: bool
    has_ghost: bool
    restart_policy: str
    grace_s: int
    labels: tuple[tuple[str, str], ...]
    finalizers: tuple[str, ...]
    readiness_gates: tuple[str, ...]
    scheduling_gates: tuple[str, ...]
    eviction_version: str
    deletion: DeletionView | None
    conditions: tuple[ConditionView, ...]
    containers: tuple[ContainerView, ...]
    sandbox: SandboxView | None
    worker: WorkerView | None
    volumes: tuple[VolumeView, ...]
    backoffs: tuple[BackoffView, ...]
    events: tuple[EventRow, ...]
    next: tuple[NextThing, ...]
