"""The rows of a world. Every row is frozen: a change replaces it, so a fork shares rows and copies only pointers."""

from msgspec import Struct

from simulator.engine.containers.process.state import Launch, Process
from simulator.engine.containers.process.turn import ExecState
from simulator.engine.kernel.units import Key, Ms, Seq
from simulator.engine.model.container import Container, ResourceRequirements
from simulator.engine.model.disruption import Budget, Health
from simulator.engine.model.pod import Pod
from simulator.engine.model.status import PodStatus, ResourcesByName


class BackoffEntry(Struct, frozen=True, gc=False):
    """The current back-off and the moment it was set."""

    backoff_ms: Ms
    last_update_ms: Ms


class ProbeWorker(Struct, frozen=True, gc=False):
    """A probe worker between two steps. ``result`` is the stored one, None if nothing is stored yet.

    ``last`` and ``run`` are the latest outcome and how many times in a row it occurred.
    """

    kind: str
    initial_delay_s: int = 0
    container_id: str = ""
    result: str | None = None
    last: str = "Unknown"
    run: int = 0
    on_hold: bool = False


class NodeRow(Struct, frozen=True, gc=False, kw_only=True):
    """A Node as the API server holds it."""

    name: str
    ip: str
    labels: dict[str, str]
    taints: tuple[tuple[str, str, str], ...]  # key, value, effect
    unschedulable: bool = False  # cordoned
    is_deleted: bool = False  # the Node object is gone from the API
    allocatable_cpu_milli: int
    allocatable_memory_bytes: int
    allocatable_storage_bytes: int
    allocatable_pods: int
    pod_network: str = "10.244.1"
    allocatable_other: dict[str, int] = {}  # extended resources and huge pages
    os: str = "linux"
    os_image: str = ""
    kernel_version: str = ""


class PodRow(Struct, frozen=True, gc=False, kw_only=True):
    """A Pod as the API server holds it. ``document`` is the JSON text the user sent, with every field."""

    key: Key
    namespace: str
    name: str
    uid: str
    pod: Pod
    document: str
    created_ms: Ms
    status: PodStatus
    status_word: str = ""
    node: str = ""
    deletion_ms: Ms | None = None  # metadata.deletionTimestamp
    deletion_asked_ms: Ms | None = None
    grace_s: int | None = None  # metadata.deletionGracePeriodSeconds
    deletion_seq: Seq = 0
    gone_ms: Ms | None = None
    generation: int = 1
    version: int = 1  # counts changes of the row
    number: int = 0  # its place among the run's pods, in creation order
    resource_version: int = 0
    applied: str = ""  # what was last applied, for the next three-way merge
    object_seq: Seq = 0

    @property
    def subject(self) -> str:
        """The record subject of this pod."""
        return f"pod/{self.key}"

    @property
    def listed(self) -> str:
        """STATUS, READY and RESTARTS in a sentence: ``Running 1/1, restarts 0``."""
        return ", restarts ".join(self.status_word.rsplit(" ", 1))


class Sandbox(Struct, frozen=True, gc=False):
    """The pod's sandbox (pause container and network). ``state`` is a state of the sandbox machine."""

    attempt: int
    state: str
    created_ms: Ms
    ip: str = ""
    stopped_ms: Ms | None = None
    seq: Seq = 0


class Stop(Struct, frozen=True, gc=False, kw_only=True):
    """A container being stopped. ``state`` is a state of the stop machine; ``grace_ms`` what is left of the grace period for TERM."""

    state: str
    reason: str  # deletion | liveness | startup | spec-change | post-start | sandbox | completion
    began_ms: Ms
    grace_ms: Ms
    deadline_ms: Ms
    n: int
    ordered: bool = False  # the whole pod stops, so sidecars wait for their turn
    handle: int = 0
    seq: Seq = 0
    term_ms: Ms | None = None  # when the stop signal was sent
    override_ms: Ms | None = None  # grace that counts from the end of the hook, whatever is left (until 1.27)


