"""InterPodAffinity: pods that want, or do not want, to be near other pods.

"Near" means: on a node whose label topologyKey has the same value. Required rules filter, preferred
ones score, and both work in two directions. The new pod's rules are checked against the existing
pods; and required anti-affinity of existing pods is checked against the new pod, since a
pod that wants to be alone must stay alone. Required affinity is not symmetric: it only scores, with
a fixed weight.

A group whose members want to be near each other could never start, since none of them is there yet.
Hence the exception for the first: if no pod anywhere matches and the new pod matches its own
rules, any node with the label will do.

Pods are counted once per attempt by place (key and value), so asking about a node is a lookup. A
pod without such rules in a cluster where no pod has any is never asked.

Pods that terminate still count: they still run.

Source: plugins/interpodaffinity/filtering.go, scoring.go.
"""

import json
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from msgspec import Struct

from simulator.engine.kernel.records import Data
from simulator.engine.model.selectors import Requirement, Selector, from_document, selects
from simulator.engine.scheduler.cache import affinity_key, node_known
from simulator.engine.scheduler.framework import (
    NODE_ADDED,
    NODE_LABELS,
    POD_FREED,
    POD_LABELS,
    POD_PLACED,
    SKIP,
    ClusterEvent,
    Cycle,
    Plugin,
    Unfit,
    any_of,
)
from simulator.engine.world.lookups import pods_selected
from simulator.engine.world.rows import NodeRow, PodRow
from simulator.engine.world.world import AffinityKey, Tables, World

HARD_WEIGHT = 1
"""The score weight of another pod's required affinity that the new pod matches (hardPodAffinityWeight)."""
_SHORT = 20_000
"""Maximum bytes of rules that are kept in parsed form."""
_NOT_AFFINITY = "node(s) didn't match pod affinity rules"
_NOT_ANTI_AFFINITY = "node(s) didn't match pod anti-affinity rules"
_NOT_EXISTING = "node(s) didn't satisfy existing pods anti-affinity rules"

Place = tuple[str, str]
"""A topology key and its value: the nodes that share this label."""


class AffinityTerm(Struct, frozen=True, gc=False):
    """Which pods a rule refers to, and within which label. ``everywhere``: also matching namespaces; None: only the named ones."""

    selector: Selector | None
    topology_key: str
    namespaces: tuple[str, ...]
    everywhere: Selector | None
    weight: int

    def matches(self, tables: Tables, row: PodRow) -> bool:
        """Whether the rule refers to the pod, wherever it is."""
        if row.namespace not in self.namespaces and not (
            self.everywhere is not None and selects(self.everywhere, namespace_labels(tables, row.namespace))
        ):
            return False
        return selects(self.selector, row.pod.metadata.labels)

    def pods(self, tables: Tables) -> Iterator[PodRow]:
        """All pods of the store that it refers to. O(those with the rarest label it requires to be equal)."""
        spaces = dict.fromkeys(self.namespaces)
        if self.everywhere is not None:
            known = tables.pods_by_namespace.buckets()
            spaces.update(dict.fromkeys(name for name in known if selects(self.everywhere, namespace_labels(tables, name))))
        for space in spaces:
            yield from pods_selected(tables, space, self.selector)


class Rules(Struct, frozen=True, gc=False):
    """A pod's rules about other pods."""

    affinity: tuple[AffinityTerm, ...] = ()
    anti_affinity: tuple[AffinityTerm, ...] = ()
    preferred: tuple[AffinityTerm, ...] = ()  # pods it prefers not to be near have a negative weight


class AffinityState(Struct, frozen=True, gc=False):
    """Where the pods are that matter to a new pod, counted by place."""

    rules: Rules
    is_first: bool  # no pod except itself matches its affinity yet
    wanted: dict[Place, int]
    unwanted: dict[Place, int]
    refusing: dict[Place, int]


NOTHING = Rules()


def namespace_labels(tables: Tables, name: str) -> dict[str, str]:
    """The labels of a namespace, which need not have been created. O(its document)."""
    held = tables.objects.get(("Namespace", "", name))
    given = (json.loads(held.document)["metadata"].get("labels") or {}) if held is not None else {}
    return {"kubernetes.io/metadata.name": name, **given}


def rules_of(row: PodRow) -> Rules:
    """A pod's rules about other pods. The API server has dropped what its version does not use."""
    key = affinity_key(row)
    return NOTHING if key is None else _rules(key)


