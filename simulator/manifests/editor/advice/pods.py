"""Advice about the pod as a whole."""

from collections.abc import Iterator

from simulator.engine.apiserver.validation.pod_rules import fields, items, text
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.engine.versions.span import Span
from simulator.manifests.editor.advice.advisers import POD, AdviceScene, Hint, PodPlace, advice
from simulator.manifests.texts import _

_SYSTEM_CLASSES = ("system-cluster-critical", "system-node-critical")
_OLD_LABELS = {"beta.kubernetes.io/os": "kubernetes.io/os", "beta.kubernetes.io/arch": "kubernetes.io/arch"}
_OLD_VOLUMES = {
    "gitRepo": Span(since=11),
    "glusterfs": Span(since=25),
    "flocker": Span(since=22),
    "quobyte": Span(since=22),
    "storageos": Span(since=22),
    "scaleIO": Span(since=15),
    "photonPersistentDisk": Span(since=11),
}
"""Volume types by the minor version that deprecated or removed them."""


@advice(
    "service-account-alias",
    POD,
    why=gettext_noop("The old name still works; the server copies it to serviceAccountName and stores both."),
    doc="tasks/configure-pod-container/configure-service-account/",
)
def service_account(place: PodPlace, scene: AdviceScene) -> Iterator[Hint]:
    """The deprecated alias of serviceAccountName."""
    if text(place.spec, "serviceAccount") and not text(place.spec, "serviceAccountName"):
        yield Hint(path=f"{place.path}spec.serviceAccount", message=_("serviceAccount is a deprecated name"), at_key=True)


@advice(
    "priority-class-unknown",
    POD,
    why=gettext_noop("A pod that references a PriorityClass that does not exist is rejected on creation."),
    doc="concepts/scheduling-eviction/pod-priority-preemption/#pod-priority",
)
def priority_class(place: PodPlace, scene: AdviceScene) -> Iterator[Hint]:
    """A PriorityClass that exists neither in the text nor in the run."""
    name = text(place.spec, "priorityClassName")
    if not name or name in _SYSTEM_CLASSES or ("PriorityClass", "", name) in scene.known:
        return
    if all(fields(item.value, "metadata").get("name") != name for item in scene.of_kind("PriorityClass")):
        yield Hint(path=f"{place.path}spec.priorityClassName", message=_('there is no PriorityClass "%s" here') % name)


@advice(
    "empty-dir-memory-unlimited",
    POD,
    why=gettext_noop("Files in it are memory: they count against the containers’ limits, or against the node if there are none."),
    doc="concepts/storage/volumes/#emptydir",
)
def memory_volume(place: PodPlace, scene: AdviceScene) -> Iterator[Hint]:
    """A memory volume without a size limit."""
    for index, volume in items(place.spec, "volumes"):
        empty = fields(volume, "emptyDir")
        if empty.get("medium") == "Memory" and empty.get("sizeLimit") is None:
            yield Hint(path=f"{place.path}spec.volumes[{index}].emptyDir.medium", message=_("a memory volume without sizeLimit"))


@advice(
    "host-path",
    POD,
    why=gettext_noop(
        "The pod reads and writes files of whichever node it lands on: a different node means different "
        "files, and it is a way out of the container."
    ),
    doc="concepts/storage/volumes/#hostpath",
)
def host_path(place: PodPlace, scene: AdviceScene) -> Iterator[Hint]:
    """A directory on the node. DaemonSets are meant to use them."""
    if place.kind == "DaemonSet":
        return
    for index, volume in items(place.spec, "volumes"):
        if volume.get("hostPath") is not None:
            yield Hint(path=f"{place.path}spec.volumes[{index}].hostPath", message=_("the volume is a directory on the node"), at_key=True)


@advice(
    "host-network",
    POD,
    why=gettext_noop("Every port the containers open is a port on the node, and NetworkPolicies do not apply to the pod."),
    doc="concepts/security/pod-security-standards/#baseline",
)
def host_network(place: PodPlace, scene: AdviceScene) -> Iterator[Hint]:
    """The node's own network. DaemonSets often need it."""
    if place.spec.get("hostNetwork") is True and place.kind != "DaemonSet":
        yield Hint(path=f"{place.path}spec.hostNetwork", message=_("the pod uses the network of its node"))


@advice(
    "node-name-set",
    POD,
    why=gettext_noop(
        "This bypasses the scheduler: nothing checks whether the pod fits, and if the node does not exist, "
        "the pod is deleted after a minute."
    ),
    doc="concepts/scheduling-eviction/assign-pod-node/#nodename",
)
def node_name(place: PodPlace, scene: AdviceScene) -> Iterator[Hint]:
    """A pod bound to a node by its manifest."""
    # If the pod already runs, the scheduler wrote its nodeName.
    if text(place.spec, "nodeName") and ("Pod", place.namespace, text(fields(place.pod, "metadata"), "name")) not in scene.known:
        yield Hint(path=f"{place.path}spec.nodeName", message=_("the manifest itself chooses the node"))


