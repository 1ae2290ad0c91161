"""Effects of creating or changing a pod."""

import json
from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from simulator.engine.apiserver.defaulting.pod import default_pod_document
from simulator.engine.apiserver.validation.pod_rules import Fields, fields, items, number, text
from simulator.engine.kernel.units import SECOND
from simulator.engine.model.selectors import from_document, selects
from simulator.engine.model.status import TERMINAL_PHASES
from simulator.engine.network.services import services_of
from simulator.engine.policies.taint_eviction import eviction_delay_s
from simulator.engine.world.rows import PodRow
from simulator.engine.world.world import World
from simulator.manifests.editor.preview.effects.effect_rules import Change, effect
from simulator.manifests.editor.preview.outcome import Effect


@effect("Pod")
def created(change: Change) -> Iterator[Effect]:
    """A new pod: its QoS class, and what keeps it from starting."""
    if change.old is not None:
        return
    yield Effect(text=_("creates Pod %s") % change.new.name, rule="pod-created", tone="good")
    row = change.after.live_pod(change.new.namespace, change.new.name)
    if row is None:
        return
    yield Effect(text=_("its QoS class is %s") % row.status.qos_class, rule="qos-class", path="spec.containers")
    gates = [text(gate, "name") for _index, gate in items(change.spec(change.now), "schedulingGates")]
    if gates:
        message = _("it stays unscheduled until its gates are removed: %s") % ", ".join(gates)
        yield Effect(text=message, rule="gated", path="spec.schedulingGates", tone="warn")
    elif row.node:
        yield Effect(text=_("the kubelet of %s starts it, without the scheduler") % row.node, rule="node-name", path="spec.nodeName")


@effect("Pod")
def images(change: Change) -> Iterator[Effect]:
    """A new image restarts the container; for an init container that has completed it is only recorded."""
    row = change.row()
    if row is None:
        return
    for group in ("initContainers", "containers"):
        before = {text(item, "name"): item for _index, item in items(change.spec(change.was), group)}
        for index, item in items(change.spec(change.now), group):
            name = text(item, "name")
            if text(item, "image") != text(before.get(name, {}), "image"):
                is_sidecar = group == "initContainers" and item.get("restartPolicy") == "Always"
                yield _image(row, name, f"spec.{group}[{index}].image", is_plain_init=group == "initContainers" and not is_sidecar)


def _image(row: PodRow, name: str, path: str, *, is_plain_init: bool) -> Effect:
    if row.status.phase in TERMINAL_PHASES or row.deletion_ms is not None:
        return Effect(text=_("is only recorded: the pod has ended or is being deleted"), rule="image-noted", path=path)
    if is_plain_init:
        done = bool(row.status.containers) and row.status.phase == "Running"
        message = (
            _("init container %s has already run: the image is only recorded") if done else _("init container %s runs with the new image")
        )
        return Effect(text=message % name, rule="image-init", path=path)
    status = next((item for item in (*row.status.containers, *row.status.init_containers) if item.name == name), None)
    if status is None or type(status.state).__name__ == "Waiting":
        return Effect(text=_("container %s starts with the new image") % name, rule="image-first", path=path)
    return Effect(text=_("restarts container %s") % name, rule="image-restart", path=path, tone="warn")


@effect("Pod")
def labels(change: Change) -> Iterator[Effect]:
    """Changed labels: Services, budgets and owners that gain or lose the pod."""
    before, after = change.labels(change.was), change.labels(change.now)
    if before == after:
        return
    for held, service in services_of(change.after, change.new.namespace):
        yield from _gained(service.spec.selector, before, after, f"Service {held.name}")
    if change.old is None:
        return
    for (kind, space, name), held in change.after.tables.objects.items():
        if space == change.new.namespace and kind in ("PodDisruptionBudget", "ReplicaSet", "StatefulSet", "DaemonSet", "Job"):
            selector = from_document(fields(fields(_document(held.document), "spec"), "selector"))
            was, now = selects(selector, before), selects(selector, after)
            if was != now:
                yield _membership(f"{kind} {name}", gains=now)


def _gained(selector: dict[str, str], before: Fields, after: Fields, who: str) -> Iterator[Effect]:
    def means(labels_: Fields) -> bool:
        return bool(selector) and all(labels_.get(key) == value for key, value in selector.items())

    was, now = means(before), means(after)
    if was != now:
        yield _membership(who, gains=now)


