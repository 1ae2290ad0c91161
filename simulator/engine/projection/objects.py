"""API objects other than pods and nodes, as pages show them: what was requested, what exists, conditions, related objects."""

from msgspec import Struct

from simulator.engine.apiserver.documents.custom import custom_kinds
from simulator.engine.kernel.units import Key, Ms, Subject
from simulator.engine.machines.workload import WORKLOAD
from simulator.engine.model.disruption import DISRUPTED_FOR_MS
from simulator.engine.model.kinds import KINDS
from simulator.engine.model.selectors import selects
from simulator.engine.model.status import TERMINAL_PHASES
from simulator.engine.workloads.objects import spec_of, status_of
from simulator.engine.workloads.progress import COUNTS, progress, workload_facts
from simulator.engine.workloads.refs import managers_of, manages
from simulator.engine.world.lookups import dependents_of, pods_in, pods_labelled
from simulator.engine.world.rows import BudgetRow, PodRow
from simulator.engine.world.world import ApiObject, Tables, World, object_subject

AUTOSCALER = "HorizontalPodAutoscaler"
_TONES = {state.name: state.tone for state in WORKLOAD.states}


class ConditionLine(Struct, frozen=True, kw_only=True):
    """A condition in an object's status."""

    type: str
    status: str
    reason: str
    message: str

    @property
    def tells_of_trouble(self) -> bool:
        """Whether True is the bad value for this type."""
        return self.type in ("ReplicaFailure", "ScalingLimited", "Failed", "FailureTarget") or self.type.startswith("Namespace")


class ObjectView(Struct, frozen=True, kw_only=True):
    """An object at a moment. ``wanted`` and ``there`` are how many pods it requests and has ready (an autoscaler: wants and sees); None
    if it requests none.

    ``counts`` are the numbers of its status under kubectl's names; ``tone`` is how it is doing as a whole, "" if nothing says so.
    """

    subject: Subject
    kind: str
    namespace: str
    name: str
    tone: str
    wanted: int | None
    there: int
    counts: tuple[tuple[str, int], ...]
    conditions: tuple[ConditionLine, ...]
    owner: Subject
    owned: tuple[Subject, ...]
    pods: tuple[Key, ...]
    created_ms: Ms
    is_deleting: bool


def object_at(world: World, subject: Subject) -> ApiObject | None:
    """The object that a subject names; None if there is none (any more)."""
    parts = subject.split("/")
    if parts[0] == "requests":  # the outcome of its requests is shown with the Service
        parts = ["service", *parts[1:3]]
    kind = _KINDS.get(parts[0]) or next((info.kind for info in custom_kinds(world) if info.singular == parts[0]), None)
    if kind is None or len(parts) not in (2, 3):
        return None
    namespace, name = (parts[1], parts[2]) if len(parts) == 3 else ("", parts[1])
    return world.tables.objects.get((kind, namespace, name))


_KINDS = {kind.lower(): kind for kind in KINDS}


def object_view(world: World, row: ApiObject) -> ObjectView:
    """An object with its related objects. O(what it owns or selects)."""
    owner = owner_subject(world.tables, row)
    owned = dependents_of(world.tables, (row.kind, row.namespace, row.name), row.uid)
    mine = [item for item in owned if manages(row, item)]
    pods = [item.key for item in mine if isinstance(item, PodRow)]
    # A Service owns nothing; its pods are those it selects.
    if row.kind == "Service":
        selector = spec_of(row).get("selector") or {}
        pods = [item.key for item in pods_labelled(world.tables, row.namespace, selector)] if selector else []
    wanted, there = _scaled(row) if row.kind == AUTOSCALER else progress(row.kind, spec_of(row), status_of(row))
    return ObjectView(
        subject=row.subject, kind=row.kind, namespace=row.namespace, name=row.name, tone=tone_of(world, row), wanted=wanted, there=there,
        counts=counts_of(row), conditions=_conditions(row), owner=owner,
        owned=tuple(item.subject for item in mine if isinstance(item, ApiObject)), pods=tuple(pods), created_ms=row.created_ms,
        is_deleting=row.deletion_ms is not None,
    )  # fmt: skip


def owner_subject(tables: Tables, row: PodRow | ApiObject, *, topmost: bool = False) -> Subject:
    """The subject of the object that manages this one, or of the topmost one; empty if there is none."""
    owners = managers_of(tables, row)
    owner = owners[-1 if topmost else 0] if owners else None
    return object_subject(owner.kind, row.namespace, owner.name) if owner is not None else ""


def _scaled(row: ApiObject) -> tuple[int, int]:
    """How many replicas an autoscaler wants and how many it saw."""
    status = status_of(row)
    return int(status.get("desiredReplicas") or 0), int(status.get("currentReplicas") or 0)


