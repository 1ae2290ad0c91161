"""The DaemonSet controller: one pod on every node that fits, as nodes come, go and change.

The controller decides per node, not per pod: does this node want a pod of the set, and if one is
there, may it stay (``nodes.py``)? It watches nodes and pods, but a change of a node matters only if
one of the two answers changes; a heartbeat does not.

It does not bind pods. Each pod is created with a required node affinity for one node's name, and
the default scheduler places it, so resources and ports are checked as usual and a pod may stay
Pending for "its" node. Added tolerations let it run on nodes that are cordoned, not ready,
unreachable or under pressure (``template.py``).

A node's place is held by any pod object intended for it, including a terminating one: the next pod comes
only after the old object is gone, as with a StatefulSet. Exception since 1.26: a pod that is both
terminal and terminating holds no place (``daemon_set_passes_ended_pods``).

A round first repairs (creates missing pods, deletes misplaced, failed and duplicate ones). Only if
there was nothing to repair does the rolling update take a step (``plan.py``). What rounds know about
the nodes is kept between them (``book.py``), so a round costs what has changed, not the cluster.

Source: pkg/controller/daemon/daemon_controller.go, update.go.
"""

from simulator.engine.apiserver.k8s_events import emit_of_controller
from simulator.engine.controllers.daemon_set.book import DaemonBook, book_of, books_of, forget_book, forget_books
from simulator.engine.controllers.daemon_set.nodes import target_of, verdict
from simulator.engine.controllers.daemon_set.plan import DaemonPlan, DaemonsSought, managed, updated
from simulator.engine.controllers.daemon_set.status import write_daemon_status
from simulator.engine.controllers.daemon_set.template import daemon_pod
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.workloads.history import POD_HASH_LABEL, drop_old_revisions, latest_revision, revisions_of
from simulator.engine.workloads.objects import labels_of, selector_of, spec_of, status_of, stored_object
from simulator.engine.workloads.pod_control import give_back, make_pod, requests_a_pod, slow_start, unmake_pod, within_limit
from simulator.engine.workloads.queueing import forget, look, look_when_available, retry, workload_watches
from simulator.engine.workloads.refs import claimed_pods
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import DaemonSetSync
from simulator.engine.world.lookups import objects_of, orphans_labelled
from simulator.engine.world.rows import NodeRow, PodRow
from simulator.engine.world.watch import ADDED, BOUND, CHANGED, DELETING, ENDED, GONE, STATUS, Watch
from simulator.engine.world.work import OWNED, PLACE
from simulator.engine.world.world import ApiObject

COMPONENT = "daemonset-controller"
KIND = "DaemonSet"
BURST = 250
_NAMED = 5

RULES = (
    RuleText(
        "DAEMONSET-CREATE",
        gettext_noop("{count} {count:node|nodes} should run the DaemonSet’s pod and {count:has|have} none: it creates one for {nodes}."),
        "pkg/controller/daemon/daemon_controller.go manage, syncNodes",
    ),
)


def _node_written(fx: Effects, old: NodeRow | None, row: NodeRow | ApiObject) -> None:
    """A node was added, removed or changed: check the sets for which that makes a difference."""
    books = books_of(fx.world)
    is_changed = isinstance(row, NodeRow) and old is not None and not row.is_deleted and not old.is_deleted
    if not is_changed:
        forget_books(fx.world)
    for item in objects_of(fx.tables, KIND):
        if isinstance(row, NodeRow) and is_changed and item.uid in books:
            books[item.uid].note_node(item, row)
        if _matters(item, old, row):
            look(fx, DaemonSetSync(item.namespace, item.name))


def _matters(item: ApiObject, old: NodeRow | None, row: NodeRow | ApiObject) -> bool:
    if not isinstance(row, NodeRow) or old is None or row.is_deleted or old.is_deleted:
        return True
    before, after = verdict(item, old), verdict(item, row)
    return (before.runs, before.may_stay) != (after.runs, after.may_stay)


def _pod_written(fx: Effects, old: PodRow | None, row: PodRow) -> None:
    """A pod of a DaemonSet was written: the next round rereads it, as does that of an owner that it had before."""
    books = books_of(fx.world)
    for pod in (row,) if old is None or old.pod is row.pod else (row, old):
        owner = pod.pod.metadata.controller
        if owner is not None and owner.uid in books:
            books[owner.uid].note_pod(row.key)


def _set_gone(fx: Effects, _old: ApiObject | None, row: ApiObject) -> None:
    forget_book(fx.world, row.uid)


WATCHES = (
    *workload_watches(COMPONENT, KIND, DaemonSetSync),
    Watch(COMPONENT, "Pod", ADDED | CHANGED | BOUND | DELETING | STATUS | ENDED | GONE, _pod_written, owner=KIND, counts=True),
    Watch(COMPONENT, KIND, GONE, _set_gone),
    Watch(COMPONENT, "Node", ADDED | CHANGED | GONE, _node_written),
)


