"""The ReplicaSet controller: keeps as many active pods of its template as spec.replicas says.

A round counts the active pods (neither terminal nor being deleted) that the set controls, compares
them with spec.replicas, and creates or deletes the difference, at most 500 at a time. It watches
its own objects, the pods it controls, and pods without a controller that its selector might adopt.

Because "active" excludes pods that are being deleted, a replacement is created as soon as a
deletionTimestamp is set: during the grace period there are more pods than replicas. A pod that has
failed is replaced too and then forgotten. The controller never deletes it, so evicted pods pile up
until PodGC removes them.

Each round first settles ownership: pods that the set controls but its selector no longer matches
are released, matching orphans are adopted. This comes before counting, as a relabelled pod must be
both let go and replaced in one round.

Creation goes in batches of 1, 2, 4 … and stops with the first failing batch: a quota that rejects
every pod then costs one request per round and not 500. Which pods are deleted when scaling down is decided by
a ranking (``workloads/ranking.py``); pods of sibling ReplicaSets count as neighbours on a node, so pods on
crowded nodes go first.

Upstream guards against its own stale cache with expectations: after creating or deleting it waits
until the informer has shown the result. Here a round reads the store itself, so nothing is created
twice and expectations are not modelled. What is modelled is the client's rate limit, which can
spread one round over several (``fx.tables.chosen`` keeps the victims chosen at its beginning).

Version differences are read from the profile: ``pod_deletion_cost`` and ``logarithmic_scale_down``
(the ranking), ``terminating_replicas`` (the status).

Source: pkg/controller/replicaset/replica_set.go, replica_set_utils.go.
"""

from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Key
from simulator.engine.model.selectors import selects
from simulator.engine.policies.availability import is_available
from simulator.engine.workloads.objects import (
    condition_in,
    excluding_condition,
    including_condition,
    now_text,
    put_status,
    selector_of,
    spec_of,
    status_of,
    stored_object,
)
from simulator.engine.workloads.pod_control import (
    BURST_REPLICAS,
    give_back,
    make_pod,
    pod_of,
    requests_a_pod,
    slow_start,
    spend,
    unmake_pod,
    within_limit,
)
from simulator.engine.workloads.queueing import forget, look_when_available, retry, workload_watches
from simulator.engine.workloads.ranking import Ranked, decides, in_order_of_deletion, ranked
from simulator.engine.workloads.refs import claimed_pods, controller_of, is_active, owned_objects, owned_pods
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import ReplicaSetSync
from simulator.engine.world.lookups import orphans_labelled
from simulator.engine.world.rows import PodRow
from simulator.engine.world.tallies import EMPTY, PodTally
from simulator.engine.world.world import ApiObject, Chosen

COMPONENT = "replicaset-controller"
KIND = "ReplicaSet"
FAILURE = "ReplicaFailure"

RULES = (
    RuleText(
        "REPLICASET-SCALE-UP",
        gettext_noop(
            "The ReplicaSet wants {wanted} {wanted:pod|pods} and has {active} that {active:counts|count}, so it creates {count} more."
        ),
        "pkg/controller/replicaset/replica_set.go manageReplicas",
    ),
    RuleText(
        "REPLICASET-SCALE-DOWN",
        gettext_noop(
            "The ReplicaSet wants {wanted} {wanted:pod|pods} and has {active} that {active:counts|count}, so it deletes {count} of them."
        ),
        "pkg/controller/replicaset/replica_set.go manageReplicas, getPodsToDelete",
    ),
)

WATCHES = workload_watches(COMPONENT, KIND, ReplicaSetSync)


