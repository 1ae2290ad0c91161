"""The world: a mutable shell around frozen rows. Only ``effects.py`` changes it; everything else reads."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from simulator.engine.containers.docker import CONTAINERD
from simulator.engine.containers.files.filesystem import Files
from simulator.engine.kernel.indexes import Index
from simulator.engine.kernel.layered import Layered
from simulator.engine.kernel.records import Data, Record, new_digest
from simulator.engine.kernel.units import Key, Ms, Seq, Subject
from simulator.engine.model.system import LINUX
from simulator.engine.versions import Profile, resolve
from simulator.engine.versions.minors import minor_number
from simulator.engine.versions.release import release_of
from simulator.engine.world.events import Event
from simulator.engine.world.managed import Managed
from simulator.engine.world.queue import EventQueue
from simulator.engine.world.rows import (
    AutoscalerRow,
    Backoff,
    BackoffEntry,
    BudgetKey,
    BudgetRow,
    Eviction,
    Exec,
    ExecAnswer,
    HeldEvent,
    ImageRow,
    Instance,
    K8sEvent,
    KubeletRow,
    Learnt,
    LoadRow,
    MeasuredLayer,
    MeasuredVolumes,
    Need,
    NodeLife,
    NodePressure,
    NodeRow,
    PodRow,
    PodVolumes,
    ProbeRow,
    Report,
    Resize,
    Room,
    Sandbox,
    Seen,
    Similar,
    StaticPod,
    Worker,
)
from simulator.engine.world.tallies import PodTally
from simulator.engine.world.watch import Watches

if TYPE_CHECKING:  # a header's script holds commands, and each command's act imports World
    from simulator.engine.course.header import RunHeader
    from simulator.engine.course.options import Options

ObjectKey = tuple[str, str, str]
"""Kind, namespace and name of an API object that is not a pod."""
AffinityKey = tuple[str, bytes, tuple[tuple[str, str], ...]]
"""A pod's rules about other pods: its namespace, the rules as JSON, and its labels if the rules name some by key."""
OwnedKey = tuple[str, str, str]
"""The same for any object that has owners; a pod is ``("Pod", "", key)``."""


Chosen = tuple[Key, str, str]
"""A pod to delete, the rule that decided so, and the name of the pod that stays; empty if none stays."""


class ApiObject(Struct, frozen=True, gc=False):
    """An API object other than a pod. ``document`` is its JSON text without what the store itself keeps in the fields here."""

    kind: str
    namespace: str
    name: str
    document: str
    created_ms: Ms
    uid: str = ""
    resource_version: int = 0
    generation: int = 1
    deletion_ms: Ms | None = None  # metadata.deletionTimestamp
    grace_s: int | None = None  # metadata.deletionGracePeriodSeconds
    applied: str = ""  # what was last applied, for the next three-way merge
    seq: Seq = 0  # record of its last change

    @property
    def subject(self) -> str:
        """The record subject of this object."""
        return object_subject(self.kind, self.namespace, self.name)


def object_subject(kind: str, namespace: str, name: str) -> Subject:
    """The record subject of an API object by its names."""
    return f"{kind.lower()}/{namespace}/{name}" if namespace else f"{kind.lower()}/{name}"


Held = Mapping[ObjectKey, ApiObject]
"""The API's objects other than pods, as they were at some moment."""


