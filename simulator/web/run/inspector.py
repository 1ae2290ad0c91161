"""What the inspector shows about a pod or a node, and the acts that are possible on it now.

Acts come from the registry, with a reason if they are impossible now; such an act is shown disabled in the first row,
so that buttons do not move under the pointer, and left out everywhere else.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeVar

from simulator.engine.acts import all_acts
from simulator.engine.acts.offer import Offer
from simulator.engine.acts.roles import role_of, role_words, with_role
from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import Key, Ms, Subject
from simulator.engine.projection import project
from simulator.engine.projection.drains import drained_pods, refused_drains
from simulator.engine.projection.ledger import Ledger, ledger
from simulator.engine.projection.objects import ObjectView, budget_sum
from simulator.engine.projection.pod import pod_row
from simulator.engine.projection.recorded import RecordedContainer
from simulator.engine.projection.requests import OUTCOMES, requests_view
from simulator.engine.projection.text import needed
from simulator.engine.projection.tones import GLYPHS
from simulator.engine.rules.rulebook import RULEBOOK
from simulator.engine.world.world import World, object_subject
from simulator.web import presenters
from simulator.web.base.common import Context

NEXT_MAX = 4
LISTED_MAX = 60
"""At most this many pods of an object are listed individually; all are on the map. With more objects, the list has no acts."""
LEDGER_WIDTH = 1000
CHIPS_MAX = 12
"""At most this many pods, and as many nodes, are named at the top of the inspector; the lanes and their search have them all."""
_ALIVE = ("running", "creating", "pulling")


class _Named(Protocol):
    @property
    def tone(self) -> str:
        """Its tone."""

    @property
    def subject(self) -> str:
        """Its subject in records."""


_Row = TypeVar("_Row", bound=_Named)


def chips(rows: Sequence[_Row], chosen: str, most: int = CHIPS_MAX) -> list[_Row]:
    """At most ``most`` of the rows, in order: the chosen subject's and those in the worst states."""
    if len(rows) <= most:
        return list(rows)
    worst = {tone: place for place, tone in enumerate(GLYPHS)}
    # The chosen one comes first, so that it is never left out; the sort is stable.
    ranked = sorted(rows, key=lambda row: (row.subject != chosen, -worst.get(row.tone, 0)))[:most]
    kept = {row.subject for row in ranked}
    return [row for row in rows if row.subject in kept]


def pod_context(world: World, pod: project.PodView, *, past: Callable[[], Sequence[Record]], now_ms: Ms) -> Context:
    """A pod with its conditions and containers and the acts on them. ``past`` returns every record so far, needed for a stop's ledger."""
    upcoming = [(presenters.next_label(thing.name, thing.subject), thing) for thing in pod.next]
    images = dict.fromkeys(container.image for container in pod.containers)
    offers = all_acts.ACTS.about(world, pod)
    on_pod = offers.on_pod()
    # Impossible acts stay in the first row, so that buttons keep their places.
    offered, kept = _by_place(on_pod), _by_place(on_pod, every=True)
    return {
        "pod": pod,
        **_role(world, pod.key),
        "status_help": presenters.status_help(pod.status_word),
        "derivation": [(step, presenters.rule_sentence(step.rule_id)) for step in pod.derivation],
        "upcoming": [(label, thing) for label, thing in upcoming if label][:NEXT_MAX],
        "cards": [_card(offers, pod, container, _ledger(past, container, now_ms)) for container in pod.containers],
        "images": [offer for image in images for offer in all_acts.ACTS.on_image(world, image)],
        "acts": kept["pod"],
        "more_acts": offered["pod-more"],
        "groups": [{"name": name, "acts": offered[name]} for name in ("change", "debug", "namespace")],
    }


def _role(world: World, key: Key) -> dict[str, str]:
    """A pod's role in words and in script syntax; empty if its name is the same at every seed."""
    role = role_of(with_role(world.tables, key))
    return {} if role is None else {"role": role.text, "role_words": presenters.said(role_words(role))}


