"""``kubectl describe`` of the workload kinds. Cells are separated by tabs.

The ReplicaSet of the current template is found as the controller finds it, by comparing templates without the hash.
Phases are counted over the pods that the object controls; all other numbers come from its status.
"""

from collections.abc import Iterable

from simulator.engine.apiserver.documents.moments import long_date
from simulator.engine.kernel.json_text import Json
from simulator.engine.model.duration import human_duration_ms
from simulator.engine.model.pod import Pod
from simulator.engine.model.times import parse_time
from simulator.engine.model.whole import clamped
from simulator.engine.versions.span import Span
from simulator.kubectl.describe import annotation_lines, pair_lines, spread_lines, toleration_lines
from simulator.kubectl.describe_container import container_lines
from simulator.kubectl.describe_kinds import head_lines
from simulator.kubectl.describe_volume import volume_lines
from simulator.kubectl.tables.model import NONE, UNSET, Sight, at, joined, shown
from simulator.kubectl.tables.selectors import selector_text
from simulator.kubectl.tables.workloads import autoscaler_metrics

_PHASES = {"Pending": 1, "Running": 0, "Succeeded": 2, "Failed": 3}


_TIME_ZONE = Span(since=36)


def template_lines(template: Json, sight: Sight) -> list[str]:
    """The pod template of a workload: laid out like a pod without a status, one level deeper."""
    metadata, spec = template.get("metadata") or {}, template.get("spec") or {}
    lines = ["Pod Template:", *pair_lines("  Labels", metadata.get("labels") or {})]
    lines += annotation_lines(metadata["annotations"], title="  Annotations") if metadata.get("annotations") else []
    lines += [f"  Service Account:\t{spec['serviceAccountName']}"] if spec.get("serviceAccountName") else []
    for label, field in (("Init Containers", "initContainers"), ("Containers", "containers")):
        containers = spec.get(field) or []
        lines += [f"  {label}:"] if containers or field == "containers" else []
        for container in containers:
            lines += [f"   {container.get('name', '')}:", *container_lines(container, None, Pod(), minor=sight.minor)[1:]]
    head, *volumes = volume_lines(spec.get("volumes") or [], optional_line=sight.facts.optional_line)
    lines += [f"  {head}", *(f" {line}" if line.startswith("  ") and line[2] != " " else line for line in volumes)]
    lines += [f"  {line}" for line in spread_lines(spec.get("topologySpreadConstraints") or [])] if sight.facts.spread_constraints else []
    lines += [f"  Priority Class Name:\t{spec['priorityClassName']}"] if spec.get("priorityClassName") else []
    if sight.facts.template_placement:
        lines += pair_lines("  Node-Selectors", spec.get("nodeSelector") or {})
        lines += toleration_lines(spec.get("tolerations") or [], title="  Tolerations")
    return lines


def _conditions(document: Json) -> list[str]:
    conditions = at(document, "status", "conditions") or ()
    if not conditions:
        return []
    rows = [f"  {item['type']} \t{item['status']}\t{item.get('reason', '')}" for item in conditions]
    return ["Conditions:", "  Type\tStatus\tReason", "  ----\t------\t------", *rows]


def _created(document: Json) -> list[str]:
    metadata = document["metadata"]
    lines = [f"Name:\t{metadata['name']}", f"Namespace:\t{metadata.get('namespace', '')}"]
    return [*lines, f"CreationTimestamp:\t{long_date(metadata['creationTimestamp'])}"]


def _labelled(document: Json) -> list[str]:
    metadata = document["metadata"]
    return [*pair_lines("Labels", metadata.get("labels") or {}), *annotation_lines(metadata.get("annotations") or {})]


def _controller(document: Json) -> list[str]:
    owners = document["metadata"].get("ownerReferences") or ()
    return [f"Controlled By:\t{owner['kind']}/{owner['name']}" for owner in owners if owner.get("controller")][:1]


def _number(document: Json, *path: str) -> int:
    return int(at(document, *path) or 0)


def revision_of(document: Json) -> int:
    """The revision of a ReplicaSet; 0 if its annotation is not a number."""
    written = str((document["metadata"].get("annotations") or {}).get("deployment.kubernetes.io/revision") or "")
    return clamped(written) if written.isascii() and written.isdecimal() else 0