class Tables:
    """All rows of a world, by key. Dictionaries keep insertion order, so iterating them is deterministic."""

    __slots__ = (
        "admitted",
        "affinity_of",
        "alone_by_kind",
        "answers",
        "autoscalers",
        "backoffs",
        "buckets",
        "budgets",
        "checks",
        "chosen",
        "drains",
        "evictions",
        "execs",
        "failures",
        "held_events",
        "held_objects",
        "held_pods",
        "held_words",
        "image_nodes",
        "images",
        "instances",
        "job_failures",
        "k8s_events",
        "kubelets",
        "layers",
        "load_pods",
        "loads",
        "logs",
        "managed",
        "measured",
        "mounts",
        "names",
        "names_by_kind",
        "namespaces_by_kind",
        "node_backoffs",
        "node_life",
        "nodes",
        "nominations",
        "objects",
        "objects_by_namespace",
        "owned_by_name",
        "owned_by_uid",
        "pods",
        "pods_alone",
        "pods_by_label",
        "pods_by_namespace",
        "pods_by_node",
        "pods_by_owner",
        "pods_with_affinity",
        "present",
        "pressures",
        "probes",
        "proxied",
        "proxy_dirty",
        "queued",
        "reports",
        "reserved",
        "resizes",
        "room_admitted",
        "room_scheduled",
        "sandboxes",
        "scheduled",
        "seen",
        "series",
        "similar",
        "static_pods",
        "tallies",
        "tries",
        "triggers",
        "uids",
        "unhealthy",
        "unscheduled",
        "unscheduled_by",
        "user_ranges",
        "volume_waits",
        "volumes",
        "waits",
        "workers",
    )

    def __init__(self) -> None:
        self.nodes: dict[str, NodeRow] = {}
        self.kubelets: dict[str, KubeletRow] = {}
        self.admitted: dict[Key, Need] = {}  # requests of the pods that a kubelet has admitted and that have not ended …
        self.room_admitted: dict[str, Room] = {}  # … and their sum by node
        self.node_backoffs: dict[tuple[str, str], BackoffEntry] = {}  # (DaemonSet and generation, node) → back-off of pods that fail there
        self.node_life: dict[str, NodeLife] = {}
        self.unhealthy: dict[str, bool] = {}  # nodes whose kubelet cannot do its normal work; empty in a healthy cluster
        self.held_objects: dict[str, Held] = {}  # nodes that are cut off, with the objects as their kubelets last saw them …
        self.held_pods: dict[Key, PodRow] = {}  # … their pods as their kubelets know and report them …
        self.held_words: dict[Key, str] = {}  # … the states of those that would be shown differently if the API server knew …
        self.held_events: dict[str, tuple[HeldEvent, ...]] = {}  # … and the Events that wait to be sent
        self.drains: dict[str, tuple[Key, ...]] = {}  # nodes that kubectl drains, with the pods it waits for
        self.evictions: dict[Key, Eviction] = {}
        self.static_pods: dict[tuple[str, str, str], StaticPod] = {}  # node, namespace, name
        self.pods: dict[Key, PodRow] = {}
        self.names: dict[tuple[str, str], Key] = {}  # (namespace, name) → key of the latest pod of that name
        self.objects: dict[ObjectKey, ApiObject] = {}
        self.managed: dict[str, Managed] = {}  # who has written which fields, by uid; only of objects that a client has written
        self.queued: dict[Event, Ms] = {}  # keys in the queues of components, with the moment they are taken
        self.checks: dict[Event, tuple[Ms, int]] = {}  # planned checks, one per key: moment and handle
        self.failures: dict[Event, int] = {}  # failed rounds of controllers in a row, by key of their queue
        self.triggers: dict[tuple[str, str, str], tuple[Ms, dict[str, Ms]]] = {}  # changes known to an endpoints controller, by Service
        self.proxy_dirty: dict[tuple[str, str], Seq] = {}  # Services whose rules the proxies have yet to write, with what changed them
        self.proxied: dict[tuple[str, str], tuple[Learnt, ...]] = {}  # what proxies have learnt about a Service, newest last
        self.loads: dict[tuple[str, str], LoadRow] = {}  # declared loads, by Service
        self.load_pods: dict[Key, tuple[tuple[str, str], ...]] = {}  # pods to which requests of such a load go, with their Services
        self.waits: dict[Event, tuple[str, Data]] = {}  # what a controller's round waits for: rule and numbers
        self.autoscalers: dict[tuple[str, str], AutoscalerRow] = {}  # namespace, name of HorizontalPodAutoscalers
        self.job_failures: dict[str, tuple[int, Ms]] = {}  # by uid of a Job: failures in a row, and when the last of them finished
        self.uids: Layered[str, bool] = Layered()  # of every object that the store ever had
        self.pods_by_namespace: Index[str, Key] = Index()
        self.pods_alone: Index[str, Key] = Index()  # namespace → pods that no controller manages
        self.pods_by_node: Index[str, Key] = Index()
        self.pods_by_label: Index[tuple[str, str, str], Key] = Index()  # namespace, key, value
        self.names_by_kind: Index[tuple[str, str], str] = Index()  # (kind, namespace) → names of objects
        self.alone_by_kind: Index[tuple[str, str], str] = Index()  # the same, for those that no controller manages
        self.namespaces_by_kind: Index[str, str] = Index()
        self.objects_by_namespace: Index[str, tuple[str, str]] = Index()  # namespace → (kind, name)
        self.owned_by_uid: Index[str, OwnedKey] = Index()  # objects by the uid of an owner …
        self.pods_by_owner: Index[str, Key] = Index()  # … and pods, separately: they are many, and readers of the former need not skip them
        self.owned_by_name: Index[tuple[str, str], tuple[OwnedKey, str]] = Index()  # (kind, name) → who names it as owner, under which uid
        self.tallies: dict[str, PodTally] = {}  # counts of the pods that an owner manages, by its uid
        self.chosen: dict[Event, tuple[Chosen, ...]] = {}  # pods that a controller has yet to delete in the round of this key
        self.reserved: dict[Event, tuple[Ms, int]] = {}  # requests that a controller's client may send later: when, and how many
        self.budgets: dict[BudgetKey, BudgetRow] = {}  # PodDisruptionBudgets with their status
        self.workers: dict[Key, Worker] = {}
        self.sandboxes: dict[Key, Sandbox] = {}
        self.instances: dict[Key, tuple[Instance, ...]] = {}  # newest first
        self.seen: dict[Key, Seen] = {}
        self.probes: dict[tuple[Key, str, str], ProbeRow] = {}  # pod, container, probe type
        self.execs: dict[int, Exec] = {}
        self.answers: dict[Seq, ExecAnswer] = {}  # output of users' most recent commands, by the record of each
        self.scheduled: dict[Key, Need] = {}  # the scheduler's cache: pods that it assumes or knows to be on a node …
        self.room_scheduled: dict[str, Room] = {}  # … and their sum by node
        self.affinity_of: dict[Key, AffinityKey] = {}  # of those, the pods with rules about other pods …
        self.pods_with_affinity: Index[AffinityKey, Key] = Index()  # … and the same grouped by rules
        self.tries: dict[Key, tuple[int, Ms]] = {}  # attempts to place a pod, and the moment of the last one
        self.nominations: dict[Key, bool] = {}  # unbound pods for which a node reserves room
        self.unscheduled: dict[Key, tuple[str, ...]] = {}  # pods the scheduler could not place, with the plugins that refused them …
        self.unscheduled_by: Index[str, Key] = Index()  # … and by plugin; "": unknown which
        self.volume_waits: dict[Key, str] = {}  # pods whose node is chosen, while volumes are provisioned there
        self.backoffs: dict[tuple[str, Key, str], Backoff] = {}  # crash | image, pod, container or image
        self.images: dict[str, ImageRow] = {}
        self.present: dict[tuple[str, str], bool] = {}  # (node, image) on disk
        self.image_nodes: dict[str, int] = {}  # image → on how many nodes
        self.volumes: dict[str, Files] = {}
        self.mounts: dict[Key, PodVolumes] = {}
        self.series: dict[tuple[Key, int], tuple[Ms, str, int]] = {}  # FailedScheduling: last attempt, text, writes
        self.user_ranges: dict[Key, tuple[str, int]] = {}  # node and first id of pods with their own user namespace
        self.resizes: dict[Key, Resize] = {}  # pods whose resources were changed while they run
        self.pressures: dict[str, NodePressure] = {}  # nodes on which something can run short
        self.measured: dict[Key, MeasuredVolumes] = {}  # volumes of pods whose size is limited …
        self.reports: dict[Key, Report] = {}  # what kubelets reported about pods whose status another client has overwritten
        self.layers: dict[Key, tuple[MeasuredLayer, ...]] = {}  # … and the layers of their containers
        self.logs: dict[tuple[Key, str], tuple[tuple[int, Ms, str, str], ...]] = {}  # attempt, at, stream, text
        self.k8s_events: Layered[tuple[str, ...], K8sEvent] = Layered()
        self.similar: Layered[tuple[str, ...], Similar] = Layered()
        self.buckets: dict[tuple[str, str], tuple[int, Ms]] = {}  # tokens × refill time, at

    def copy(self) -> "Tables":
        """The same rows under their own dictionaries. O(rows) pointer copies."""
        twin = Tables.__new__(Tables)
        for name in Tables.__slots__:
            setattr(twin, name, getattr(self, name).copy())
        return twin


