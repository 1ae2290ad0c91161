"""The rows of a world. Every row is frozen: a change replaces it, so a fork shares rows and copies only pointers."""

from msgspec import Struct

from simulator.engine.containers.process import Launch, Process
from simulator.engine.containers.types import ExecState
from simulator.engine.kernel.units import Key, Ms, Seq
from simulator.engine.model.container import Container
from simulator.engine.model.pod import Pod
from simulator.engine.model.status import PodStatus


class BackoffEntry(Struct, frozen=True, gc=False):
    """The current window and the moment it was set."""

    backoff_ms: Ms
    last_update_ms: Ms


class ProbeWorker(Struct, frozen=True, gc=False):
    """A probe worker between two steps. ``result`` is the stored one, None while nothing is stored.

    ``last`` and ``run`` are the latest outcome and how many times in a row it came.
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
    number: int = 0  # its place among the pods of the run, in the order of their creation
    resource_version: int = 0
    applied: str = ""  # what was applied last, for the next three-way merge
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
    """A container on its way out. ``state`` is a state of the stop machine; ``grace_ms`` what is left for TERM."""

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
    """A request of an HTTP hook that an instance has taken and not answered: whose hook asks, and what.

    ``kubelet`` is that which asks, by the number of its start; ``handle`` that of the queued ``HookDone`` of a slow answer,
    which ``is_due`` where it should have come while the process hung.
    """

    pod: Key
    container: str
    attempt: int
    purpose: str
    url: str
    kubelet: int
    handle: int = 0
    is_due: bool = False


class Instance(Struct, frozen=True, gc=False, kw_only=True):
    """One instance of a container in the runtime: the node's reality. ``state`` is one of the container machine's, from running on."""

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
        """Whether its main process is there, being stopped or not."""
        return self.state in ("running", "stopping")

    @property
    def runtime_state(self) -> str:
        """What the runtime answers when it is asked: running (also of a container that is being stopped) or exited."""
        return "running" if self.state == "stopping" else self.state


class Seen(Struct, frozen=True, gc=False):
    """What the kubelet knows of a pod's containers: the runtime as it was at the last relist that touched the pod."""

    at_ms: Ms
    sandbox: Sandbox | None
    instances: tuple[Instance, ...]
    seq: Seq


class Report(Struct, frozen=True, gc=False):
    """What a kubelet said of a pod, where somebody else has written over it: ``shown`` is what stands there instead."""

    said: PodStatus
    shown: PodStatus


class Reason(Struct, frozen=True, gc=False):
    """An entry of the kubelet's reason cache: why the last attempt to start a container did not succeed.

    ``state`` is where the attempt left the container, where no instance of it can tell (waiting, backoff).
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
    quiet: bool = False  # without Killing events, as housekeeping does


class Ending(Struct, frozen=True, gc=False):
    """Why the kubelet itself ends a pod. ``grace_s`` replaces the pod's own grace period; ``disruption`` is told in a condition.

    ``keeps_containers``: a status that 1.20 replaces still names the containers (only the deadline's does).
    """

    reason: str
    message: str
    rule: str
    grace_s: int | None = None
    disruption: bool = False
    told: str = ""  # what the condition says, where that differs from the message
    keeps_containers: bool = False


class Worker(Struct, frozen=True, gc=False, kw_only=True):
    """The kubelet's worker of one pod. ``state`` is a state of the pod worker's machine, unknown until the pod is accepted."""

    pod: Key
    node: str
    state: str = "unknown"
    program: tuple[Action, ...] = ()
    step: str = ""  # what the running step waits for; empty between syncs
    n: int = 0  # counts steps; a stale WorkerStep is recognised by it
    waits_for: tuple[tuple[str, int], ...] = ()  # (container, attempt) whose end the running step waits for
    pending: bool = False
    pending_seq: Seq = 0
    busy_until_ms: Ms = 0  # a sync without waiting still occupies the worker until then
    sync_due_ms: Ms | None = None
    sync_handle: int = 0
    rests: int = 0  # the place in the queue of a next sync that is no event (world/rest.py); 0 for a worker that does not rest
    syncs: int = 0
    acted: bool = False  # the running sync has done something
    failed: bool = False  # an action of the running sync has failed
    killed: bool = False  # the pod's containers were told to stop for good
    grace_s: int | None = None  # effective grace period, once terminating
    reasons: tuple[Reason, ...] = ()
    housekeeping: bool = False  # housekeeping is going to kill what still runs
    held: bool = False  # its sync waits for the container runtime to come back
    is_probed: bool = False  # a sync has begun the pod's probe workers
    released: bool = False  # containers, sandbox and volumes are gone
    seq: Seq = 0  # cause of the running sync
    looked: "Seen | None" = None  # the look at the runtime with which the running sync began
    start: "Start | None" = None
    calm: "Seen | None" = None  # the look after which a sync found nothing to do …
    calm_version: int = 0  # … at this version of the object
    retry_ms: Ms | None = None  # when the nearest back-off of the running sync ends
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
    """A probe worker: its pure state, its grid and what a user has decided that it sees."""

    worker: ProbeWorker
    first_ms: Ms  # first tick; the others follow each period
    period_ms: Ms
    busy: bool = False  # an attempt is under way
    began_ms: Ms = 0  # when the attempt under way began
    missed: bool = False  # one tick came while busy (the ticker buffers one)
    poked: bool = False  # one poke came while busy or asleep (its channel buffers one, too)
    is_stopping: bool = False  # stopped while busy: it ends when the attempt is over
    is_asleep: bool = False  # before its first tick, where that waits for a random part of the period
    outcome: str = ""  # decided by the user: success | failure | timeout | error
    outcome_left: int = 0  # attempts it still holds for; 0 = until healed
    outcome_seq: Seq = 0
    result_seq: Seq = 0
    handle: int = 0


class Exec(Struct, frozen=True, gc=False, kw_only=True):
    """A process running in a container besides its main process. ``purpose``: probe, post_start, pre_stop or user."""

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


class Backoff(Struct, frozen=True, gc=False):
    """A back-off entry with the record behind it; ``problem``: of a pull, the runtime's error that the wait is about."""

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
    """A Kubernetes Event object. ``held``: times the spam filter kept it back since; ``seq``: its last record, 0 if never written."""

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
    """How many different messages of one kind of event came in the current window."""

    messages: tuple[str, ...]
    last_ms: Ms