def _desired(document: Json) -> int:
    wanted = at(document, "spec", "replicas")
    return 1 if wanted is None else int(wanted)


def _pods_status(document: Json, sight: Sight) -> str:
    """How many of the object's own pods are in each phase."""
    counts = [0, 0, 0, 0]
    wanted = (document["kind"], document["metadata"]["name"])
    space = document["metadata"].get("namespace")
    for row in sight.world.tables.pods.values():
        owners = row.pod.metadata.owner_references if row.gone_ms is None and row.namespace == space else ()
        if any((owner.kind, owner.name) == wanted and owner.controller for owner in owners) and row.status.phase in _PHASES:
            counts[_PHASES[row.status.phase]] += 1
    return f"Pods Status:\t{counts[0]} Running / {counts[1]} Waiting / {counts[2]} Succeeded / {counts[3]} Failed"


def deployment_lines(document: Json, sight: Sight) -> list[str]:
    """A Deployment with its ReplicaSets."""
    spec = document.get("spec") or {}
    fields = (
        ("updatedReplicas", "updated"),
        ("replicas", "total"),
        ("availableReplicas", "available"),
        ("unavailableReplicas", "unavailable"),
    )
    counts = " | ".join(f"{_number(document, 'status', field)} {word}" for field, word in fields)
    lines = [*_created(document), *_labelled(document), f"Selector:\t{selector_text(spec.get('selector'))}"]
    lines += [f"Replicas:\t{_desired(document)} desired | {counts}", f"StrategyType:\t{at(spec, 'strategy', 'type') or ''}"]
    lines.append(f"MinReadySeconds:\t{spec.get('minReadySeconds') or 0}")
    rolling = at(spec, "strategy", "rollingUpdate")
    if rolling:
        lines.append(f"RollingUpdateStrategy:\t{rolling.get('maxUnavailable')} max unavailable, {rolling.get('maxSurge')} max surge")
    return [*lines, *template_lines(spec.get("template") or {}, sight), *_conditions(document), *_replica_sets(document, sight)]


def _replica_sets(document: Json, sight: Sight) -> list[str]:
    """The ReplicaSet of the current template, and the old ones: all of them, or until 1.26 only those with replicas."""
    own = own_sets(document, sight)
    new = new_set(document, own)
    # An old ReplicaSet without replicas is kept only for its revision.
    old = [item for item in own if item is not new and (sight.facts.every_old_replica_set or _desired(item))]
    if not old and new is None:
        return []
    return [f"OldReplicaSets:\t{_created_texts(old)}", f"NewReplicaSet:\t{_created_texts([new] if new is not None else [])}"]


def own_sets(document: Json, sight: Sight) -> list[Json]:
    """The ReplicaSets that a Deployment manages, by name, as the API server lists them."""
    return managed_by(document, "ReplicaSet", sight)


def managed_by(document: Json, kind: str, sight: Sight) -> list[Json]:
    """The objects of a kind that an object manages, by name."""
    uid = document["metadata"].get("uid")
    own = [item for item in sight.objects(kind) if any(owner.get("uid") == uid and owner.get("controller") for owner in _owners(item))]
    return sorted(own, key=lambda item: str(item["metadata"]["name"]))


def new_set(document: Json, own: Iterable[Json]) -> Json | None:
    """The oldest ReplicaSet with the Deployment's template (deployment_util.go FindNewReplicaSet)."""
    # The hash is a label that only the ReplicaSet's copy carries.
    wanted = _unhashed(at(document, "spec", "template") or {})
    found = [item for item in own if _unhashed(at(item, "spec", "template") or {}) == wanted]
    # After a collision two may have the same template; the older one is taken, so that the controller and kubectl
    # agree.
    return min(found, key=lambda item: str(item["metadata"].get("creationTimestamp")), default=None)


def _unhashed(template: Json) -> Json:
    metadata = template.get("metadata") or {}
    labels = {key: value for key, value in (metadata.get("labels") or {}).items() if key != "pod-template-hash"}
    return {**template, "metadata": {**metadata, "labels": labels}}


