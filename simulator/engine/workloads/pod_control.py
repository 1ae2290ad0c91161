"""How controllers create and delete pods: from a template, at their client's rate, with Events.

Creation goes through the whole API, so admission, quota and validation can reject it. A rejection
is an Event about the owner (FailedCreate) and ends the batch; in a namespace that is being deleted it is
silent, since no retry could help.

slow_start is upstream's answer to rejections that affect every pod alike: batches of 1, 2, 4 … mean
that a controller which wants 500 pods and may have none asks once and not 500 times.

The client is limited: at most 20 requests a second, 30 at once (``controller_qps``,
``controller_burst``). Each controller has its own client, which also sends its Events, so a
created pod costs two requests. The limit is a token bucket that may go below zero: a key that must
wait reserves its place by taking the tokens in advance, and is checked again when they have arrived.
That keeps the order of requests, as client-go's limiter does by blocking. A round that waits has not
failed, it is merely not finished. One that fails sends nothing more: it gives back what it did not
use, with its place, and the next round comes when the retry says.

Source: pkg/controller/controller_utils.go RealPodControl, slowStartBatch; client-go
util/flowcontrol; NewReplicaSetController, StartRecordingToSink for the clients.
"""

from collections.abc import Callable

from msgspec import Struct

from simulator.engine.apiserver.answer import ApiError
from simulator.engine.apiserver.k8s_events import emit_of_controller, passes_filter
from simulator.engine.apiserver.pods import delete_pod
from simulator.engine.apiserver.refusal import Refusal
from simulator.engine.apiserver.store.creation import create_pod_of
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.workloads.refs import controller_reference
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import Event
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import PodRow
from simulator.engine.world.world import ApiObject

CLIENT_BUCKET = "client-qps"
GENERATE_NAME_MAX = 63
BURST_REPLICAS = 500
"""How many pods a controller creates or deletes in one round (pkg/controller/replicaset BurstReplicas)."""

RULES = (
    RuleText(
        "POD-MADE",
        gettext_noop("The controller creates a pod from its template, with a generated name and a reference to its owner."),
        "pkg/controller/controller_utils.go RealPodControl.createPods",
    ),
    RuleText(
        "POD-NOT-MADE",
        gettext_noop("The API server rejects the pod from this template: its controller records why and retries later."),
        "pkg/controller/controller_utils.go RealPodControl.createPods",
    ),
    RuleText(
        "POD-UNMADE",
        gettext_noop("The controller deletes the pod, which gets its own grace period."),
        "pkg/controller/controller_utils.go RealPodControl.DeletePod",
    ),
)


class PodNotMade(Exception):
    """The API server rejects a controller's pod; ``message`` is its answer. ``is_ending``: because the namespace is being deleted;
    ``is_taken``: the name already exists."""

    def __init__(self, message: str, *, is_ending: bool, is_taken: bool = False) -> None:
        super().__init__(message)
        self.message, self.is_ending, self.is_taken = message, is_ending, is_taken


def pod_of(owner: ApiObject, template: Json, **metadata: object) -> Json:
    """The pod of a template as its controller sends it; ``metadata`` is added to the template's or replaces it.

    Without a ``name`` in it the API server generates one from the owner's name.
    """
    given = template.get("metadata") or {}
    head: Json = {key: given[key] for key in ("labels", "annotations", "finalizers") if given.get(key)}
    head |= {"namespace": owner.namespace, "ownerReferences": [controller_reference(owner)], **metadata}
    if not head.get("name") and not head.get("generateName"):
        head["generateName"] = f"{owner.name}-" if len(owner.name) < GENERATE_NAME_MAX else owner.name
    return {"apiVersion": "v1", "kind": "Pod", "metadata": head, "spec": template.get("spec") or {}}


def make_pod(fx: Effects, owner: ApiObject, pod: Json, *, component: str, event: bool = True) -> PodRow:
    """Create a pod for its owner, with an Event about the owner. The caller's cause is the pod's cause.

    Raises PodNotMade; its Event (FailedCreate) is written, except for a namespace that is being deleted.
    """
    try:
        row = stored_pod_of(fx, owner, pod)
    except PodNotMade as error:
        if not error.is_ending:
            text = f"Error creating: {error.message}"
            emit_of_controller(fx, owner, component, severity="Warning", reason="FailedCreate", message=text, rule="POD-NOT-MADE")
        raise
    if event:
        with fx.because(row.object_seq):
            emit_of_controller(fx, owner, component, reason="SuccessfulCreate", message=f"Created pod: {row.name}", rule="POD-MADE")
    return row


def stored_pod_of(fx: Effects, owner: ApiObject, pod: Json) -> PodRow:
    """Create a pod for its owner without Events. Raises PodNotMade."""
    with fx.aside():
        try:
            return create_pod_of(fx, pod, owner.namespace)
        except (ApiError, Refusal) as error:
            message, is_taken = refusal_text(error)
            raise PodNotMade(message, is_ending=fx.world.is_terminating(owner.namespace), is_taken=is_taken) from None