def replica_set_sync(fx: Effects, event: ReplicaSetSync) -> None:
    """Run one round: claim pods, create or delete the difference to spec.replicas, write the status.

    Without anything to claim or delete a round costs the same however many pods there are. While the client holds back requests the
    round is not finished, so no status is written.
    """
    row = stored_object(fx, KIND, event.namespace, event.name)
    if row is None:
        forget(fx, event)
        fx.save_reserved(event, None)
        fx.save_chosen(event, ())
        return
    if _must_claim(fx, row):
        claimed_pods(fx, row)
    tally = tally_of(fx, row)
    missing = _wanted(row) - tally.active if row.deletion_ms is None else 0
    # The set was scaled up again while victims were still waiting for the client's limit: they
    # stay.
    if missing >= 0 and event in fx.tables.chosen:
        fx.save_chosen(event, ())
    problem: tuple[str, str] | None = None
    if missing:
        count = within_limit(fx, COMPONENT, event, min(abs(missing), BURST_REPLICAS), each=requests_a_pod(fx, row, COMPONENT))
        if not count:
            return
        problem = _manage(fx, row, event, missing, count)
        # The rest waits for the client's limit; a status now would show a half-finished round.
        if count < min(abs(missing), BURST_REPLICAS) and problem is None:
            return
    _write_status(fx, row, tally, problem, event)
    if problem is not None:
        retry(fx, event)
    else:
        forget(fx, event)


def tally_of(fx: Effects, row: ApiObject) -> PodTally:
    """The counts of a ReplicaSet's own pods."""
    return fx.tables.tallies.get(row.uid, EMPTY)


def _must_claim(fx: Effects, row: ApiObject) -> bool:
    """Whether there are pods to release or adopt. O(label sets, and orphans of the namespace)."""
    selector = selector_of(row)
    if row.deletion_ms is not None:
        return False
    # The tally counts pods by label set, so this does not look at each pod.
    for labels, _ in tally_of(fx, row).labels:
        if not selects(selector, dict(labels)):
            return True
    if not selector:
        return False
    return any(is_active(pod) for pod in orphans_labelled(fx.tables, row.namespace, selector))


def _wanted(row: ApiObject) -> int:
    wanted = spec_of(row).get("replicas")
    return 1 if wanted is None else int(wanted)


def _manage(fx: Effects, row: ApiObject, event: ReplicaSetSync, missing: int, count: int) -> tuple[str, str] | None:
    """Create or delete pods towards spec.replicas. Returns reason and message of a failure, or None."""
    wanted = _wanted(row)
    rule = "REPLICASET-SCALE-UP" if missing > 0 else "REPLICASET-SCALE-DOWN"
    data = (("wanted", wanted), ("active", wanted - missing), ("count", count))
    with fx.because(fx.note_step(row.subject, "replicas", rule=rule, data=data)):
        if missing > 0:
            return _make(fx, row, event, count)
        _delete(fx, row, event, missing, count)
        return None


def _make(fx: Effects, row: ApiObject, event: ReplicaSetSync, count: int) -> tuple[str, str] | None:
    pod, each = pod_of(row, spec_of(row).get("template") or {}), requests_a_pod(fx, row, COMPONENT)
    tried = slow_start(count, lambda: make_pod(fx, row, pod, component=COMPONENT))
    if tried.problem is None or tried.problem.is_ending:
        return None
    give_back(fx, COMPONENT, event, tried, count, each=each)
    return "FailedCreate", tried.problem.message


def _delete(fx: Effects, row: ApiObject, event: ReplicaSetSync, missing: int, count: int) -> None:
    """Delete ``count`` of the pods that were chosen when the round began (getPodsToDelete)."""
    chosen = fx.tables.chosen.get(event) or _choose(fx, row, -missing)
    for place, (key, rule, over) in fx.each(enumerate(chosen)):
        if not count:
            fx.save_chosen(event, chosen[place:])
            return
        pod = fx.tables.pods[key]
        if not is_active(pod):
            continue
        if over:
            fx.cause = fx.note_step(pod.subject, "chosen", rule=rule, data=(("over", over),))
        unmake_pod(fx, row, pod, component=COMPONENT)
        count -= 1
    fx.save_chosen(event, ())


def _choose(fx: Effects, row: ApiObject, surplus: int) -> tuple[Chosen, ...]:
    """The pods to delete in this round, each with the reason why it goes before the first that stays. O(pods of the related sets)."""
    surplus = min(surplus, BURST_REPLICAS)
    active = [pod for pod in owned_pods(fx, row) if is_active(pod)]
    order = victims(fx, row, active, first=surplus + 1)
    if surplus >= len(order):
        return tuple((key, "", "") for key, _ in order)
    kept = order[surplus][1]
    return tuple((key, decides(item, kept, fx.now, fx.profile)[1], kept.name) for key, item in order[:surplus])