def _owners(document: Json) -> list[Json]:
    return document["metadata"].get("ownerReferences") or []


def _created_texts(items: Iterable[Json]) -> str:
    texts = [f"{item['metadata']['name']} ({_number(item, 'status', 'replicas')}/{_desired(item)} replicas created)" for item in items]
    return ", ".join(texts) or NONE


def replica_set_lines(document: Json, sight: Sight) -> list[str]:
    """A ReplicaSet with the phases of its pods."""
    metadata, spec = document["metadata"], document.get("spec") or {}
    lines = [
        f"Name:\t{metadata['name']}",
        f"Namespace:\t{metadata.get('namespace', '')}",
        f"Selector:\t{selector_text(spec.get('selector'))}",
    ]
    lines += [*_labelled(document), *_controller(document)]
    lines.append(f"Replicas:\t{_number(document, 'status', 'replicas')} current / {_desired(document)} desired")
    return [*lines, _pods_status(document, sight), *template_lines(spec.get("template") or {}, sight), *_conditions(document)]


_SET_IN_FULL = Span(since=37)
"""The kubectl versions that print a StatefulSet's Service, policies and claims; seen with 1.33 and 1.37."""


def stateful_set_lines(document: Json, sight: Sight) -> list[str]:
    """A StatefulSet with the phases of its pods, and its claims."""
    spec = document.get("spec") or {}
    lines = [*_created(document), f"Selector:\t{selector_text(spec.get('selector'))}", *_labelled(document)]
    more = _SET_IN_FULL.holds_for(sight.minor)
    if more:
        lines += [f"Service Name:\t{spec.get('serviceName') or NONE}", f"Pod Management Policy:\t{spec.get('podManagementPolicy') or ''}"]
    lines.append(f"Replicas:\t{_desired(document)} desired | {_number(document, 'status', 'replicas')} total")
    lines.append(f"Update Strategy:\t{at(spec, 'updateStrategy', 'type') or ''}")
    rolling = at(spec, "updateStrategy", "rollingUpdate") or {}
    lines += [f"  Partition:\t{rolling['partition']}"] if rolling.get("partition") is not None else []
    if more:
        lines += [f"  MaxUnavailable:\t{rolling['maxUnavailable']}"] if rolling.get("maxUnavailable") is not None else []
        lines += _claims_kept(spec.get("persistentVolumeClaimRetentionPolicy") or {})
    lines += [_pods_status(document, sight), *template_lines(spec.get("template") or {}, sight)]
    claims = spec.get("volumeClaimTemplates") or []
    return [
        *lines,
        *([f"Volume Claims:\t{NONE}"] if not claims else ["Volume Claims:", *(line for item in claims for line in _claim(item))]),
    ]


def _claims_kept(policy: Json) -> list[str]:
    """The retention policy of a StatefulSet's claims."""
    if not policy:
        return []
    head = "Persistent Volume Claim Retention Policy:"
    return [head, f"  WhenDeleted:\t{policy.get('whenDeleted', '')}", f"  WhenScaled:\t{policy.get('whenScaled', '')}"]


def _claim(item: Json) -> list[str]:
    metadata, spec = item.get("metadata") or {}, item.get("spec") or {}
    lines = [f"  Name:\t{metadata.get('name', '')}", f"  StorageClass:\t{spec.get('storageClassName') or ''}"]
    lines += [
        *pair_lines("  Labels", metadata.get("labels") or {}),
        *annotation_lines(metadata.get("annotations") or {}, title="  Annotations"),
    ]
    lines.append(f"  Capacity:\t{at(spec, 'resources', 'requests', 'storage') or '<default>'}")
    return [*lines, f"  Access Modes:\t[{' '.join(spec.get('accessModes') or ())}]"]