class Unanswered(Struct, frozen=True, gc=False):
    """A request of an HTTP hook that an instance has accepted but not answered: whose hook sent it, and what it asked.

    ``kubelet`` is the one that sent it, by the number of its start; ``handle`` that of the queued ``HookDone`` of a slow answer,
    which ``is_due`` if it should have come while the process hung.
    """

    pod: Key
    container: str
    attempt: int
    purpose: str
    url: str
    kubelet: int
    handle: int = 0
    is_due: bool = False


RUNS = ("running", "stopping")
"""States of an instance whose main process exists."""


class Instance(Struct, frozen=True, gc=False, kw_only=True):
    """One instance of a container in the runtime: the reality on the node. ``state`` is one of the container machine's, from running on."""

    container: str
    group: str  # init | app | ephemeral
    attempt: int
    state: str
    spec: Container
    image: str
    created_ms: Ms
    sandbox: int = 0  # attempt of the sandbox it was created in
    started_ms: Ms | None = None
    finished_ms: Ms | None = None
    exit_code: int = 0
    reason: str = ""
    message: str = ""
    process: Process | None = None
    wake: int = 0  # handle of the queued ProcessWake
    wake_ms: Ms | None = None
    waits_for_files: bool = False
    stop: Stop | None = None
    owes: tuple[Unanswered, ...] = ()
    seq: Seq = 0  # record of its last transition

    @property
    def runs(self) -> bool:
        """Whether its main process exists, being stopped or not."""
        return self.state in RUNS

    @property
    def runtime_state(self) -> str:
        """What the runtime reports when asked: running (even while the container is being stopped) or exited."""
        return "running" if self.state == "stopping" else self.state


class Seen(Struct, frozen=True, gc=False):
    """What the kubelet knows of a pod's containers: the runtime as it was at the last relist that touched the pod."""

    at_ms: Ms
    sandbox: Sandbox | None
    instances: tuple[Instance, ...]
    seq: Seq


class Report(Struct, frozen=True, gc=False):
    """What a kubelet reported about a pod that another client has overwritten: ``shown`` is what is stored instead."""

    said: PodStatus
    shown: PodStatus


class Reason(Struct, frozen=True, gc=False):
    """An entry of the kubelet's reason cache: why the last attempt to start a container failed.

    ``state`` is where the attempt left the container if no instance of it can say so (waiting, backoff).
    """

    container: str
    reason: str
    message: str
    seq: Seq
    state: str = ""


class Action(Struct, frozen=True, gc=False):
    """One step of a sync. ``kind``: kill_pod, kill, sandbox, start or finish."""

    kind: str
    container: str = ""
    group: str = "app"
    message: str = ""
    reason: str = ""
    rule: str = ""
    quiet: bool = False  # without Killing events, as in housekeeping


class Ending(Struct, frozen=True, gc=False):
    """Why the kubelet itself ends a pod. ``grace_s`` replaces the pod's own grace period; ``disruption`` is reported in a condition.

    ``keeps_containers``: a status that 1.20 replaces still names the containers (only the deadline's does).
    """

    reason: str
    message: str
    rule: str
    grace_s: int | None = None
    disruption: bool = False
    told: str = ""  # what the condition says, if that differs from the message
    keeps_containers: bool = False


class Worker(Struct, frozen=True, gc=False, kw_only=True):
    """The kubelet's worker of one pod. ``state`` is a state of the pod worker's machine, unknown until the pod is accepted."""

    pod: Key
    node: str
    state: str = "unknown"
    program: tuple[Action, ...] = ()
    step: str = ""  # what the running step waits for; empty between syncs
    n: int = 0  # counts steps; identifies a stale WorkerStep
    waits_for: tuple[tuple[str, int], ...] = ()  # (container, attempt) whose end the running step waits for
    pending: bool = False
    pending_seq: Seq = 0
    busy_until_ms: Ms = 0  # even a sync that does not wait occupies the worker until then
    sync_due_ms: Ms | None = None
    sync_handle: int = 0
    rests: int = 0  # the queue position of a next sync that is not an event (world/rest.py); 0 if the worker is not resting
    syncs: int = 0
    acted: bool = False  # the running sync has done something
    failed: bool = False  # an action of the running sync has failed
    killed: bool = False  # the pod's containers have been told to stop for good
    grace_s: int | None = None  # effective grace period, once terminating
    reasons: tuple[Reason, ...] = ()
    housekeeping: bool = False  # housekeeping is about to kill what still runs
    held: bool = False  # its sync waits for the container runtime to come back
    is_probed: bool = False  # a sync has started the pod's probe workers
    released: bool = False  # containers, sandbox and volumes are gone
    seq: Seq = 0  # cause of the running sync
    looked: "Seen | None" = None  # the view of the runtime with which the running sync began
    start: "Start | None" = None
    calm: "Seen | None" = None  # the view after which a sync found nothing to do …
    calm_version: int = 0  # … at this version of the object
    retry_ms: Ms | None = None  # when the earliest back-off of the running sync ends
    ending: Ending | None = None  # the kubelet has decided to end the pod
    collect_ms: Ms | None = None  # the round of the garbage collection that removes its sandbox (1.20)
    is_over: bool = False  # to the kubelet the pod has Succeeded or Failed; the API is told once nothing runs