def refusal_text(error: ApiError | Refusal) -> tuple[str, bool]:
    """The API server's message, and whether it is that the name is taken."""
    if isinstance(error, ApiError):
        return error.answer.message, error.answer.reason == "AlreadyExists"
    return str(dict(error.data).get("message") or ""), False


def unmake_pod(fx: Effects, owner: ApiObject, row: PodRow, *, component: str, event: bool = True) -> None:
    """Delete a pod with its own grace period, with an Event about its owner."""
    with fx.aside():
        delete_pod(fx, fx.tables.pods[row.key], None)
        if event:
            emit_of_controller(fx, owner, component, reason="SuccessfulDelete", message=f"Deleted pod: {row.name}", rule="POD-UNMADE")


class Batches(Struct, frozen=True):
    """What became of a slow start: how many pods were requested and created, and why no more were."""

    sent: int
    made: int
    problem: PodNotMade | None


def slow_start(count: int, make: Callable[[], object]) -> Batches:
    """Create ``count`` pods in batches of 1, 2, 4 …; a batch with a failure is the last."""
    sent, made, batch, problem = 0, 0, 1, None
    while made < count and problem is None:
        for _ in range(min(batch, count - made)):
            sent += 1
            try:
                make()
                made += 1
            except PodNotMade as error:
                problem = error
        batch *= 2
    return Batches(sent, made, problem)


def requests_a_pod(fx: Effects, owner: ApiObject, component: str) -> int:
    """Requests for creating or deleting a pod: one, and one more for its Event unless the event filter drops it."""
    return 2 if passes_filter(fx, owner, component) else 1


def within_limit(fx: Effects, component: str, key: Event, wanted: int, *, each: int) -> int:
    """How many of ``wanted`` things, each taking ``each`` requests, the component's client may do for ``key`` at this moment.

    For the next one a place is reserved, and the key is checked when its turn comes: waiting keys are served in order of request.
    """
    if not wanted:
        return 0
    held = fx.tables.reserved.get(key)
    # Woken before its turn by something else: the place stays reserved.
    if held is not None and held[0] > fx.now:
        fx.check(held[0], Lane.CONTROLLER, key)
        return 0
    # The reserved place was paid for when it was reserved.
    granted = held[1] // each if held is not None else 0
    fx.save_reserved(key, None)
    level = _level(fx, component)
    more = max(0, min(wanted - granted, level // (each * _FULL)))
    level -= more * each * _FULL
    granted = min(wanted, granted + more)
    if granted < wanted:
        level -= each * _FULL
        # Thousandths divided by requests per second is milliseconds.
        due = fx.now + max(1, -(-max(0, -level) // fx.profile.controller_qps))
        fx.save_reserved(key, (due, each))
        fx.check(due, Lane.CONTROLLER, key)
    fx.save_bucket((CLIENT_BUCKET, component), (level, fx.now))
    return granted


def give_back(fx: Effects, component: str, key: Event, tried: Batches, granted: int, *, each: int) -> None:
    """Take back what a failed round of ``key`` did not use of its ``granted`` pods of ``each`` requests, and the place reserved for more.

    The check of that place goes too, or the round would be repeated at the client's rate instead of the retry's.
    Source: pkg/controller/controller_utils.go slowStartBatch: the pods after the failing batch are skipped.
    """
    held = fx.tables.reserved.get(key)
    if held is not None:
        fx.save_reserved(key, None)
        planned = fx.tables.checks.get(key)
        if planned is not None and planned[0] == held[0]:
            fx.uncheck(key)
            # The pods of earlier batches have woken the key as well, and one check stood for both.
            if tried.made:
                fx.check(fx.now + fx.profile.watch_ms, Lane.CONTROLLER, key)
    back = (granted - tried.sent) * each + (held[1] if held is not None else 0)
    full = fx.profile.controller_burst * _FULL
    fx.save_bucket((CLIENT_BUCKET, component), (min(full, _level(fx, component) + back * _FULL), fx.now))


def spend(fx: Effects, component: str, requests: int) -> None:
    """Requests that are sent at once and paid for later: those that end a round which has failed."""
    fx.save_bucket((CLIENT_BUCKET, component), (_level(fx, component) - requests * _FULL, fx.now))


_FULL = 1000
"""A bucket counts in thousandths of a request, so that a millisecond brings ``controller_qps`` of them."""


def _level(fx: Effects, component: str) -> int:
    """The tokens in the bucket; below 0 if places are reserved."""
    full = fx.profile.controller_burst * _FULL
    level, since = fx.tables.buckets.get((CLIENT_BUCKET, component), (full, fx.now))
    return min(full, level + (fx.now - since) * fx.profile.controller_qps)
