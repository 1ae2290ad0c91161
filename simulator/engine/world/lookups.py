"""Queries on the API server's store that its indexes answer. A query costs as much as its result; what does not match costs nothing."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from simulator.engine.kernel.units import Key
from simulator.engine.model.pod import Pod
from simulator.engine.model.selectors import Selector, selects
from simulator.engine.world.rows import PodRow
from simulator.engine.world.world import ApiObject, OwnedKey, Tables


def _in_order(tables: Tables, keys: Iterable[Key]) -> list[PodRow]:
    """The pods of these keys in creation order."""
    return sorted((tables.pods[key] for key in keys), key=lambda row: row.number)


def pods_on(tables: Tables, node: str) -> list[PodRow]:
    """The pods bound to a node whose objects exist, in creation order."""
    return _in_order(tables, tables.pods_by_node.of(node))


def pod_on_node(tables: Tables, row: PodRow) -> Pod:
    """What the kubelet of the pod's node runs: the API's pod or, for a mirror, the one in the file, with the file's uid. O(static pods)."""
    if tables.static_pods:
        for item in tables.static_pods.values():
            if item.pod == row.key and item.runs is not None:
                return item.runs
    return row.pod


def pods_in(tables: Tables, namespace: str) -> list[PodRow]:
    """The pods of a namespace whose objects exist, in creation order."""
    return _in_order(tables, tables.pods_by_namespace.of(namespace))


def pods_labelled(tables: Tables, namespace: str, labels: Mapping[str, str]) -> list[PodRow]:
    """The pods of a namespace that have all these labels (at least one), in creation order. O(pods with the rarest label)."""
    sets = [tables.pods_by_label.of((namespace, key, value)) for key, value in labels.items()]
    smallest = min(sets, key=lambda keys: len(tuple(keys)))
    rows = _in_order(tables, smallest)
    return [row for row in rows if all(row.pod.metadata.labels.get(key) == value for key, value in labels.items())]


def pods_selected(tables: Tables, namespace: str, selector: Selector | None) -> Iterator[PodRow]:
    """The pods of a namespace that match a selector, in arbitrary order. O(pods with the rarest label it requires to be equal)."""
    if selector is None:
        return
    keys: Collection[Key] | None = None
    for item in selector:
        if item.operator == "In" and len(item.values) == 1:
            found = tables.pods_by_label.of((namespace, item.key, item.values[0]))
            keys = found if keys is None or len(found) < len(keys) else keys
    for key in tables.pods_by_namespace.of(namespace) if keys is None else keys:
        row = tables.pods[key]
        if selects(selector, row.pod.metadata.labels):
            yield row


def orphans_labelled(tables: Tables, namespace: str, selector: Selector) -> list[PodRow]:
    """The unmanaged pods of a namespace that match the selector, in creation order. O(pods without a controller)."""
    alone = tables.pods_alone.of(namespace)
    return _in_order(tables, (key for key in alone if selects(selector, tables.pods[key].pod.metadata.labels)))


def objects_of(tables: Tables, kind: str, namespace: str | None = None) -> Iterator[ApiObject]:
    """The objects of a kind, of one namespace or of all, in creation order."""
    spaces = tables.namespaces_by_kind.of(kind) if namespace is None else (namespace,)
    for space in spaces:
        for name in tables.names_by_kind.held.get((kind, space), ()):
            yield tables.objects[(kind, space, name)]


def unmanaged_objects(tables: Tables, kind: str, namespace: str) -> list[ApiObject]:
    """The objects of a kind that no controller manages, in creation order. O(1) if there are none, else O(objects of the kind)."""
    alone = tables.alone_by_kind.of((kind, namespace))
    return (
        [tables.objects[(kind, namespace, name)] for name in tables.names_by_kind.of((kind, namespace)) if name in alone] if alone else []
    )


def objects_in(tables: Tables, namespace: str) -> list[ApiObject]:
    """Every object of a namespace that is not a pod, in creation order."""
    return [tables.objects[(kind, namespace, name)] for kind, name in tables.objects_by_namespace.of(namespace)]


def is_used(tables: Tables, namespace: str) -> bool:
    """Whether anything is in the namespace."""
    return any(True for _ in tables.pods_by_namespace.of(namespace)) or any(True for _ in tables.objects_by_namespace.of(namespace))


def pods_owned_by(tables: Tables, uid: str) -> list[PodRow]:
    """The pods that name the owner with that uid, in creation order."""
    return _in_order(tables, tables.pods_by_owner.of(uid))


def dependents_of(tables: Tables, owner: OwnedKey, uid: str) -> list[PodRow | ApiObject]:
    """The objects that name this one as an owner: by its uid, or by kind and name under a uid that the store never had.

    A manifest written by hand cannot know a uid in advance. Objects first, then pods, each in creation order.
    """
    kind, namespace, name = owner
    objects, pods = dict.fromkeys(tables.owned_by_uid.of(uid)), dict.fromkeys(tables.pods_by_owner.of(uid))
    for item, given in tables.owned_by_name.of((kind, name)):
        if given not in tables.uids:
            if item[0] == "Pod":
                pods[item[2]] = None
            else:
                objects[item] = None
    found: list[PodRow | ApiObject] = [tables.objects[item] for item in objects]
    found += _in_order(tables, pods)
    return [row for row in found if namespace in ("", row.namespace)]


def has_dependents(tables: Tables, uid: str) -> bool:
    """Whether anything names the owner with that uid. O(1)."""
    return uid in tables.pods_by_owner.held or uid in tables.owned_by_uid.held


def node_of_event(tables: Tables, event: Any) -> str:
    """The node on which an event of a kubelet or runtime happens; empty if it names none."""
    if hasattr(event, "node"):
        node: str = event.node
        return node
    if hasattr(event, "pod"):
        return tables.pods[event.pod].node
    task = tables.execs.get(event.n) if hasattr(event, "n") else None
    return tables.pods[task.pod].node if task is not None else ""