class Start(Struct, frozen=True, gc=False, kw_only=True):
    """A container being started by the running sync. ``state`` is one of the container machine's, up to running."""

    container: str
    group: str
    attempt: int
    state: str
    seq: Seq
    spec: Container  # as it was when the start began
    launch: Launch | None = None


class ProbeRow(Struct, frozen=True, gc=False, kw_only=True):
    """A probe worker: its pure state, its grid and the outcome that a user has imposed."""

    worker: ProbeWorker
    first_ms: Ms  # first tick; one more follows each period
    period_ms: Ms
    busy: bool = False  # an attempt is in progress
    began_ms: Ms = 0  # when the attempt in progress began
    missed: bool = False  # a tick came while busy (the ticker buffers one)
    poked: bool = False  # a poke came while busy or asleep (its channel buffers one, too)
    is_stopping: bool = False  # stopped while busy: it ends when the attempt is over
    is_asleep: bool = False  # before its first tick, if that waits for a random part of the period
    outcome: str = ""  # imposed by the user: success | failure | timeout | error
    outcome_left: int = 0  # attempts it still applies to; 0 = until healed
    outcome_seq: Seq = 0
    result_seq: Seq = 0
    handle: int = 0


class Exec(Struct, frozen=True, gc=False, kw_only=True):
    """A process running in a container in addition to its main process. ``purpose``: probe, post_start, pre_stop or user."""

    pod: Key
    container: str
    attempt: int
    purpose: str
    probe: str
    state: ExecState
    began_ms: Ms
    seq: Seq
    wake: int = 0
    timeout: int = 0
    output: str = ""


class ExecAnswer(Struct, frozen=True, gc=False):
    """The full output of a user's command: the note about its end has only the beginning. ``error``: why it never ran."""

    outcome: str
    exit_code: int
    printed: str = ""
    errors: str = ""
    error: str = ""


class Backoff(Struct, frozen=True, gc=False):
    """A back-off entry with the record behind it; ``problem``: for a pull, the runtime's error that caused the wait."""

    entry: BackoffEntry
    seq: Seq
    problem: str = ""


class ImageRow(Struct, frozen=True, gc=False, kw_only=True):
    """What the registry answers for an image."""

    available: bool
    pull_ms: Ms
    problem: str = ""
    seq: Seq = 0


class K8sEvent(Struct, frozen=True, kw_only=True, gc=False):
    """A Kubernetes Event object. ``held``: how often the spam filter has since dropped it; ``seq``: its last record, 0 if never written."""

    subject: str
    namespace: str
    object_name: str
    field_path: str
    component: str
    node: str
    type: str
    reason: str
    message: str
    first_ms: Ms
    last_ms: Ms
    count: int
    seq: Seq
    first_seq: Seq = 0
    held: int = 0


class Similar(Struct, frozen=True, gc=False):
    """How many different messages of one kind of event occurred in the current window."""

    messages: tuple[str, ...]
    last_ms: Ms


# A node's own life: its kubelet and runtime, its conditions, taint evictions and static pods.


class Pull(Struct, frozen=True, gc=False):
    """A pull in a node's queue. The pulls of a node are serial (serializeImagePulls)."""

    image: str
    pod: Key
    container: str
    asked_ms: Ms
    began_ms: Ms | None = None