def _rules(key: AffinityKey) -> Rules:
    return _read_once(key) if len(key[1]) <= _SHORT else _read(key)


def _read(key: AffinityKey) -> Rules:
    namespace, encoded, labels = key
    affinity, anti = (document or {} for document in json.loads(encoded))

    def term(document: dict[str, Any], weight: int = 0) -> AffinityTerm:
        selector = from_document(document.get("labelSelector"))
        if selector is not None:
            own = dict(labels)
            for name, operator in (("matchLabelKeys", "In"), ("mismatchLabelKeys", "NotIn")):
                selector += tuple(Requirement(each, operator, (own[each],)) for each in document.get(name) or () if each in own)
        everywhere = from_document(document.get("namespaceSelector"))
        named = tuple(document.get("namespaces") or ())
        return AffinityTerm(
            selector, str(document.get("topologyKey")), named if named or everywhere is not None else (namespace,), everywhere, weight
        )

    def preferred(document: dict[str, Any], sign: int) -> Iterator[AffinityTerm]:
        for item in document.get("preferredDuringSchedulingIgnoredDuringExecution") or ():
            yield term(item.get("podAffinityTerm") or {}, sign * int(item.get("weight") or 0))

    required = "requiredDuringSchedulingIgnoredDuringExecution"
    return Rules(
        tuple(map(term, affinity.get(required) or ())),
        tuple(map(term, anti.get(required) or ())),
        (*preferred(affinity, 1), *preferred(anti, -1)),
    )


_read_once = lru_cache(maxsize=1024)(_read)


def _placed(cycle: Cycle, rows: Iterable[PodRow]) -> Iterator[tuple[PodRow, NodeRow]]:
    """Those of the pods that the scheduler knows on a node, with their node."""
    for row in rows:
        node = (
            cycle.by_name.get(node_known(cycle.tables, row)) if row.key in cycle.tables.scheduled and row.key not in cycle.removed else None
        )
        if node is not None:
            yield row, node


def _others(cycle: Cycle) -> Iterator[tuple[Rules, list[PodRow]]]:
    """The rules of pods that are on some node, each with the pods that have them. O(different rules)."""
    held = cycle.tables.pods_with_affinity
    for key in held.buckets():
        yield _rules(key), [cycle.tables.pods[pod] for pod in held.of(key)]


def _count(places: dict[Place, int], term: AffinityTerm, node: NodeRow, much: int = 1) -> None:
    value = node.labels.get(term.topology_key)
    if value is not None:
        place = (term.topology_key, value)
        places[place] = places.get(place, 0) + much


def _begin(cycle: Cycle) -> AffinityState | None:
    tables = cycle.tables
    rules = rules_of(cycle.row)
    refusing: dict[Place, int] = {}
    if tables.affinity_of:
        for others, rows in _others(cycle):
            terms = [term for term in others.anti_affinity if term.matches(tables, cycle.row)]
            for _, node in _placed(cycle, rows) if terms else ():
                for term in terms:
                    _count(refusing, term, node)
    if not refusing and not rules.affinity and not rules.anti_affinity:
        return SKIP
    wanted: dict[Place, int] = {}
    if rules.affinity:
        # A pod counts only if all terms match it, so iterating the first one's pods is enough.
        for row, node in _placed(cycle, rules.affinity[0].pods(tables)):
            if all(term.matches(tables, row) for term in rules.affinity[1:]):
                for term in rules.affinity:
                    _count(wanted, term, node)
    unwanted: dict[Place, int] = {}
    for term in rules.anti_affinity:
        for _, node in _placed(cycle, term.pods(tables)):
            _count(unwanted, term, node)
    is_first = not wanted and all(term.matches(tables, cycle.row) for term in rules.affinity)
    return AffinityState(rules, is_first, wanted, unwanted, refusing)


def _is_near(state: AffinityState, node: NodeRow) -> bool:
    """Whether the node is near the pods that all required terms match; the first of a group may go wherever the labels exist."""
    for term in state.rules.affinity:
        value = node.labels.get(term.topology_key)
        if value is None or not (state.is_first or state.wanted.get((term.topology_key, value))):
            return False
    return True


def _unwanted_place(places: dict[Place, int], terms: Iterable[str], node: NodeRow) -> Place | None:
    for key in terms:
        value = node.labels.get(key)
        if value is not None and places.get((key, value)):
            return key, value
    return None


