"""Tables of the workload kinds, of budgets, and of pods themselves.

Pods have no columns of their own here: each column takes its cell from the row of ``get``.
"""

from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.units import Ms
from simulator.engine.model.duration import human_duration_ms
from simulator.engine.model.times import parse_time
from simulator.kubectl.get import HEADER, WIDE, GetRow, get_row
from simulator.kubectl.tables.model import AGE, NAME, NONE, Cell, Column, Sight, at, joined, number_at, shown, text_at
from simulator.kubectl.tables.selectors import selector_text

_SINCE_STATUS = 31
# Condition → word, in the order in which the server checks (printJob); "" stands for a deletion.
_WORDS = (
    ("Complete", "Complete"),
    ("Failed", "Failed"),
    ("", "Terminating"),
    ("Suspended", "Suspended"),
    ("FailureTarget", "FailureTarget"),
    ("SuccessCriteriaMet", "SuccessCriteriaMet"),
)


def _pod_row(document: Json, sight: Sight) -> GetRow:
    metadata = document["metadata"]
    row = sight.world.live_pod(metadata["namespace"], metadata["name"])
    if row is None:
        raise KeyError(metadata["name"])
    return get_row(sight.world, row, sight.now_ms)


def _pod_cell(place: int) -> Cell:
    return lambda document, sight: _pod_row(document, sight).cells[place]


def _pod_wide(place: int) -> Cell:
    return lambda document, sight: _pod_row(document, sight).wide[place]


PODS = (
    *(Column(head, _pod_cell(place)) for place, head in enumerate(HEADER)),
    *(Column(head, _pod_wide(place), wide=True) for place, head in enumerate(WIDE)),
)


def _replicas(document: Json, sight: Sight) -> str:
    wanted = at(document, "spec", "replicas")
    return "1" if wanted is None else str(wanted)


def _ready(document: Json, sight: Sight) -> str:
    return f"{at(document, 'status', 'readyReplicas') or 0}/{_replicas(document, sight)}"


def _containers(*path: str) -> Cell:
    return lambda document, sight: ",".join(str(item.get("name")) for item in at(document, *path, "spec", "containers") or ())


def _images(*path: str) -> Cell:
    return lambda document, sight: ",".join(str(item.get("image")) for item in at(document, *path, "spec", "containers") or ())


def _selector(*path: str) -> Cell:
    return lambda document, sight: selector_text(at(document, *path))


_TEMPLATE = (Column("CONTAINERS", _containers("spec", "template"), wide=True), Column("IMAGES", _images("spec", "template"), wide=True))
_SELECTOR = Column("SELECTOR", _selector("spec", "selector"), wide=True)

DEPLOYMENTS = (
    NAME,
    Column("READY", _ready),
    Column("UP-TO-DATE", number_at("status", "updatedReplicas")),
    Column("AVAILABLE", number_at("status", "availableReplicas")),
    AGE,
    *_TEMPLATE,
    _SELECTOR,
)
REPLICA_SETS = (
    NAME,
    Column("DESIRED", _replicas),
    Column("CURRENT", number_at("status", "replicas")),
    Column("READY", number_at("status", "readyReplicas")),
    AGE,
    *_TEMPLATE,
    _SELECTOR,
)
STATEFUL_SETS = (NAME, Column("READY", _ready), AGE, *_TEMPLATE)


def _node_selector(document: Json, sight: Sight) -> str:
    return joined(at(document, "spec", "template", "spec", "nodeSelector"))


DAEMON_SETS = (
    NAME,
    Column("DESIRED", number_at("status", "desiredNumberScheduled")),
    Column("CURRENT", number_at("status", "currentNumberScheduled")),
    Column("READY", number_at("status", "numberReady")),
    Column("UP-TO-DATE", number_at("status", "updatedNumberScheduled")),
    Column("AVAILABLE", number_at("status", "numberAvailable")),
    Column("NODE SELECTOR", _node_selector),
    AGE,
    *_TEMPLATE,
    _SELECTOR,
)


def _job_status(document: Json, sight: Sight) -> str:
    """The first condition that holds, in the server's order; otherwise Running."""
    holding = {item.get("type") for item in at(document, "status", "conditions") or () if item.get("status") == "True"}
    if at(document, "metadata", "deletionTimestamp"):
        holding.add("")
    return next((word for kind, word in _WORDS if kind in holding), "Running")


def _completions(document: Json, sight: Sight) -> str:
    done = at(document, "status", "succeeded") or 0
    wanted, parallel = at(document, "spec", "completions"), at(document, "spec", "parallelism") or 0
    if wanted is not None:
        return f"{done}/{wanted}"
    return f"{done}/1 of {parallel}" if parallel > 1 else f"{done}/1"