class KubeletRow(Struct, frozen=True, gc=False, kw_only=True):
    """What the kubelet of a node has in progress. The phases place its fixed ticks on the run's clock."""

    node: str
    relist_phase_ms: Ms
    tick_phase_ms: Ms
    beat_phase_ms: Ms | None  # of the status manager; None: not known yet
    housekeeping_phase_ms: Ms
    is_housekeeping_known: bool  # False: not drawn until something waits for it
    collection_phase_ms: Ms | None = None  # of the container garbage collection; None: not known yet
    pods_started: int = 0  # used to number pod addresses
    relist_due_ms: Ms | None = None
    beat_due_ms: Ms | None = None
    dirty: tuple[Key, ...] = ()  # pods whose containers changed since the last relist
    removals: tuple[Key, ...] = ()  # pods that wait for the status manager's next tick
    pulls: tuple[Pull, ...] = ()  # images in the puller's queue; the first is being pulled


class NodeCondition(Struct, frozen=True, gc=False):
    """A condition of a Node object. ``status``: True, False or Unknown."""

    type: str
    status: str
    reason: str
    message: str
    transition_ms: Ms
    seq: Seq = 0


class ShutdownGroup(Struct, frozen=True, gc=False):
    """How many seconds pods of at least this priority get when the node shuts down."""

    priority: int
    seconds: int


class NodeLife(Struct, frozen=True, gc=False, kw_only=True):
    """A node's health. ``kubelet``, ``runtime``, ``network``, ``uplink`` and ``power`` (the machine called
    shutdown) are states of the machines of a node."""

    node: str
    conditions: tuple[NodeCondition, ...] = ()
    kubelet: str = "running"
    runtime: str = "up"
    network: str = "present"
    uplink: str = "connected"  # its network to the rest of the cluster
    cut_ms: Ms | None = None  # since when that is cut; None once the kubelet has caught up
    power: str = "on"
    network_seen: bool = True  # what the runtime's last answer to the kubelet said about the network
    registered_ms: Ms = 0  # when the Node object was created
    started_ms: Ms = 0  # when this kubelet came up; its ticks count from there
    starts: int = 0
    boots: int = 0  # how often the machine has been rebooted …
    told_boots: int = 0  # … and how often according to the Node object
    status_phase_ms: Ms = 0
    lease_phase_ms: Ms = 0
    check_phase_ms: Ms = 0  # of the kubelet's query for the state of runtime and network
    kubelet_handle: int = 0  # queued KubeletUp
    silent_ms: Ms | None = None  # when the node controller will consider the silent kubelet lost
    tainted_ms: Ms | None = None  # when the node controller last added a NoExecute taint
    told_unschedulable: bool = False  # the kubelet has reported the cordon
    runtime_lost_ms: Ms | None = None
    is_runtime_down: bool = False  # the kubelet has noticed
    down_ms: Ms = 0  # when its sync loop went to sleep because of that
    shutdown: tuple[ShutdownGroup, ...] = ()  # the node is shutting down, in these groups
    shutdown_at: int = 0  # index of the current group
    shutdown_step: int = 0  # counts shutdowns
    group_until_ms: Ms = 0
    seq: Seq = 0  # what brought the node to this state

    def condition(self, kind: str) -> NodeCondition:
        """The condition of that type; KeyError if the node has none."""
        for item in self.conditions:
            if item.type == kind:
                return item
        raise KeyError(kind)

    @property
    def is_unhealthy(self) -> bool:
        """Whether anything keeps the kubelet from its normal work."""
        is_ill = self.kubelet != "running" or self.runtime != "up" or self.is_runtime_down or not self.network_seen
        return is_ill or bool(self.shutdown) or self.cut_ms is not None


class HeldEvent(Struct, frozen=True, gc=False, kw_only=True):
    """An Event that a kubelet could not send yet: about a pod or, with ``pod`` empty, about its node."""

    at_ms: Ms
    pod: Key
    severity: str
    reason: str
    message: str
    path: str
    rule: str
    cause: Seq