def _by_place(offers: Iterable[Offer], *, every: bool = False) -> defaultdict[str, list[Offer]]:
    """The possible offers by place on the page; with ``every`` also the impossible ones, so that nothing next to them moves."""
    found = defaultdict(list)
    for offer in offers:
        if every or not offer.why_not:
            found[offer.place].append(offer)
    return found


def _card(offers: all_acts.PodOffers, pod: project.PodView, container: project.ContainerView, book: Context | None) -> Context:
    """One container with the acts on it and on its probes; ``book`` is its grace ledger."""
    offered = _by_place(offers.on_container(container), every=True)
    probes = [(probe, _by_place(offers.on_probe(container, probe), every=True)["probe"]) for probe in container.probes]
    return {
        "container": container,
        "state": presenters.container_state(container, is_present=pod.is_present),
        "acts": offered["container"],
        "more": offered["container-more"],
        "probes": probes,
        "ledger": book,
    }


def pod_faults(world: World, pod: project.PodView, *, container: str, probe: str) -> Context:
    """The acts on a pod, or on one of its containers or probes, nearest first: ``faults`` for a menu, ``bar`` for the lane."""
    offers = all_acts.ACTS.about(world, pod)
    menu: list[tuple[str, list[Offer]]] = []
    bar: list[Offer] = []
    for view in pod.containers:
        if container in ("", view.name):
            offered = _by_place(offers.on_container(view), every=True)
            probes = sorted(view.probes, key=lambda one: one.kind != probe)
            on_probes = [offer for one in probes for offer in offers.on_probe(view, one)]
            menu.append((view.name, [*on_probes, *offered["container"], *(offered["container-more"] if container else [])]))
            bar += [*on_probes, *offered["container"]] if container else []
    on_pod = _by_place(offers.on_pod(), every=True)
    menu.insert(len(menu) if container else 0, (pod.name, [*on_pod["pod"], *on_pod["pod-more"]]))
    return {"faults": _possible(menu), "bar": bar or on_pod["pod"]}


def node_faults(world: World, node: project.NodeView) -> Context:
    """The acts on a node."""
    offered = all_acts.ACTS.on_node(world, node)
    return {"faults": _possible([(node.name, [offer for offer in offered if offer.place != "static"])]), "bar": _by_place(offered)["node"]}


def object_faults(world: World, about: ObjectView) -> Context:
    """The acts on an object that is neither a pod nor a node."""
    offered = all_acts.ACTS.on_object(world, about.kind, about.namespace, about.name)
    return {"faults": _possible([(about.name, offered)]), "bar": offered}


def _possible(menu: Iterable[tuple[str, list[Offer]]]) -> list[tuple[str, list[Offer]]]:
    found = [(title, [offer for offer in offers if not offer.why_not]) for title, offers in menu]
    return [(title, offers) for title, offers in found if offers]


def _ledger(past: Callable[[], Sequence[Record]], container: project.ContainerView, now_ms: Ms) -> Context | None:
    """The ledger of a stop that is under way or that ended the container, with the geometry of its bar."""
    if container.stop is None and container.node_state in _ALIVE:
        return None
    found = ledger(past(), container.subject)
    return None if found is None or not _concerns(found, container) else _bar(found, now_ms)


def recorded_ledger(records: Sequence[Record], container: RecordedContainer, now_ms: Ms) -> Context | None:
    """Like ``_ledger``, for a container known only from records."""
    found = ledger(records, container.subject)
    is_past = found is not None and found.ended_ms is not None and container.node_state in _ALIVE
    return None if found is None or is_past else _bar(found, now_ms)