def _filter(cycle: Cycle, state: AffinityState, node: NodeRow) -> Unfit | None:
    if state.rules.affinity and not _is_near(state, node):
        return _refusal(cycle, _NOT_AFFINITY, is_curable=False)
    if state.unwanted and _unwanted_place(state.unwanted, _keys(state.rules.anti_affinity), node):
        return _refusal(cycle, _NOT_ANTI_AFFINITY, is_curable=True)
    if state.refusing and _unwanted_place(state.refusing, node.labels, node):
        return _refusal(cycle, _NOT_EXISTING, is_curable=True)
    return None


def _refusal(cycle: Cycle, reason: str, *, is_curable: bool) -> Unfit:
    general = cycle.profile.pod_affinity_text
    return Unfit((general, reason) if general else (reason,), is_curable)


def _keys(terms: Iterable[AffinityTerm]) -> list[str]:
    return [term.topology_key for term in terms]


def _explain(_cycle: Cycle, state: AffinityState, node: NodeRow) -> Data:
    if state.rules.affinity and not _is_near(state, node):
        lacking = [term.topology_key for term in state.rules.affinity if term.topology_key not in node.labels]
        wanted = sorted(f"{key}={value}" for key, value in state.wanted)
        return (("node_lacks", ", ".join(lacking)),) if lacking else (("near", ", ".join(wanted) or "no such pod anywhere"),)
    own = _unwanted_place(state.unwanted, _keys(state.rules.anti_affinity), node)
    place = own or _unwanted_place(state.refusing, node.labels, node) or ("", "")
    count = (state.unwanted if own else state.refusing).get(place, 0)
    return (("within", f"{place[0]}={place[1]}"), ("pods", count))


def _score(cycle: Cycle, nodes: list[NodeRow]) -> list[int] | None:
    points = _points(cycle)
    if not points:
        return None
    raw = [sum(points.get(key, {}).get(node.labels.get(key, ""), 0) for key in points) for node in nodes]
    low, high = min(raw), max(raw)
    # Points may be negative; they are scaled between the worst and the best.
    return [100 * (each - low) // (high - low) if high > low else 0 for each in raw]


def _points(cycle: Cycle) -> dict[str, dict[str, int]]:
    """By topology key and value: the sum of the preferences of the pod and of others."""
    tables = cycle.tables
    places: dict[Place, int] = {}
    for term in rules_of(cycle.row).preferred:
        for _, node in _placed(cycle, term.pods(tables)):
            _count(places, term, node, term.weight)
    if tables.affinity_of:
        for others, rows in _others(cycle):
            terms = [(term, term.weight) for term in others.preferred if term.matches(tables, cycle.row)]
            terms += [(term, HARD_WEIGHT) for term in others.affinity if term.matches(tables, cycle.row)]
            for _, node in _placed(cycle, rows) if terms else ():
                for term, weight in terms:
                    _count(places, term, node, weight)
    found: dict[str, dict[str, int]] = {}
    for (key, value), much in places.items():
        found.setdefault(key, {})[value] = much
    return found


def _by_node(_world: World, row: PodRow, event: ClusterEvent) -> bool:
    """A node helps only if it has the labels of the required affinity."""
    labels = event.node.labels if event.node is not None else {}
    return all(term.topology_key in labels for term in rules_of(row).affinity)


def is_wanted(world: World, row: PodRow, event: ClusterEvent) -> bool:
    """Whether the pod that was bound or relabelled is one that the waiting pod wants to be near."""
    terms = rules_of(row).affinity
    return event.pod is not None and bool(terms) and all(term.matches(world.tables, event.pod) for term in terms)


def _by_labels(world: World, row: PodRow, event: ClusterEvent) -> bool:
    """Other labels may make a pod wanted, or no longer unwanted."""
    return is_wanted(world, row, event) or bool(rules_of(row).anti_affinity)


def _by_freed(world: World, row: PodRow, event: ClusterEvent) -> bool:
    """A pod that leaves helps if one of the two did not want the other."""
    other = event.pod
    if other is None:
        return False
    own, theirs = rules_of(row).anti_affinity, rules_of(other).anti_affinity
    return any(term.matches(world.tables, other) for term in own) or any(term.matches(world.tables, row) for term in theirs)


INTER_POD_AFFINITY = Plugin(
    name="InterPodAffinity",
    begin=_begin,
    filter=_filter,
    explain=_explain,
    score=_score,
    weight="score_weight_inter_pod_affinity",
    wakes={NODE_ADDED: _by_node, NODE_LABELS: any_of, POD_PLACED: is_wanted, POD_LABELS: _by_labels, POD_FREED: _by_freed},
)
