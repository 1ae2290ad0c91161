"""The inspector's view of one pod.

Assembled from the views of its parts. Nothing is cached: everything follows from the world
and the moment, so a page that scrubs asks again.
"""

from simulator.engine.apiserver.documents.moments import since
from simulator.engine.apiserver.publish import pod_facts
from simulator.engine.kernel.units import Key, Ms
from simulator.engine.kubelet.pods.status.phase_rules import compute_phase
from simulator.engine.model.kinds import EVICTION
from simulator.engine.model.service_account import own_volumes
from simulator.engine.projection import model, model_run
from simulator.engine.projection.columns import columns_at
from simulator.engine.projection.containers import container_views
from simulator.engine.projection.derivation import derivation
from simulator.engine.projection.events import events_of
from simulator.engine.projection.node_side import backoff_views, has_ghost
from simulator.engine.projection.tones import status_tone
from simulator.engine.projection.upcoming import upcoming
from simulator.engine.versions.minors import minor_number
from simulator.engine.world.rest import up_to_now
from simulator.engine.world.rows import PodRow
from simulator.engine.world.world import World

_VOLUME_KINDS = (
    ("emptyDir", "empty_dir", ""),
    ("configMap", "config_map", "name"),
    ("secret", "secret", "secretName"),
    ("projected", "projected", ""),
    ("downwardAPI", "downward_api", ""),
    ("persistentVolumeClaim", "persistent_volume_claim", "claimName"),
    ("hostPath", "host_path", "path"),
)


def pod_row(world: World, row: PodRow, now_ms: Ms) -> model_run.PodLine:
    """A pod in a list; one that is gone keeps its row, with an empty STATUS word."""
    columns = columns_at(world, row, now_ms)
    present = row.gone_ms is None
    return model_run.PodLine(
        subject=row.subject,
        key=row.key,
        namespace=row.namespace,
        name=row.name,
        node=row.node,
        status_word=columns.status if present else "",
        tone=status_tone(columns.status if present else "", dict(pod_facts(row)).get),
        ready=columns.ready,
        restarts=columns.restarts,
        restarts_text=columns.restarts_text,
        phase=row.status.phase,
        created_ms=row.created_ms,
        age_ms=max(now_ms - row.created_ms, 0),
        age=since(row.created_ms, now_ms),
        gone_ms=row.gone_ms,
        is_present=present,
        has_ghost=has_ghost(world, row),
    )


def pod_view(world: World, key: Key, *, now_ms: Ms | None = None) -> model.PodView | None:
    """Everything about the pod at ``now_ms`` (default: the world's moment); None for a pod that never existed."""
    row = world.tables.pods.get(key)
    if row is None:
        return None
    now = world.now_ms if now_ms is None else now_ms
    listed = pod_row(world, row, now)
    status, spec, printing = row.status, row.pod.spec, world.options.printing
    backoffs = backoff_views(world, row, now)
    containers = container_views(world, row, backoffs, now)
    held = world.tables.held_pods.get(key)
    steps = derivation(spec, status, is_deleted=row.deletion_ms is not None, options=printing) if listed.is_present else ()
    return model.PodView(
        subject=row.subject,
        key=key,
        namespace=row.namespace,
        name=row.name,
        uid=row.uid,
        node=row.node,
        is_stale=row.node in world.tables.held_objects,
        holds=held.listed if held is not None else "",
        status_word=listed.status_word,
        tone=listed.tone,
        ready=listed.ready,
        restarts=listed.restarts,
        restarts_text=listed.restarts_text,
        status_rule=steps[-1].rule_id if steps else "",
        derivation=steps,
        phase=status.phase,
        phase_rule=_phase_rule(world, row),
        reason=status.reason,
        message=status.message,
        qos=status.qos_class,
        ip=status.pod_ip,
        host_ip=status.host_ip,
        start_ms=status.start_ms,
        created_ms=row.created_ms,
        age=listed.age,
        gone_ms=row.gone_ms,
        is_present=listed.is_present,
        has_ghost=listed.has_ghost,
        restart_policy=spec.restart_policy,
        grace_s=spec.termination_grace_period_seconds or 0,
        labels=tuple(sorted(row.pod.metadata.labels.items())),
        finalizers=tuple(row.pod.metadata.finalizers),
        readiness_gates=tuple(gate.condition_type for gate in spec.readiness_gates),
        scheduling_gates=tuple(gate.name for gate in spec.scheduling_gates),
        eviction_version=EVICTION.api_version(minor_number(world.profile.minor)),
        deletion=_deletion(row),
        conditions=_conditions(row),
        containers=containers,
        sandbox=_sandbox(world, key),
        worker=_worker(world, key),
        volumes=_volumes(row),
        backoffs=backoffs,
        events=events_of(world, key, now_ms=now),
        next=upcoming(world, row, containers, backoffs, now_ms=now),
    )


def _phase_rule(world: World, row: PodRow) -> str:
    """The rule behind the phase, recomputed from the published container states."""
    status = row.status
    if not status.containers and not status.init_containers:
        return "POD-CREATED"
    verdict = compute_phase(row.pod.spec, status.init_containers, status.containers, rules=world.options.phase)
    # The phase may be older than the statuses: a terminal one is never left.
    return verdict.rule_id if verdict.phase == status.phase else "PHASE-KEPT"


def _deletion(row: PodRow) -> model.DeletionView | None:
    if row.deletion_ms is None:
        return None
    asked_ms = row.deletion_ms if row.deletion_asked_ms is None else row.deletion_asked_ms
    return model.DeletionView(asked_ms, row.deletion_ms, row.grace_s or 0)


def _conditions(row: PodRow) -> tuple[model.ConditionView, ...]:
    return tuple(
        model.ConditionView(f"condition/{row.key}/{item.type}", item.type, item.status, item.reason, item.message, item.transition_ms)
        for item in row.status.conditions
    )


def _sandbox(world: World, key: Key) -> model.SandboxView | None:
    row = world.tables.sandboxes.get(key)
    return None if row is None else model.SandboxView(row.attempt, row.state, row.ip, row.created_ms, row.stopped_ms)


def _worker(world: World, key: Key) -> model.WorkerView | None:
    row = world.tables.workers.get(key)
    if row is None:
        return None
    container, state = (row.start.container, row.start.state) if row.start is not None else ("", "")
    return model.WorkerView(row.state, row.step, container, state, up_to_now(world, row).sync_due_ms, row.grace_s)


def _volumes(row: PodRow) -> tuple[model.VolumeView, ...]:
    found = []
    for volume in own_volumes(row.pod.spec):
        kind, detail = "", ""
        for name, field, key in _VOLUME_KINDS:
            source = getattr(volume, field)
            if source is not None:
                kind, detail = name, str(source.get(key, "")) if key else ""
                break
        found.append(model.VolumeView(volume.name, kind, detail))
    return tuple(found)