def counts_of(row: ApiObject) -> tuple[tuple[str, int], ...]:
    """The numbers of a workload's status under kubectl's names; for an autoscaler the bounds in its spec."""
    status = status_of(row)
    if row.kind == AUTOSCALER:
        spec = spec_of(row)
        return (("min", int(spec.get("minReplicas") or 1)), ("max", int(spec.get("maxReplicas") or 0)))
    return tuple((word, int(status.get(field) or 0)) for word, field in COUNTS.get(row.kind, ()))


def tone_of(world: World, row: ApiObject) -> str:
    """How an object is doing as a whole: the tone of the state given by its status, "" if there is none."""
    if row.deletion_ms is not None:
        return "terminating"
    if row.kind == "PodDisruptionBudget":
        held = world.tables.budgets.get((row.namespace, row.name))
        return budget_view(held).tone if held is not None else ""
    if row.kind == AUTOSCALER:
        wanted, there = _scaled(row)
        is_blind = any(item.type == "ScalingActive" and item.status == "False" for item in _conditions(row))
        return "notready" if is_blind else "ready" if wanted == there else "starting"
    if row.kind not in COUNTS:
        return ""
    # The same machine that writes the records, queried without firing.
    step = WORKLOAD.pick("", "status", workload_facts(row.kind, spec_of(row), status_of(row)))
    return _TONES[step.target] if step is not None else "unknown"


def _conditions(row: ApiObject) -> tuple[ConditionLine, ...]:
    return tuple(
        ConditionLine(
            type=str(item.get("type")), status=str(item.get("status")), reason=str(item.get("reason") or ""),
            message=str(item.get("message") or ""),
        )
        for item in status_of(row).get("conditions") or ()
    )  # fmt: skip


class BudgetView(Struct, frozen=True, kw_only=True):
    """A PodDisruptionBudget as a gauge: healthy pods, how many must be, how many there should be, evictions allowed."""

    subject: Subject
    name: str
    namespace: str
    current: int
    desired: int
    expected: int
    allowed: int
    problem: str

    @property
    def tone(self) -> str:
        """The tone of the remaining room."""
        return "failed" if self.problem or self.current < self.desired else "ready" if self.allowed else "notready"


class BudgetPod(Struct, frozen=True, kw_only=True):
    """A pod that a budget selects. ``word`` says how it counts: healthy, unready, deleting, disrupted or ended."""

    subject: Subject
    name: str
    word: str
    until_ms: Ms | None = None

    @property
    def counts(self) -> bool:
        """Whether it is one of the healthy pods."""
        return self.word == "healthy"


class BudgetSum(Struct, frozen=True, kw_only=True):
    """How a budget's numbers come about: the pods that it selects, and how many must stay healthy.

    ``amount`` is minAvailable or maxUnavailable as written (``field`` says which; both empty: neither).
    """

    pods: tuple[BudgetPod, ...]
    field: str
    amount: str
    gauge: BudgetView


def budget_sum(world: World, namespace: str, name: str) -> BudgetSum | None:
    """The arithmetic of a budget; None if there is none of that name. O(pods of the namespace)."""
    row = world.tables.budgets.get((namespace, name))
    if row is None:
        return None
    hidden = dict(row.health.disrupted)
    pods = tuple(
        _budget_pod(pod, hidden.get(pod.name))
        for pod in pods_in(world.tables, namespace)
        if selects(row.budget.selector, pod.pod.metadata.labels)
    )
    held = row.budget
    field = "maxUnavailable" if held.maximum is not None else "minAvailable" if held.minimum is not None else ""
    amount = held.maximum if held.maximum is not None else held.minimum
    return BudgetSum(pods=pods, field=field, amount="" if amount is None else str(amount), gauge=budget_view(row))


def _budget_pod(row: PodRow, disrupted_ms: Ms | None) -> BudgetPod:
    """How the disruption controller counts a pod (countHealthyPods, in its order)."""
    ready = row.status.condition("Ready")
    until = disrupted_ms + DISRUPTED_FOR_MS if disrupted_ms is not None and row.deletion_ms is None else None
    if row.deletion_ms is not None:
        word = "deleting"
    elif until is not None:
        word = "disrupted"
    elif row.status.phase in TERMINAL_PHASES:
        word = "ended"
    else:
        word = "healthy" if ready is not None and ready.status == "True" else "unready"
    return BudgetPod(subject=row.subject, name=row.name, word=word, until_ms=until)


def budget_views(world: World) -> tuple[BudgetView, ...]:
    """Every budget of the cluster."""
    return tuple(budget_view(row) for row in world.tables.budgets.values())


def budget_view(row: BudgetRow) -> BudgetView:
    """A budget as a gauge."""
    state = row.health
    return BudgetView(
        subject=object_subject("PodDisruptionBudget", row.namespace, row.name), name=row.name, namespace=row.namespace,
        current=state.current, desired=state.desired, expected=state.expected, allowed=state.allowed, problem=state.problem,
    )  # fmt: skip
