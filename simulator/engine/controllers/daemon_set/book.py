"""What the rounds of a DaemonSet know about its nodes and pods, so that a round handles only what has changed since the last one.

A round decides node by node, and nearly every node needs nothing: it has one pod that may stay, or none and wants none. So a book
keeps, by node, the verdict, the pods and what they add to the status, and with them the nodes that need attention (``open``).
Writes of pods and nodes are noted by the controller's watches; the next round rereads those pods and nodes and has only
the open nodes to decide about. A round costs what has changed and what is open, not the cluster.

A book is valid for one spec of one object, and its ``updated`` nodes for one hash of the template: a new spec starts it over, a
new hash re-examines every node once. Books are in ``World.memo``, which forks do not have and which may be dropped at any time: they
are rebuilt from the tables, and what a round decides is the same. A node that is added or removed drops them all, because verdicts
are in the order of the nodes.
"""

from collections import Counter
from collections.abc import Iterator

from simulator.engine.controllers.daemon_set.nodes import NodeVerdict, by_age, holds_a_place, is_at_rest, target_of, verdict, verdicts
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.units import Key
from simulator.engine.model.selectors import selects
from simulator.engine.policies.availability import is_available
from simulator.engine.workloads.history import POD_HASH_LABEL
from simulator.engine.workloads.objects import selector_of, spec_of
from simulator.engine.workloads.refs import is_managed_in
from simulator.engine.world.effects import Effects
from simulator.engine.world.lookups import pods_owned_by
from simulator.engine.world.rows import NodeRow, PodRow
from simulator.engine.world.world import ApiObject, World

_MEMO = "daemon sets"