def _duration(document: Json, sight: Sight) -> str:
    begin, end = at(document, "status", "startTime"), at(document, "status", "completionTime")
    if not begin:
        return ""
    until: Ms = parse_time(end) if end else sight.epoch_now_ms
    return human_duration_ms(until - parse_time(begin))


def _controller(document: Json, sight: Sight) -> str:
    owners = at(document, "metadata", "ownerReferences") or ()
    owner = next((item for item in owners if item.get("controller")), None)
    if owner is None:
        return NONE
    group = str(owner.get("apiVersion") or "").rpartition("/")[0]
    return f"{str(owner.get('kind')).lower()}{f'.{group}' if group else ''}/{owner.get('name')}"


REVISIONS = (NAME, Column("CONTROLLER", _controller), Column("REVISION", text_at("revision", default="0")), AGE)
JOBS = (
    NAME,
    Column("STATUS", _job_status, since=_SINCE_STATUS),
    Column("COMPLETIONS", _completions),
    Column("DURATION", _duration),
    AGE,
    *_TEMPLATE,
    _SELECTOR,
)


def _suspended(document: Json, sight: Sight) -> str:
    return shown(bool(at(document, "spec", "suspend"))).capitalize()


def _active(document: Json, sight: Sight) -> str:
    return str(len(at(document, "status", "active") or ()))


def _last_schedule(document: Json, sight: Sight) -> str:
    last = at(document, "status", "lastScheduleTime")
    return sight.since(last) if last else NONE


_JOB_TEMPLATE = ("spec", "jobTemplate", "spec", "template")
CRON_JOBS = (
    NAME,
    Column("SCHEDULE", text_at("spec", "schedule", default="")),
    Column("TIMEZONE", text_at("spec", "timeZone"), since=30),
    Column("SUSPEND", _suspended),
    Column("ACTIVE", _active),
    Column("LAST SCHEDULE", _last_schedule),
    AGE,
    Column("CONTAINERS", _containers(*_JOB_TEMPLATE), wide=True),
    Column("IMAGES", _images(*_JOB_TEMPLATE), wide=True),
    Column("SELECTOR", _selector("spec", "jobTemplate", "spec", "selector"), wide=True),
)


def _scale_target(document: Json, sight: Sight) -> str:
    named = at(document, "spec", "scaleTargetRef") or {}
    return f"{named.get('kind')}/{named.get('name')}"


_TARGETS_SHOWN = 2


def _targets(document: Json, sight: Sight) -> str:
    """Current over target for the first two metrics (formatHPAMetrics)."""
    spec, current = document.get("spec") or {}, at(document, "status", "currentMetrics") or ()
    metrics = autoscaler_metrics(spec)
    cells = [
        metric_cell(item, current[place] if place < len(current) else {}, named=sight.facts.autoscaler_metric_names)
        for place, item in enumerate(metrics)
    ]
    if not cells:
        return NONE
    return f"{', '.join(cells[:_TARGETS_SHOWN])}{f' + {len(cells) - _TARGETS_SHOWN} more...' if len(cells) > _TARGETS_SHOWN else ''}"


def autoscaler_metrics(spec: Json) -> list[Json]:
    """The metrics of an autoscaler's spec, including one in the form of autoscaling/v1."""
    if spec.get("metrics") is not None:
        return list(spec["metrics"])
    share = {"type": "Utilization", "averageUtilization": spec.get("targetCPUUtilizationPercentage")}
    return [{"type": "Resource", "resource": {"name": "cpu", "target": share}}]


def metric_cell(item: Json, current: Json, *, named: bool) -> str:
    """One metric as kubectl shows it: ``cpu: 40%/80%``."""
    field = {"Resource": "resource", "ContainerResource": "containerResource"}.get(str(item.get("type")), "")
    source, held = item.get(field) or {}, at(current, field, "current") or {}
    wanted = source.get("target") or {}
    name = f"{source.get('name')}: " if named else ""
    if wanted.get("averageValue") is not None:
        return f"{name}{held.get('averageValue', '<unknown>')}/{wanted['averageValue']}"
    share = held.get("averageUtilization")
    return f"{name}{'<unknown>' if share is None else f'{share}%'}/{wanted.get('averageUtilization', '<auto>')}%"


AUTOSCALERS = (
    NAME,
    Column("REFERENCE", _scale_target),
    Column("TARGETS", _targets),
    Column("MINPODS", text_at("spec", "minReplicas", default="<unset>")),
    Column("MAXPODS", text_at("spec", "maxReplicas", default="")),
    Column("REPLICAS", number_at("status", "currentReplicas")),
    AGE,
)
BUDGETS = (
    NAME,
    Column("MIN AVAILABLE", text_at("spec", "minAvailable", default="N/A")),
    Column("MAX UNAVAILABLE", text_at("spec", "maxUnavailable", default="N/A")),
    Column("ALLOWED DISRUPTIONS", number_at("status", "disruptionsAllowed")),
    AGE,
)