@advice(
    "tolerates-everything",
    POD,
    why=gettext_noop("The pod also tolerates a node that is lost or shutting down: it is never evicted from there and replaced elsewhere."),
    doc="concepts/scheduling-eviction/taint-and-toleration/#taint-based-evictions",
)
def tolerates(place: PodPlace, scene: AdviceScene) -> Iterator[Hint]:
    """A toleration of every taint, forever. DaemonSets often need it."""
    for index, item in items(place.spec, "tolerations"):
        everything = item.get("operator") == "Exists" and not item.get("key") and item.get("tolerationSeconds") is None
        if everything and item.get("effect") in (None, "", "NoExecute") and place.kind != "DaemonSet":
            yield Hint(path=f"{place.path}spec.tolerations[{index}].operator", message=_("every taint is tolerated, forever"))


@advice(
    "label-deprecated",
    POD,
    why=gettext_noop("Nodes still carry the old label alongside the new one, but it is deprecated and may disappear in any release."),
    doc="reference/labels-annotations-taints/",
    since=14,
)
def old_label(place: PodPlace, scene: AdviceScene) -> Iterator[Hint]:
    """A node label that has been renamed."""
    for label in fields(place.spec, "nodeSelector"):
        if label in _OLD_LABELS:
            values = {"old": label, "new": _OLD_LABELS[label]}
            yield Hint(path=f"{place.path}spec.nodeSelector[{label}]", message=_("%(old)s is now called %(new)s") % values, at_key=True)


@advice(
    "volume-deprecated",
    POD,
    why=gettext_noop("This type is deprecated or removed: newer kubelets cannot mount it, and the pod stays in ContainerCreating."),
    doc="concepts/storage/volumes/#volume-types",
)
def old_volume(place: PodPlace, scene: AdviceScene) -> Iterator[Hint]:
    """A deprecated volume type."""
    for index, volume in items(place.spec, "volumes"):
        for name, deprecated in _OLD_VOLUMES.items():
            if volume.get(name) is not None and deprecated.holds_for(scene.minor):
                path = f"{place.path}spec.volumes[{index}].{name}"
                yield Hint(path=path, message=_("volumes of type %s are deprecated") % name, at_key=True)


@advice(
    "config-missing",
    POD,
    why=gettext_noop("A container that needs it waits: with CreateContainerConfigError for variables, in ContainerCreating for volumes."),
    doc="concepts/configuration/configmap/#configmaps-and-pods",
)
def config_missing(place: PodPlace, scene: AdviceScene) -> Iterator[Hint]:
    """A ConfigMap or Secret that exists neither in the text nor in the run. Not reported if the text contains only the pod."""
    for path, kind, name in _references(place):
        found = (kind, place.namespace, name) in scene.known
        in_text = any(item.value.get("metadata", {}).get("name") == name for item in scene.of_kind(kind))
        # A text with a single pod says nothing about what its cluster contains.
        if not found and not in_text and (len(scene.objects) > 1 or scene.known):
            yield Hint(path=path, message=_('there is no %(kind)s "%(name)s" here') % {"kind": kind, "name": name})


def _references(place: PodPlace) -> Iterator[tuple[str, str, str]]:
    """(path, kind, name) of the objects that must exist before a container starts."""
    for index, volume in items(place.spec, "volumes"):
        for key, kind, field in (("configMap", "ConfigMap", "name"), ("secret", "Secret", "secretName")):
            source = fields(volume, key)
            if text(source, field) and not source.get("optional"):
                yield f"{place.path}spec.volumes[{index}].{key}.{field}", kind, text(source, field)
    for group in ("initContainers", "containers"):
        for index, container in items(place.spec, group):
            base = f"{place.path}spec.{group}[{index}]"
            for n, entry in items(container, "env"):
                for key, kind in (("configMapKeyRef", "ConfigMap"), ("secretKeyRef", "Secret")):
                    source = fields(fields(entry, "valueFrom"), key)
                    if text(source, "name") and not source.get("optional"):
                        yield f"{base}.env[{n}].valueFrom.{key}.name", kind, text(source, "name")
            for n, entry in items(container, "envFrom"):
                for key, kind in (("configMapRef", "ConfigMap"), ("secretRef", "Secret")):
                    source = fields(entry, key)
                    if text(source, "name") and not source.get("optional"):
                        yield f"{base}.envFrom[{n}].{key}.name", kind, text(source, "name")