class Eviction(Struct, frozen=True, gc=False):
    """A taint eviction that waits for a pod's tolerationSeconds."""

    due_ms: Ms
    handle: int = 0
    seq: Seq = 0
    state: str = ""


class StaticPod(Struct, frozen=True, gc=False, kw_only=True):
    """A manifest in a kubelet's static pod folder. ``pod`` is its mirror pod, ``state`` says whether the file is there.

    While the API server refuses a new mirror, ``refusal`` says why, and ``pod`` is the last mirror, "" if there never was one.

    ``runs``: what the kubelet runs for it, whatever happens to the mirror; None until it has read the file. ``following``: what the
    file says now, while its previous content is still being stopped.
    """

    node: str
    namespace: str
    name: str
    document: str
    uid: str
    pod: Key
    runs: Pod | None = None
    seen_ms: Ms | None = None  # when the current kubelet read the file; None before
    state: str = "absent"
    refusal: str = ""
    following: str = ""
    seq: Seq = 0

    @property
    def removed(self) -> bool:
        """Whether the file is gone, or its content has changed."""
        return self.state == "absent"

    @property
    def has_file(self) -> bool:
        """Whether the folder has a manifest with its name, this one or another."""
        return not self.removed or bool(self.following)


# Resources: what a pod requests from its node, what is taken there, and resources that change while a pod runs.


class Need(Struct, frozen=True, gc=False):
    """What a pod requests from a node; ``other`` holds extended resources and huge pages by name.

    ``nonzero_…`` is what the scheduler's scores use: there a container without a request counts as asking for a little.
    """

    cpu_milli: int
    memory_bytes: int
    storage_bytes: int = 0
    other: tuple[tuple[str, int], ...] = ()
    nonzero_cpu_milli: int = 0
    nonzero_memory_bytes: int = 0


class Room(Struct, frozen=True, gc=False):
    """What pods take of a node, by either count: the scheduler's (pods it has placed) or the kubelet's (pods it has admitted)."""

    pods: int = 0
    cpu_milli: int = 0
    memory_bytes: int = 0
    storage_bytes: int = 0
    other: dict[str, int] = {}
    nonzero_cpu_milli: int = 0
    nonzero_memory_bytes: int = 0


class Resize(Struct, frozen=True, gc=False, kw_only=True):
    """A pod whose resources were changed. ``state`` is one of the resize machine, ``allocated`` what its kubelet has accepted."""

    allocated: ResourcesByName
    state: str = ""
    message: str = ""
    seq: Seq = 0

    def of(self, container: str) -> ResourceRequirements | None:
        """What the container was allocated; None for one that is not named."""
        return resources_of(self.allocated, container)


def resources_of(given: ResourcesByName, container: str) -> ResourceRequirements | None:
    """The resources of a container; None for one that is not named."""
    for name, resources in given:
        if name == container:
            return resources
    return None


# What a node is short of.


class NodePressure(Struct, frozen=True, gc=False, kw_only=True):
    """What the eviction manager of a node remembers. Exists only once something on the node can run short."""

    node: str
    loads: tuple[tuple[str, int], ...] = ()  # signal → usage by anything but pods
    observed: tuple[tuple[str, Ms], ...] = ()  # threshold → since when it has been met without interruption
    last_seen: tuple[tuple[str, Ms], ...] = ()  # node condition → when one of its thresholds was last met
    handle: int = 0  # queued EvictionTick
    oom_handle: int = 0  # queued NodeOom
    waits_for: Key = ""  # an evicted pod whose clean-up the loop waits for …
    waits_until_ms: Ms = 0  # … but no longer than this
    seq: Seq = 0  # what caused the pressure


class MeasuredVolumes(Struct, frozen=True, gc=False):
    """The result of the last measurement of a pod's volumes, taken about once a minute."""

    at_ms: Ms
    volumes: tuple[tuple[str, int], ...]


class MeasuredLayer(Struct, frozen=True, gc=False, kw_only=True):
    """The result of the last measurement of one container instance's writable layer."""

    container: str
    attempt: int
    size_bytes: int
    shown_ms: Ms = 0  # when the kubelet learns it; until then it knows …
    before_bytes: int = 0  # … the previous measurement

    def at(self, now: Ms) -> int:
        """The number of bytes that the kubelet knows at that moment."""
        return self.size_bytes if now >= self.shown_ms else self.before_bytes