def daemon_set_lines(document: Json, sight: Sight) -> list[str]:
    """A DaemonSet with the counts from its status."""
    metadata, spec = document["metadata"], document.get("spec") or {}
    lines = [f"Name:\t{metadata['name']}"]
    lines += [f"Namespace:\t{metadata.get('namespace', '')}"] if sight.facts.daemon_set_namespace else []
    lines.append(f"Selector:\t{selector_text(spec.get('selector'))}")
    lines += [f"Node-Selector:\t{joined(at(spec, 'template', 'spec', 'nodeSelector'))}", *_labelled(document)]
    for text, field in (
        ("Desired Number of Nodes Scheduled", "desiredNumberScheduled"),
        ("Current Number of Nodes Scheduled", "currentNumberScheduled"),
        ("Number of Nodes Scheduled with Up-to-date Pods", "updatedNumberScheduled"),
        ("Number of Nodes Scheduled with Available Pods", "numberAvailable"),
        ("Number of Nodes Misscheduled", "numberMisscheduled"),
    ):
        lines.append(f"{text}: {_number(document, 'status', field)}")
    return [*lines, _pods_status(document, sight), *template_lines(spec.get("template") or {}, sight)]


def job_lines(document: Json, sight: Sight) -> list[str]:
    """A Job with the counts from its status."""
    metadata, spec, status = document["metadata"], document.get("spec") or {}, document.get("status") or {}
    lines = [f"Name:\t{metadata['name']}", f"Namespace:\t{metadata.get('namespace', '')}"]
    lines += [f"Selector:\t{selector_text(spec['selector'])}"] if spec.get("selector") else []
    lines += [*_labelled(document), *_controller(document)]
    lines += [f"Parallelism:\t{spec['parallelism']}"] if spec.get("parallelism") is not None else []
    lines.append(f"Completions:\t{spec.get('completions', UNSET)}")
    if sight.facts.job_mode_line:
        lines += _set(spec, ("Completion Mode", "completionMode"))
    if sight.facts.job_limit_line:
        lines += _set(
            spec, ("Suspend", "suspend"), ("Backoff Limit", "backoffLimit"), ("TTL Seconds After Finished", "ttlSecondsAfterFinished")
        )
    begin, end = status.get("startTime"), status.get("completionTime")
    lines += [f"Start Time:\t{long_date(begin)}"] if begin else []
    lines += [f"Completed At:\t{long_date(end)}"] if end else []
    lines += [f"Duration:\t{human_duration_ms(parse_time(end) - parse_time(begin))}"] if begin and end else []
    lines += [f"Active Deadline Seconds:\t{spec['activeDeadlineSeconds']}s"] if spec.get("activeDeadlineSeconds") is not None else []
    ready = f" ({status['ready']} Ready)" if status.get("ready") is not None else ""
    word = "Running" if sight.facts.job_pods_running else f"Active{ready}"
    counts = f"{status.get('active') or 0} {word} / {status.get('succeeded') or 0} Succeeded / {status.get('failed') or 0} Failed"
    lines.append(f"Pods Statuses:\t{counts}")
    lines += [f"Completed Indexes:\t{_capped(status.get('completedIndexes') or NONE)}"] if spec.get("completionMode") == "Indexed" else []
    return [*lines, *template_lines(spec.get("template") or {}, sight)]


_INDEXES_MAX = 50


def _capped(indexes: str) -> str:
    """A list of indexes, cut at the first comma after fifty characters (capIndexesListOrNone)."""
    end = indexes.find(",", _INDEXES_MAX)
    return indexes if end < 0 else f"{indexes[: end + 1]}..."


def _set(spec: Json, *fields: tuple[str, str]) -> list[str]:
    return [f"{label}:\t{shown(spec[field])}" for label, field in fields if spec.get(field) is not None]