def _bar(found: Ledger, now_ms: Ms) -> Context:
    """A stop's bar, as long as the grace period, or longer if a finished stop took longer. Open entries grow up to the end of the bar."""
    begin = found.began_ms
    whole = max([found.grace_ms, *(entry.end_ms - begin for entry in found.entries if entry.end_ms is not None), 1])

    def at(moment: Ms) -> int:
        return min(moment - begin, whole) * LEDGER_WIDTH // whole

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
    shared = {"grace_s": found.grace_ms // 1000, "deadline": at(begin + found.grace_ms), "whole_ms": whole}
    return {"entries": entries, "ledger": found, **shared}


def _concerns(found: Ledger, container: project.ContainerView) -> bool:
    """Whether a stop is under way, or ended the instance that the card shows."""
    if found.ended_ms is None:
        return container.stop is not None
    return container.node_state not in _ALIVE


def node_context(world: World, node: project.NodeView) -> Context:
    """A node with its conditions and the acts on it."""
    offered = _by_place(all_acts.ACTS.on_node(world, node))
    return {
        "node": node,
        "pod": None,
        "drained": drained_pods(world, node.name),
        "finished_pods": world.profile.pod_gc_threshold,
        "machine_acts": offered["machine"],
        "node_acts": offered["node"],
        "more_node_acts": offered["node-more"],
        "static_acts": offered["static"],
    }


def object_context(world: World, about: ObjectView, *, now_ms: Ms) -> Context:
    """An object that is neither a pod nor a node, with its pods and the acts on it."""
    pods = [line for key in about.pods if (row := world.tables.pods.get(key)) is not None for line in [pod_row(world, row, world.now_ms)]]
    return {
        "object": about,
        "pod": None,
        "object_pods": chips([line for line in pods if line.is_present], "", LISTED_MAX),
        "object_pods_left": max(0, sum(line.is_present for line in pods) - LISTED_MAX),
        "object_acts": all_acts.ACTS.on_object(world, about.kind, about.namespace, about.name),
        "edit": f"{about.kind}/{about.namespace}/{about.name}",
        "requests": _requests(world, about, now_ms),
        **(_budget(world, about) if about.kind == "PodDisruptionBudget" else {}),
    }


def _budget(world: World, about: ObjectView) -> Context:
    """How a PodDisruptionBudget counts, and which evictions it refuses to a drain."""
    name = (about.namespace, about.name)
    return {"budget": budget_sum(world, *name), "refused": refused_drains(world, *name)}


def _requests(world: World, about: ObjectView, now_ms: Ms) -> Context | None:
    """The requests that a Service gets from its declared load, with the reason for their present outcome."""
    found = requests_view(world, about.namespace, about.name, now_ms=now_ms) if about.kind == "Service" else None
    if found is None:
        return None
    columns = [place for place, count in enumerate(found.counts) if count]
    lines = [
        {
            "line": line,
            "word": presenters.OUTCOMES[line.word],
            "why": needed(RULEBOOK[line.rule].sentence, dict(line.values)) if line.word not in ("", "answered") or line.values else None,
            "counts": [line.counts[place] for place in columns],
        }
        for line in found.lines
    ]
    return {
        "view": found,
        "rates": presenters.rates_said(found.rates),
        "columns": [presenters.OUTCOMES[OUTCOMES[place]] for place in columns],
        "totals": [found.counts[place] for place in columns],
        "lines": lines,
    }


def object_rows(world: World, *, but: Subject = "") -> list[Context]:
    """The objects other than pods, nodes and ``but``, each with the acts on it, and with what the simulation does not act on."""
    unacted = project.unacted_objects(world)
    found = [item for item in project.other_objects(world) if object_subject(*item) != but]
    on_object = all_acts.ACTS.on_object if len(found) <= LISTED_MAX else lambda *_: ()  # with many, only the selected one has acts
    return [
        {
            "kind": kind,
            "namespace": namespace,
            "name": name,
            "line": f"describe {kind.lower()} {name}{f' -n {namespace}' if namespace else ''}",
            "edit": f"{kind}/{namespace}/{name}",
            "subject": object_subject(kind, namespace, name),
            "acts": [offer for offer in on_object(world, kind, namespace, name) if offer.do == "delete"],
            "notes": [presenters.unacted_text(item) for item in unacted.get((kind, namespace, name), ())],
        }
        for kind, namespace, name in found
    ]