# Volumes of pods on their nodes.


class Mounting(Struct, frozen=True, kw_only=True, gc=False):
    """A volume that could not be mounted yet, with the attempts so far and why the last one failed."""

    volume: str
    tries: int = 0
    problem: str = ""
    handle: int = 0  # of the queued next try


class PodVolumes(Struct, frozen=True, gc=False, kw_only=True):
    """The progress of mounting a pod's volumes. ``since_ms``: when the running sync began to wait for them."""

    state: str = ""
    failing: tuple[Mounting, ...] = ()
    since_ms: Ms = 0
    timeout: int = 0


# PodDisruptionBudgets: their spec and their status.


BudgetKey = tuple[str, str]
"""Namespace and name."""


class BudgetRow(Struct, frozen=True, gc=False, kw_only=True):
    """A budget as the disruption controller sees it. ``observed`` is status.observedGeneration, 0 before the first computation."""

    namespace: str
    name: str
    budget: Budget
    health: Health = Health()
    observed: int = 0
    allows: str = ""  # status of the condition DisruptionAllowed
    reason: str = ""
    message: str = ""
    transition_ms: Ms = 0
    due: bool = False  # a computation is queued
    seq: Seq = 0

    @property
    def key(self) -> BudgetKey:
        """Its key in the table."""
        return (self.namespace, self.name)


# What the HorizontalPodAutoscaler controller remembers.


class AutoscalerRow(Struct, frozen=True, gc=False):
    """The recommended replica counts, and by how many it was scaled up and down, each with its moment; newest last."""

    recommended: tuple[tuple[Ms, int], ...] = ()
    ups: tuple[tuple[Ms, int], ...] = ()
    downs: tuple[tuple[Ms, int], ...] = ()


# Service proxies: what they have learnt about a Service.


class Learnt(Struct, frozen=True, gc=False):
    """The EndpointSlices of a Service as the proxies read them at ``at_ms``; each node's proxy has its rules written some time later.

    ``slices`` are JSON texts, shared with the store's rows; ``exists``: whether the Service exists; ``cause``: what changed them.
    """

    at_ms: Ms
    slices: tuple[str, ...]
    exists: bool = True
    cause: Seq = 0


# Declared loads: the outcome of a Service's requests at this moment, and how many had which outcome before.


Life = tuple[Key, str, int]
"""Pod, container and attempt of the process that holds a request's connection."""
NOBODY_ANSWERS: Life = ("", "", 0)


class Fate(Struct, frozen=True):
    """The outcome of a request sent now. ``takes_ms``: until the client knows; ``data``: the values that the rule's sentence names."""

    outcome: str
    rule: str
    takes_ms: Ms = 0
    life: Life = NOBODY_ANSWERS
    data: tuple[tuple[str, str | int], ...] = ()
    cause: Seq = 0


class Slot(Struct, frozen=True):
    """Every ``modulus``-th request, starting with number ``residue``, is sent to ``pod`` ("" : to none)."""

    residue: int
    modulus: int
    pod: str
    fate: Fate


class Piece(Struct, frozen=True):
    """Requests of one slot sent between two moments that may still be in flight; numbers from ``first`` to ``last``."""

    slot: Slot
    begin_ms: Ms
    end_ms: Ms
    first: int
    last: int


class LoadRow(Struct, frozen=True, kw_only=True):
    """A declared load with its state. ``since_ms``: when its requests began to be numbered; ``plan`` applies since ``plan_ms``.

    ``settled`` counts what was decided, by pod and outcome; ``states`` is each pod's outcome and rule as last recorded, with
    the number of requests it had received by then.
    """

    namespace: str
    name: str
    text: str
    rate_milli: int = 0
    since_ms: Ms = 0
    plan_ms: Ms = 0
    plan: tuple[Slot, ...] = ()
    open: tuple[Piece, ...] = ()
    settled: dict[tuple[str, str], int] = {}
    states: dict[str, tuple[str, str, int]] = {}
