"""The verbs that speak to the API server about objects: delete, evict, patch, replace, label, bind, set-image, exec, debug."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from simulator.engine.api.kinds import KindInfo, kind_of
from simulator.engine.commands import (
    AnyCommand,
    BindPod,
    DebugPod,
    DeleteNamespace,
    DeleteNode,
    DeleteObject,
    DeletePod,
    DeletePods,
    EvictPod,
    ExecInContainer,
    LabelNode,
    PatchObject,
    PatchPod,
    ReplaceObject,
)
from simulator.manifests.check import check_text
from simulator.manifests.script_step import BadStep, Step
from simulator.manifests.texts import _

_POD_KINDS = ("pod", "pods", "po")
_NODE_KINDS = ("node", "nodes", "no")
_NAMESPACE_KINDS = ("namespace", "namespaces", "ns")
_PATCH_TYPES = ("merge", "strategic", "json")
_SUBRESOURCES = ("", "status", "resize", "ephemeralcontainers")
_CASCADES = {"background": "Background", "foreground": "Foreground", "orphan": "Orphan"}


def _delete(step: Step) -> Iterator[AnyCommand]:
    step.only("kind", "names", "all", "selector", "collection", "gracePeriodSeconds", "force", "now", "cascade", "preconditions")
    kind = step.field("kind", str, "Pod")
    if kind.lower() in _NAMESPACE_KINDS:
        for name in _names(step):
            yield DeleteNamespace(name=name)
        return
    if kind.lower() in _NODE_KINDS:
        for name in _names(step):
            yield DeleteNode(node=name)
        return
    if kind.lower() not in _POD_KINDS or step.field("preconditions", dict) or step.field("cascade", str):
        yield from _delete_objects(step, kind)
        return
    grace_s, force = _grace(step)
    if step.field("all", bool, False) or step.field("collection", bool, False) or step.field("selector", (str, dict)) is not None:
        collection = step.field("collection", bool, False)
        selector = _selector(step)
        yield DeletePods(namespace=step.namespace, selector=selector, collection=collection, grace_s=grace_s, force=force)
        return
    for name in _names(step):
        yield DeletePod(target=f"{step.namespace}/{name}", grace_s=grace_s, force=force)


def _delete_objects(step: Step, word: str) -> Iterator[AnyCommand]:
    """Objects by their names, with what a DELETE may say besides."""
    kind = _kind(step, word)
    cascade = step.field("cascade", str, "background")
    if cascade not in _CASCADES:
        raise BadStep(_("cascade is one of %s") % ", ".join(_CASCADES), "delete.cascade")
    asked = step.field("preconditions", dict, {})
    several = step.field("all", bool, False) or step.field("selector", (str, dict)) is not None
    for name in [""] if several else _names(step):
        yield DeleteObject(
            kind=kind.kind,
            namespace=step.namespace if kind.namespaced else "",
            name=name,
            selector=",".join(f"{key}={text}" for key, text in _selector(step).items()),
            grace_s=_grace(step)[0],
            propagation=_CASCADES[cascade],
            uid=str(asked.get("uid") or ""),
            resource_version=str(asked.get("resourceVersion") or ""),
        )


def _kind(step: Step, word: str) -> KindInfo:
    """The kind that a word means: a kind, a plural or a short name."""
    info = kind_of(word)
    if info is None:
        raise BadStep(_('"%(verb)s" of kind "%(kind)s" is not supported') % {"verb": step.verb, "kind": word}, f"{step.verb}.kind")
    return info


def _evict(step: Step) -> Iterator[AnyCommand]:
    step.only("pod", "names", "gracePeriodSeconds")
    names = _names(step) if step.field("names", list) is not None else [step.needed("pod", str)]
    for name in names:
        yield EvictPod(target=f"{step.namespace}/{name}", grace_s=step.field("gracePeriodSeconds", int))


def _bind(step: Step) -> Iterator[AnyCommand]:
    step.only("pod", "node")
    yield BindPod(target=step.target(), node=step.needed("node", str))


def _replace(step: Step) -> Iterator[AnyCommand]:
    if not isinstance(step.body, str):
        raise BadStep(_("%s takes the text of a manifest") % step.verb, step.verb)
    checked = check_text(step.body, kubernetes=step.kubernetes, namespace=step.namespace, gates=step.gates)
    step.problems.extend(checked.problems)
    if checked.ok:
        for document in checked.documents:
            yield ReplaceObject(document=document.json, namespace=step.namespace)


def _grace(step: Step) -> tuple[int | None, bool]:
    """Grace period and force as the API server will see them: kubectl sends an unforced 0 as 1, and --now as 1."""
    force, grace_s = step.field("force", bool, False), step.field("gracePeriodSeconds", int)
    if grace_s == 0 and step.sent_to_api:
        force = True  # what --force --grace-period=0 asks of the API server
    elif grace_s == 0 or step.field("now", bool, False):
        grace_s = 1
    return (0 if force else grace_s), force


def _names(step: Step) -> list[str]:
    names = step.needed("names", list)
    if not names or not all(isinstance(name, str) for name in names):
        raise BadStep(_("names must be a list of pod names"), "delete.names")
    return list(names)


def _selector(step: Step) -> dict[str, str]:
    """Equality selectors, as ``a=b,c=d`` or as a map."""
    given = step.field("selector", (str, dict))
    if given is None:
        return {}
    if isinstance(given, str):
        parts = [part.replace("==", "=").partition("=") for part in given.split(",")]
        given = {key.strip(): value.strip() for key, equals, value in parts if equals}
        if len(given) != len(parts):
            raise BadStep(_("a selector is key=value, several joined by commas"), "delete.selector")
    return {str(key): str(value) for key, value in given.items()}


def _patched(step: Step, body: dict[str, Any], *, kind: str = "strategic", subresource: str = "") -> PatchPod:
    target = f"{step.namespace}/{step.needed('name', str)}"
    return PatchPod(target=target, patch=json.dumps(body), kind=kind, subresource=subresource)


def _pod_only(step: Step) -> None:
    kind = step.field("kind", str, "Pod")
    if kind.lower() not in _POD_KINDS:
        raise BadStep(_('"%(verb)s" of kind "%(kind)s" is not supported') % {"verb": step.verb, "kind": kind}, f"{step.verb}.kind")


def _patch(step: Step) -> Iterator[AnyCommand]:
    step.only("kind", "name", "type", "subresource", "body")
    info = _kind(step, step.field("kind", str, "Pod"))
    how = step.field("type", str, "strategic")
    if how not in _PATCH_TYPES:
        raise BadStep(_("type is one of %s") % ", ".join(_PATCH_TYPES), "patch.type")
    subresource = step.field("subresource", str, "")
    if subresource not in (_SUBRESOURCES if info.kind == "Pod" else _SUBRESOURCES[:2]):
        raise BadStep(_('the subresource "%s" is not supported') % subresource, "patch.subresource")
    body = step.needed("body", (dict, list))
    if info.kind == "Pod":
        yield _patched(step, body, kind=how, subresource=subresource)
        return
    yield PatchObject(
        kind=info.kind,
        namespace=step.namespace if info.namespaced else "",
        name=step.needed("name", str),
        patch=json.dumps(body),
        patch_kind=how,
        subresource=subresource,
    )


def _label(step: Step) -> Iterator[AnyCommand]:
    step.only("kind", "name", "labels")
    if step.field("kind", str, "Pod").lower() in _NODE_KINDS:
        yield LabelNode(node=step.needed("name", str), labels=_labels(step))
        return
    info = _kind(step, step.field("kind", str, "Pod"))
    body = {"metadata": {"labels": step.needed("labels", dict)}}
    if info.kind == "Pod":
        yield _patched(step, body, kind="merge")
        return
    space, name = step.namespace if info.namespaced else "", step.needed("name", str)
    yield PatchObject(kind=info.kind, namespace=space, name=name, patch=json.dumps(body), patch_kind="merge")


def _labels(step: Step) -> dict[str, str | None]:
    """Labels by key; null takes one away."""
    labels = step.needed("labels", dict)
    if not all(isinstance(key, str) and (text is None or isinstance(text, str)) for key, text in labels.items()):
        raise BadStep(_("labels must be a map of texts"), "label.labels")
    return dict(labels)


def _set_image(step: Step) -> Iterator[AnyCommand]:
    step.only("kind", "name", "container", "image")
    _pod_only(step)
    container = {"name": step.needed("container", str), "image": step.needed("image", str)}
    yield _patched(step, {"spec": {"containers": [container]}})


def _command(step: Step) -> tuple[str, ...]:
    command = step.field("command", list, [])
    if not all(isinstance(word, str) for word in command):
        raise BadStep(_("command must be a list of words"), f"{step.verb}.command")
    return tuple(command)


def _exec(step: Step) -> Iterator[AnyCommand]:
    step.only("pod", "container", "command")
    yield ExecInContainer(target=step.target(), container=step.field("container", str, ""), command=_command(step))


def _debug(step: Step) -> Iterator[AnyCommand]:
    step.only("pod", "container", "image", "target", "command")
    yield DebugPod(
        target=step.target(),
        container=step.needed("container", str),
        image=step.needed("image", str),
        command=_command(step),
        target_container=step.field("target", str, ""),
    )


OBJECT_VERBS: dict[str, Callable[[Step], Iterator[AnyCommand]]] = {
    "delete": _delete,
    "evict": _evict,
    "patch": _patch,
    "replace": _replace,
    "label": _label,
    "bind": _bind,
    "set-image": _set_image,
    "exec": _exec,
    "debug": _debug,
}