def cron_job_lines(document: Json, sight: Sight) -> list[str]:
    """A CronJob with the Job it creates."""
    spec, status = document.get("spec") or {}, document.get("status") or {}
    job = at(spec, "jobTemplate", "spec") or {}
    deadline = spec.get("startingDeadlineSeconds")
    lines = [
        *head_lines(document),
        f"Schedule:\t{spec.get('schedule', '')}",
        f"Concurrency Policy:\t{spec.get('concurrencyPolicy') or 'Allow'}",
    ]
    lines.append(f"Suspend:\t{'True' if spec.get('suspend') else 'False'}")
    lines += [f"Time Zone:\t{spec.get('timeZone') or UNSET}"] if _TIME_ZONE.holds_for(sight.minor) else []
    lines.append(f"Successful Job History Limit:\t{spec.get('successfulJobsHistoryLimit', 3)}")
    lines.append(f"Failed Job History Limit:\t{spec.get('failedJobsHistoryLimit', 1)}")
    lines.append(f"Starting Deadline Seconds:\t{UNSET if deadline is None else f'{deadline}s'}")
    lines.append(f"Selector:\t{selector_text(job['selector']) if job.get('selector') else UNSET}")
    lines += [f"Parallelism:\t{job.get('parallelism', UNSET)}", f"Completions:\t{job.get('completions', UNSET)}"]
    lines += [f"Active Deadline Seconds:\t{job['activeDeadlineSeconds']}s"] if job.get("activeDeadlineSeconds") is not None else []
    lines += template_lines(job.get("template") or {}, sight)
    last, active = status.get("lastScheduleTime"), [str(item.get("name")) for item in status.get("active") or ()]
    return [*lines, f"Last Schedule Time:\t{long_date(last) if last else UNSET}", f"Active Jobs:\t{', '.join(active) or NONE}"]


def autoscaler_lines(document: Json, sight: Sight) -> list[str]:
    """A HorizontalPodAutoscaler with what it measured and what it asks for (describeHorizontalPodAutoscalerV2)."""
    metadata, spec, status = document["metadata"], document.get("spec") or {}, document.get("status") or {}
    target = spec.get("scaleTargetRef") or {}
    lines = [*head_lines(document), f"CreationTimestamp:\t{long_date(metadata['creationTimestamp'])}"]
    lines += [f"Reference:\t{target.get('kind')}/{target.get('name')}", "Metrics:\t( current / target )"]
    current = status.get("currentMetrics") or []
    for place, metric in enumerate(autoscaler_metrics(spec)):
        lines.append(_metric_line(metric, current[place] if place < len(current) else {}))
    lines += [f"Min replicas:\t{spec.get('minReplicas', UNSET)}", f"Max replicas:\t{spec.get('maxReplicas')}"]
    lines += _behavior_lines(spec.get("behavior") or {})
    counts = f"{status.get('currentReplicas') or 0} current / {status.get('desiredReplicas') or 0} desired"
    lines.append(f"{target.get('kind')} pods:\t{counts}")
    rows = [f"  {item['type']}\t{item['status']}\t{item['reason']}\t{item['message']}" for item in status.get("conditions") or ()]
    return [*lines, *(["Conditions:", "  Type\tStatus\tReason\tMessage", "  ----\t------\t------\t-------", *rows] if rows else [])]


def _metric_line(metric: Json, current: Json) -> str:
    kind = str(metric.get("type"))
    field = f"{kind[:1].lower()}{kind[1:]}"
    source, held = metric.get(field) or {}, at(current, field, "current") or {}
    wanted, where = source.get("target") or {}, f' of container "{source["container"]}"' if source.get("container") else ""
    if wanted.get("averageValue") is not None:
        return f"  resource {source.get('name')}{where} on pods:\t{held.get('averageValue', '<unknown>')} / {wanted['averageValue']}"
    share = held.get("averageUtilization")
    shown = "<unknown>" if share is None else f"{share}% ({held.get('averageValue')})"
    label = f"  resource {source.get('name')}{where} on pods  (as a percentage of request):"
    return f"{label}\t{shown} / {wanted.get('averageUtilization', '<auto>')}%"


def _behavior_lines(behavior: Json) -> list[str]:
    lines = ["Behavior:"] if behavior else []
    for field, label in (("scaleUp", "Scale Up"), ("scaleDown", "Scale Down")):
        rules = behavior.get(field)
        if rules is None:
            continue
        window = rules.get("stabilizationWindowSeconds")
        lines += [f"  {label}:", *([f"    Stabilization Window: {window} seconds"] if window is not None else [])]
        lines += [f"    Select Policy: {rules.get('selectPolicy') or 'Max'}", "    Policies:"]
        for policy in rules.get("policies") or ():
            lines.append(f"      - Type: {policy['type']}\tValue: {policy['value']}\tPeriod: {policy['periodSeconds']} seconds")
    return lines
