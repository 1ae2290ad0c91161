"""What the inspector shows of a pod or a node, and the acts that are possible on it now."""

from collections.abc import Sequence
from typing import Any

from simulator import acts, node_acts, object_acts, presenters
from simulator.engine import project
from simulator.engine.records import Record
from simulator.engine.units import Ms
from simulator.engine.views.ledger import Ledger, ledger
from simulator.engine.views.recorded import ToldContainer

Context = dict[str, Any]
NEXT_MAX = 4
LEDGER_WIDTH = 1000
_ALIVE = ("running", "creating", "pulling")


def pod_context(pod: project.PodView, *, images: dict[str, bool], nodes: Sequence[str], past: Sequence[Record], now_ms: Ms) -> Context:
    """A pod with its conditions and containers. ``images`` tells what the registry hands out, ``past`` is every record so far."""
    possible = {(act.do, act.container, act.probe) for act in pod.acts if act.enabled}
    upcoming = [(presenters.next_label(thing.name, thing.subject), thing) for thing in pod.next]
    names = dict.fromkeys(container.image for container in pod.containers)
    return {
        "pod": pod,
        "status_help": presenters.status_help(pod.status_word),
        "derivation": [(step, presenters.rule_sentence(step.rule_id)) for step in pod.derivation],
        "upcoming": [(label, thing) for label, thing in upcoming if label][:NEXT_MAX],
        "cards": [
            _card(pod, container, possible, _ledger(ledger(past, container.subject), container, now_ms)) for container in pod.containers
        ],
        "images": [acts.image_act(image=name, available=images.get(name, True)) for name in names],
        **_pod_acts(pod, {do for do, _, _ in possible}, nodes),
    }


def _pod_acts(pod: project.PodView, possible: set[str], nodes: Sequence[str]) -> Context:
    """The acts on the pod by group; a group without any is empty. ``nodes``: the names of those that exist."""
    named = {"key": pod.key, "namespace": pod.namespace, "name": pod.name}
    deletes = acts.pod_acts(**named, grace_s=pod.grace_s) if "delete_pod" in possible else []
    if "delete_pod" in possible:  # Whether a budget forbids it is for the API server to say.
        deletes.append(object_acts.evict_act(**named, group_version=pod.eviction_version))
    changes = object_acts.change_acts(**named, gates=pod.readiness_gates) if "patch_pod" in possible else []
    if "remove_scheduling_gates" in possible:
        changes.insert(0, object_acts.gate_act(**named))
    if "bind" in possible and nodes:
        changes.insert(0, object_acts.bind_act(**named, nodes=nodes))
    running = tuple(item.name for item in pod.containers if item.group == "app")
    debug = [object_acts.debug_act(**named, container=_debugger(pod), targets=running)] if "debug_pod" in possible else []
    sandbox = [object_acts.sandbox_act(key=pod.key)] if "kill_sandbox" in possible else []
    return {
        "acts": deletes[:1],
        "more_acts": deletes[1:],
        "groups": [
            {"name": "change", "acts": changes},
            {"name": "debug", "acts": [*debug, *sandbox]},
            {"name": "namespace", "acts": object_acts.namespace_acts(namespace=pod.namespace) if pod.is_present else []},
        ],
    }


def _debugger(pod: project.PodView) -> str:
    """The first free name of a debug container."""
    taken = {item.name for item in pod.containers}
    return next(name for n in range(1, len(taken) + 2) if (name := f"debugger-{n}") not in taken)


def _card(pod: project.PodView, container: project.ContainerView, possible: set[tuple[str, str, str]], book: Context | None) -> Context:
    """One container with the acts on it and on its probes; ``book`` is its grace ledger."""
    name = container.name
    decides = {"key": pod.key, "container": name}
    where = {"key": pod.key, "namespace": pod.namespace, "name": pod.name, "container": name}
    made = acts.container_acts(key=pod.key, container=name, is_hung=container.is_hung)
    more = [object_acts.exec_act(**where)] if ("exec", name, "") in possible else []
    if container.group != "ephemeral" and any(do == "patch_pod" for do, _, _ in possible):
        more.append(object_acts.image_change_act(**where, group=container.group, image=container.image))
    if ("resize_pod", name, "") in possible:
        more.append(object_acts.resize_act(**where, requests=dict(container.requests), limits=dict(container.limits)))
    probes = [(probe, acts.probe_act(**decides, probe=probe.kind, is_decided=bool(probe.override))) for probe in container.probes]
    return {
        "container": container,
        "state": presenters.container_state(container, is_present=pod.is_present),
        "acts": [act for act in made if (act.fields["do"], name, "") in possible],
        "more": more,
        "probes": [(probe, act if ("set_probe", name, probe.kind) in possible else None) for probe, act in probes],
        "ledger": book,
    }


def _ledger(found: Ledger | None, container: project.ContainerView, now_ms: Ms) -> Context | None:
    """The ledger of a stop that is under way or was the container's end, with the geometry of its bar."""
    return None if found is None or not _concerns(found, container) else _bar(found, now_ms)


def told_ledger(records: Sequence[Record], container: ToldContainer, now_ms: Ms) -> Context | None:
    """The same of a container that only its records tell of."""
    found = ledger(records, container.subject)
    is_past = found is not None and found.ended_ms is not None and container.node_state in _ALIVE
    return None if found is None or is_past else _bar(found, now_ms)


def _bar(found: Ledger, now_ms: Ms) -> Context:
    begin = found.began_ms
    ends = [entry.end_ms or now_ms for entry in found.entries]
    whole = max([found.grace_ms, *(end - begin for end in ends), 1])

    def at(moment: Ms) -> int:
        return (moment - begin) * LEDGER_WIDTH // whole

    entries = [
        {
            "who": entry.who,
            "label": presenters.LEDGER[entry.who],
            "signal": entry.signal,
            "seq": entry.seq,
            "begin_ms": entry.begin_ms,
            "end_ms": entry.end_ms,
            "spent_ms": None if entry.end_ms is None else entry.end_ms - entry.begin_ms,
            "x": at(entry.begin_ms),
            "width": max(at(entry.end_ms or now_ms) - at(entry.begin_ms), 4),
        }
        for entry in found.entries
    ]
    return {"entries": entries, "grace_s": found.grace_ms // 1000, "deadline": at(begin + found.grace_ms), "ledger": found}


def _concerns(found: Ledger, container: project.ContainerView) -> bool:
    """Whether a stop is under way, or was the end of the instance that the card shows."""
    if found.ended_ms is None:
        return container.stop is not None
    return container.node_state not in _ALIVE


def node_context(node: project.NodeView) -> Context:
    """A node with its conditions and the acts on it."""
    objects = [] if node.is_deleted else node_acts.object_acts(node)
    return {
        "node": node,
        "pod": None,
        "machine_acts": node_acts.machine_acts(node),
        "node_acts": objects[:2],
        "more_node_acts": objects[2:],
        "static_acts": node_acts.static_pod_acts(node),
    }


def object_rows(found: Sequence[tuple[str, str, str]]) -> list[Context]:
    """The objects beside pods and nodes, each with the act that deletes it."""
    return [
        {
            "kind": kind,
            "namespace": namespace,
            "name": name,
            "line": f"describe {kind.lower()} {name}{f' -n {namespace}' if namespace else ''}",
            "edit": f"{kind}/{namespace}/{name}",
            "act": object_acts.object_act(kind=kind, namespace=namespace, name=name),
        }
        for kind, namespace, name in found
    ]