NO_WATCHES = Watches()


class World:
    """Everything that is true at ``now_ms``: every event due by then has been processed."""

    __slots__ = (
        "counters",
        "first_records",
        "hasher",
        "header",
        "memo",
        "now_ms",
        "options",
        "profile",
        "queue",
        "release",
        "seq",
        "spent",
        "tables",
        "watches",
    )

    options: "Options"  # the version-dependent options of the pure rules; set when the world begins

    def __init__(self, header: "RunHeader", watches: Watches = NO_WATCHES) -> None:
        self.header = header
        self.watches = watches
        self.profile: Profile = resolve(header.kubernetes, header.gates)
        self.release = release_of(minor_number(self.profile.minor), header.gates)
        self.now_ms: Ms = 0
        self.seq: Seq = 0
        self.spent = 0  # what containers have computed since the beginning, and other expensive work (work.py)
        self.tables = Tables()
        self.queue = EventQueue()
        self.counters: dict[str, int] = {}
        self.hasher: Any = new_digest()
        self.first_records: tuple[Record, ...] = ()
        self.memo: dict[str, Any] = {}  # what a component has derived from the tables and may forget at any time; forks start without it

    def runtime_of(self, node: str) -> str:
        """The container runtime of a node: ``containerd``, or ``docker`` if the cluster asks for it and the kubelet has a dockershim."""
        chosen = self.header.cluster.runtime
        if chosen == CONTAINERD or not self.release.facts.dockershim:
            return CONTAINERD
        row = self.tables.nodes.get(node)
        return chosen if row is not None and row.os == LINUX else CONTAINERD

    def fork(self) -> "World":
        """An independent world with the same past. O(rows) pointer copies; the rows are shared."""
        twin = World.__new__(World)
        twin.header, twin.profile, twin.options, twin.watches = self.header, self.profile, self.options, self.watches
        twin.release = self.release
        twin.now_ms, twin.seq, twin.spent = self.now_ms, self.seq, self.spent
        twin.tables = self.tables.copy()
        twin.queue = self.queue.copy()
        twin.counters = self.counters.copy()
        twin.hasher = self.hasher.copy()
        twin.first_records = self.first_records
        twin.memo = {}
        return twin

    def digest(self) -> bytes:
        """16 bytes that identify the whole history of records; equal digests mean equal histories."""
        value: bytes = self.hasher.digest()
        return value

    def pod(self, key: Key) -> PodRow | None:
        """The pod of that key, even if it is gone, or None."""
        return self.tables.pods.get(key)

    def live_pod(self, namespace: str, name: str) -> PodRow | None:
        """The pod that the API server shows under that name now, or None."""
        key = self.tables.names.get((namespace, name))
        row = self.tables.pods.get(key) if key else None
        return row if row is not None and row.gone_ms is None else None

    def is_terminating(self, namespace: str) -> bool:
        """Whether the namespace is being deleted."""
        row = self.tables.objects.get(("Namespace", "", namespace))
        return row is not None and row.deletion_ms is not None