def _membership(who: str, *, gains: bool) -> Effect:
    if gains:
        return Effect(text=_("%s gains the pod") % who, rule="selector-gains", path="metadata.labels", tone="good")
    return Effect(text=_("%s loses the pod") % who, rule="selector-loses", path="metadata.labels", tone="warn")


def _document(written: str) -> Fields:
    found: Fields = json.loads(written)
    return found


@effect("Pod")
def deadline(change: Change) -> Iterator[Effect]:
    """A new or shorter deadline."""
    seconds = number(change.spec(change.now), "activeDeadlineSeconds")
    row = change.row()
    if row is None or seconds is None or seconds == number(change.spec(change.was), "activeDeadlineSeconds"):
        return
    path = "spec.activeDeadlineSeconds"
    started = row.status.start_ms
    if started is None:
        yield Effect(text=_("the pod is terminated %d s after it starts") % seconds, rule="deadline", path=path, tone="warn")
        return
    # The deadline counts from the pod's start, however late it is set.
    left_s = (started + seconds * SECOND - change.after.now_ms) // SECOND
    message = _("the pod is terminated in %d s") % left_s if left_s > 0 else _("the pod is terminated at once: the deadline has passed")
    yield Effect(text=message, rule="deadline", path=path, tone="warn")


@effect("Pod")
def gates(change: Change) -> Iterator[Effect]:
    """Scheduling gates that were removed."""
    before, after = (len(list(items(change.spec(document), "schedulingGates"))) for document in (change.was, change.now))
    path = "spec.schedulingGates"
    if before and not after:
        yield Effect(text=_("the scheduler can place the pod now"), rule="gates-gone", path=path, tone="good")
    elif after < before:
        text = ngettext("the pod is still waiting for %d gate", "the pod is still waiting for %d gates", after)
        yield Effect(text=text % after, rule="gates-fewer", path=path)


@effect("Pod")
def tolerations(change: Change) -> Iterator[Effect]:
    """Added tolerations: where the pod may go, and how long it may stay."""
    row, after = change.row(), change.after.live_pod(change.new.namespace, change.new.name)
    if row is None or after is None or row.pod.spec.tolerations == after.pod.spec.tolerations:
        return
    path = "spec.tolerations"
    node = change.after.tables.nodes.get(row.node)
    if node is None:
        yield Effect(text=_("the scheduler can use nodes whose taints are now tolerated"), rule="tolerates-more", path=path, tone="good")
        return
    was, now = (eviction_delay_s(item.pod.spec.tolerations, node.taints) for item in (row, after))
    if was == now:
        yield Effect(text=_("changes nothing on %s with its current taints") % row.node, rule="tolerates-same", path=path)
    elif now is None:
        yield Effect(text=_("the eviction from %s is cancelled") % row.node, rule="eviction-off", path=path, tone="good")
    else:
        yield Effect(
            text=_("the pod is evicted from %(node)s after %(s)d s") % {"node": row.node, "s": now}, rule="eviction-later", path=path
        )


@effect("Pod")
def notes(change: Change) -> Iterator[Effect]:
    """Annotations do not restart anything."""
    before, after = (fields(fields(document, "metadata"), "annotations") for document in (change.was, change.now))
    if change.old is not None and before != after:
        behaves = any("/behaviour" in key for key in {*before, *after} if before.get(key) != after.get(key))
        message = _("containers behave like this from their next start") if behaves else _("annotations restart nothing")
        yield Effect(text=message, rule="behaviour-next" if behaves else "annotations", path="metadata.annotations")


def hints_of(old: Fields, wanted: Fields, *, world: World) -> tuple[Effect, ...]:
    """What to do instead of a change that was rejected."""
    if wanted.get("kind") != "Pod":
        return ()
    found: list[Effect] = []
    before, after = (fields(default_pod_document(document, release=world.release), "spec") for document in (old, wanted))
    if world.profile.in_place_resize and _resources(before) != _resources(after) and _images(before) == _images(after):
        message = _("cpu and memory of a running container change through the resize subresource")
        found.append(Effect(text=message, rule="use-resize", path="spec.containers"))
    else:
        found.append(Effect(text=_("to change this, delete the pod and recreate it"), rule="replace-pod", path="spec"))
    return tuple(found)


def _resources(spec: Fields) -> list[Any]:
    return [item.get("resources") for _index, item in items(spec, "containers") if item.get("resources")]


def _images(spec: Fields) -> list[str]:
    return [text(item, "image") for _index, item in items(spec, "containers")]