def victims(fx: Effects, row: ApiObject, active: list[PodRow], *, first: int | None = None) -> list[tuple[Key, Ranked]]:
    """The active pods of a ReplicaSet in order of deletion, at least ``first`` of them.

    Pods of its Deployment's other ReplicaSets count on nodes too.
    """
    related = [pod for sibling in _related(fx, row) for pod in owned_pods(fx, sibling) if is_active(pod)]
    crowd: dict[str, int] = {}
    for pod in related:
        if pod.node:
            crowd[pod.node] = crowd.get(pod.node, 0) + 1
    items = [ranked(pod, crowd.get(pod.node, 0)) for pod in active]
    keys = {id(item): pod.key for item, pod in zip(items, active, strict=True)}
    return [(keys[id(item)], item) for item in in_order_of_deletion(items, fx.now, fx.profile, first=first)]


def _related(fx: Effects, row: ApiObject) -> list[ApiObject]:
    """The ReplicaSets of the same controller; none if it has no controller (getReplicaSetsWithSameController)."""
    owner = controller_of(fx.tables, row)
    return owned_objects(fx.tables, owner, KIND) if owner is not None else []


def _write_status(fx: Effects, row: ApiObject, tally: PodTally, problem: tuple[str, str] | None, event: ReplicaSetSync) -> None:
    """Write the counts with which the round began, if they differ. Pods that will become available later get a check of their own."""
    current = stored_object(fx, KIND, row.namespace, row.name)
    if current is None:
        return
    status = _status(fx, current, tally, problem)
    if status != status_of(current):
        if problem is not None:
            # The retry, and not the client, says when the round is repeated.
            spend(fx, COMPONENT, 1)
        elif not within_limit(fx, COMPONENT, event, 1, each=1):
            return
        put_status(fx, current, status)
    if status.get("readyReplicas", 0) != status.get("availableReplicas", 0):
        pods = [pod for pod in owned_pods(fx, row) if is_active(pod)]
        look_when_available(fx, event, pods, int(spec_of(row).get("minReadySeconds") or 0))


def _status(fx: Effects, row: ApiObject, tally: PodTally, problem: tuple[str, str] | None) -> Json:
    """The status that follows from the pods (calculateStatus). Numbers that are 0 are omitted, except ``replicas``."""
    spec, before = spec_of(row), status_of(row)
    labels = ((spec.get("template") or {}).get("metadata") or {}).get("labels") or {}
    min_ready_s = int(spec.get("minReadySeconds") or 0)
    counts = {
        "fullyLabeledReplicas": sum(count for held_labels, count in tally.labels if labels.items() <= dict(held_labels).items()),
        "readyReplicas": tally.ready,
        "availableReplicas": tally.ready if not min_ready_s else _available(fx, row, min_ready_s),
    }
    status: Json = {"replicas": tally.active, **{key: value for key, value in counts.items() if value}}
    if fx.profile.terminating_replicas:
        status["terminatingReplicas"] = tally.terminating
    status["observedGeneration"] = row.generation
    if before.get("conditions"):
        status["conditions"] = before["conditions"]
    return _with_failure(fx, status, problem, tally.active - _wanted(row))


def _available(fx: Effects, row: ApiObject, min_ready_s: int) -> int:
    return sum(is_available(pod.status, min_ready_s=min_ready_s, now_ms=fx.now) for pod in owned_pods(fx, row) if is_active(pod))


def _with_failure(fx: Effects, status: Json, problem: tuple[str, str] | None, difference: int) -> Json:
    """The status with the condition ReplicaFailure, which stays while pods cannot be created or deleted."""
    old = condition_in(status, FAILURE)
    if problem is None:
        return excluding_condition(status, FAILURE) if old is not None else status
    if old is not None:
        return status
    reason = "FailedCreate" if difference < 0 else "FailedDelete"
    condition = {"type": FAILURE, "status": "True", "lastTransitionTime": now_text(fx), "reason": reason, "message": problem[1]}
    return including_condition(status, condition)