class DaemonBook:
    """A DaemonSet's nodes and pods as of the last call of ``follow``.

    ``verdicts`` are in the order of the nodes, ``pods`` (those that hold their node's place, by node) in creation order of the first of
    each node. ``digests`` counts the pods by the hash of their template, ``strays`` are those that the selector does not match.
    ``desired``, ``shown`` (with the pod that counts), ``ready``, ``updated`` and ``misscheduled`` are the nodes that the status counts,
    ``gone`` names of nodes that do not exist but have pods.
    """

    __slots__ = (
        "_changed", "_is_disordered", "_members", "_newest", "_on", "_place", "_spec", "_touched", "desired", "digest", "digests",
        "gone", "misscheduled", "open", "pods", "ready", "shown", "strays", "updated", "verdicts",
    )  # fmt: skip

    def __init__(self, fx: Effects, row: ApiObject) -> None:
        self._spec: Json = spec_of(row)
        self.digest = ""
        self.verdicts: dict[str, NodeVerdict] = verdicts(fx, row)
        self.pods: dict[str, list[PodRow]] = {}
        self.digests: Counter[str | None] = Counter()
        self.strays: dict[Key, None] = {}
        self.open: dict[str, None] = {}
        self.desired: dict[str, None] = {}
        self.shown: dict[str, PodRow] = {}
        self.ready: dict[str, None] = {}
        self.updated: dict[str, None] = {}
        self.misscheduled: dict[str, None] = {}
        self.gone: dict[str, None] = {}
        self._place = {name: place for place, name in enumerate(self.verdicts)}
        self._on: dict[Key, str] = {}  # pod → the node it is listed under
        self._members: dict[str, dict[Key, PodRow]] = {}  # all pods of a node, including those that do not hold its place
        self._newest = 0  # the highest number of a pod that is or was the first on its node
        self._is_disordered = False
        self._changed: dict[Key, None] = {pod.key: None for pod in pods_owned_by(fx.tables, row.uid)}
        self._touched: dict[str, None] = dict.fromkeys(self.verdicts)  # nodes to examine

    def is_of(self, row: ApiObject) -> bool:
        """Whether the book is valid for the object's current spec."""
        return self._spec is spec_of(row) or self._spec == spec_of(row)

    def note_pod(self, pod: Key) -> None:
        """Note that the pod was written."""
        self._changed[pod] = None

    def note_node(self, row: ApiObject, node: NodeRow) -> None:
        """Note that labels, taints or cordon of the node have changed."""
        self.verdicts[node.name] = verdict(row, node)
        self._touched[node.name] = None

    def follow(self, fx: Effects, row: ApiObject) -> None:
        """Update the book with what was written since. O(changes)."""
        for key in self._changed:
            self._take_in(row, key, fx.tables.pods[key])
        for node in self._touched:
            self._list_pods(fx, node)
            self._judge(fx, node)
        if self._is_disordered:
            self.pods = dict(sorted(self.pods.items(), key=lambda item: item[1][0].number))
        self._changed, self._touched, self._is_disordered = {}, {}, False

    def use_template(self, digest: str) -> None:
        """Count pods with this hash as new from now on. O(nodes) if it differs from the previous one."""
        if digest != self.digest:
            self.digest = digest
            self.updated = {node: None for node, pod in self.shown.items() if self.is_new(pod)}

    def __len__(self) -> int:
        """How many pods the DaemonSet manages."""
        return len(self._on)

    def __iter__(self) -> Iterator[PodRow]:
        """All pods that the DaemonSet manages, by node."""
        return (pod for members in self._members.values() for pod in members.values())

    @property
    def has_others(self) -> bool:
        """Whether any pod has another template. O(templates that pods have had)."""
        return any(count for digest, count in self.digests.items() if digest != self.digest)

    def in_order(self) -> list[str]:
        """The open nodes, in the order of the nodes."""
        return sorted(self.open, key=self._place.__getitem__)

    def is_new(self, pod: PodRow) -> bool:
        """Whether the pod has the current template."""
        return pod.pod.metadata.labels.get(POD_HASH_LABEL) == self.digest

    def _take_in(self, row: ApiObject, key: Key, pod: PodRow) -> None:
        """Record one pod's current state, under the node that it is on or intended for."""
        before = self._on.pop(key, None)
        if before is not None:
            known = self._members[before].pop(key)
            self.digests.subtract((known.pod.metadata.labels.get(POD_HASH_LABEL),))
            self._touched[before] = None
        self.strays.pop(key, None)
        # By kind, too, as upstream's handlers resolve a reference (resolveControllerRef): the watch does not report a pod that names this
        # uid under another kind. Upstream's claim itself checks the uid alone; only a user writes such a reference by hand.
        if pod.gone_ms is not None or pod.pod.metadata.controller_kind != row.kind or not is_managed_in(row, pod):
            return
        node = self._on[key] = target_of(pod)
        self._members.setdefault(node, {})[key] = pod
        labels = pod.pod.metadata.labels
        self.digests[labels.get(POD_HASH_LABEL)] += 1
        if not selects(selector_of(row), labels):
            self.strays[key] = None
        self._touched[node] = None

    def _list_pods(self, fx: Effects, node: str) -> None:
        """List the node's pods again. ``pods`` stays in the order of its first pods, which is nearly always the order of arrival."""
        listed = [pod for pod in self._members.get(node, {}).values() if holds_a_place(fx, pod)]
        before = self.pods.get(node)
        if not listed:
            self.pods.pop(node, None)
            return
        if len(listed) > 1:
            listed.sort(key=lambda pod: pod.number)
        if before is not None and before[0].number == listed[0].number:
            self.pods[node] = listed
            return
        self.pods.pop(node, None)
        self.pods[node] = listed
        self._is_disordered |= listed[0].number < self._newest
        self._newest = max(self._newest, listed[0].number)

    def _judge(self, fx: Effects, node: str) -> None:
        """Determine whether the node needs attention, and how it counts in the status."""
        found, pods = self.verdicts.get(node), self.pods.get(node)
        for held in (self.open, self.desired, self.shown, self.ready, self.updated, self.misscheduled, self.gone):
            held.pop(node, None)
        if found is None:
            if pods:
                self.gone[node] = None
            return
        if not is_at_rest(found, pods):
            self.open[node] = None
        if not found.runs:
            if pods:
                self.misscheduled[node] = None
            return
        self.desired[node] = None
        if pods:
            shown = self.shown[node] = by_age(pods)[0] if len(pods) > 1 else pods[0]
            if is_available(shown.status, min_ready_s=0, now_ms=fx.now):
                self.ready[node] = None
            if self.is_new(shown):
                self.updated[node] = None


def book_of(fx: Effects, row: ApiObject) -> DaemonBook:
    """The book of a DaemonSet, up to date. O(changes since the last round); O(nodes + pods) at first and for a new spec."""
    books: dict[str, DaemonBook] = fx.world.memo.setdefault(_MEMO, {})
    book = books.get(row.uid)
    if book is None or not book.is_of(row):
        book = books[row.uid] = DaemonBook(fx, row)
    book.follow(fx, row)
    return book


def books_of(world: World) -> dict[str, DaemonBook]:
    """The books in a world, by the uid of the DaemonSet, for notifying them of writes."""
    found: dict[str, DaemonBook] = world.memo.get(_MEMO, {})
    return found


def forget_books(world: World) -> None:
    """Drop all books after a change that they do not follow: a node that was added or removed."""
    world.memo.pop(_MEMO, None)


def forget_book(world: World, uid: str) -> None:
    """Drop the book of a DaemonSet that is being deleted or is gone."""
    books_of(world).pop(uid, None)