def daemon_set_sync(fx: Effects, event: DaemonSetSync) -> None:
    """One round: claim pods, find the revision, repair every node, continue the update, write the status."""
    row = stored_object(fx, KIND, event.namespace, event.name)
    if row is None or row.deletion_ms is not None:
        if row is not None:
            forget_book(fx.world, row.uid)
        forget(fx, event)
        fx.save_reserved(event, None)
        return
    book = _claimed(fx, row)
    revisions = revisions_of(fx, row)
    collisions = int(status_of(row).get("collisionCount") or 0)
    latest, collisions = latest_revision(fx, row, revisions, collisions, of_template=True)
    book.use_template(labels_of(latest)[POD_HASH_LABEL])
    sought = DaemonsSought(row, book)
    # A round without a book examines all of that: since the same run must be cut at the same places everywhere, each counts as one.
    fx.world.spent += PLACE * len(book.verdicts) + OWNED * len(book)
    seq = fx.world.seq
    is_well = _see_to_nodes(fx, event, sought)
    if fx.world.seq != seq:  # the round wrote something: count what exists now
        book.follow(fx, row)
    live = {latest.name, *(item.name for item in revisions if book.digests[labels_of(item).get(POD_HASH_LABEL)])}
    drop_old_revisions(fx, row, [item for item in revisions if item.name != latest.name], live, counts_live=True)
    write_daemon_status(fx, sought, collisions)
    if sought.min_ready_s:
        look_when_available(fx, event, list(book), sought.min_ready_s)
    if is_well:
        forget(fx, event)
    else:
        retry(fx, event)


def _claimed(fx: Effects, row: ApiObject) -> DaemonBook:
    """The book of the DaemonSet after it has released pods that its selector no longer matches and adopted orphans."""
    book = book_of(fx, row)
    if book.strays or orphans_labelled(fx.tables, row.namespace, selector_of(row) or ()):
        claimed_pods(fx, row, counts=lambda _: True)
        book.follow(fx, row)
    return book


def _see_to_nodes(fx: Effects, event: DaemonSetSync, sought: DaemonsSought) -> bool:
    """Create and delete pods; the update continues only if nothing else was to be done. Whether everything succeeded."""
    plan, ended, later_ms = managed(fx, sought)
    for pod, word in fx.each(ended):
        _emit_ended(fx, sought.row, pod, word)
    if later_ms:
        look(fx, event, after_ms=later_ms)
    if plan.nodes or plan.pods:
        return _carry_out(fx, event, sought, plan)
    if (spec_of(sought.row).get("updateStrategy") or {}).get("type") != "RollingUpdate":
        return True
    return _carry_out(fx, event, sought, updated(fx, sought))


def _emit_ended(fx: Effects, row: ApiObject, pod: PodRow, word: str) -> None:
    verb, severity = ("kill", "Warning") if word == "failed" else ("delete", "Normal")
    text = f"Found {word} daemon pod {pod.namespace}/{pod.name} on node {target_of(pod)}, will try to {verb} it"
    rule = f"DAEMONSET-{word.upper()}"
    emit_of_controller(fx, row, COMPONENT, severity=severity, reason=f"{word.title()}DaemonPod", message=text, rule=rule)


def _carry_out(fx: Effects, event: DaemonSetSync, sought: DaemonsSought, plan: DaemonPlan) -> bool:
    """Create the pods of a plan, then delete those that go, as many as the client may request. Whether everything succeeded."""
    row, nodes, doomed = sought.row, plan.nodes[:BURST], list(plan.pods.items())[:BURST]
    each = requests_a_pod(fx, row, COMPONENT)
    granted = within_limit(fx, COMPONENT, event, len(nodes) + len(doomed), each=each)
    nodes, doomed = nodes[:granted], doomed[: max(0, granted - len(nodes))]
    problem = None
    if nodes:
        listed = ", ".join(nodes[:_NAMED]) + (" …" if len(nodes) > _NAMED else "")
        with fx.because(fx.note_step(row.subject, "create", rule="DAEMONSET-CREATE", data=(("count", len(nodes)), ("nodes", listed)))):
            names = iter(nodes)
            tried = slow_start(len(nodes), lambda: make_pod(fx, row, daemon_pod(row, sought.book.digest, next(names)), component=COMPONENT))
            problem = tried.problem
        if problem is not None:
            give_back(fx, COMPONENT, event, tried, len(nodes), each=each)
    # Each reason is recorded before the deletion it explains; the last one is its cause.
    for key, reasons in fx.each(doomed):
        pod = fx.tables.pods[key]
        for rule, data in reasons:
            fx.cause = fx.note_step(pod.subject, "deleted", rule=rule, data=data)
        unmake_pod(fx, row, pod, component=COMPONENT)
    return problem is None or problem.is_ending
