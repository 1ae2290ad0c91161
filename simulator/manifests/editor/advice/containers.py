"""Advice about containers, except for images, probes, resources and termination."""

from collections.abc import Iterator

from simulator.engine.apiserver.validation.pod_rules import fields, items, number, text
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.manifests.editor.advice.advisers import CONTAINER, AdviceScene, ContainerPlace, Hint, advice
from simulator.manifests.texts import _


@advice(
    "host-port",
    CONTAINER,
    why=gettext_noop(
        "The port is taken on the node itself: only one such pod fits on a node, and a rolling update has no room for the next."
    ),
    doc="concepts/configuration/overview/#services",
)
def host_port(place: ContainerPlace, scene: AdviceScene) -> Iterator[Hint]:
    """A hostPort."""
    for index, port in items(place.value, "ports"):
        given = number(port, "hostPort")
        # With hostNetwork the host port merely repeats the container port.
        if given and not place.owner.spec.get("hostNetwork"):
            yield Hint(path=f"{place.path}.ports[{index}].hostPort", message=_("only one pod per node can use port %d") % given)


@advice(
    "env-duplicate",
    CONTAINER,
    why=gettext_noop("The last one with a given name silently wins; kubectl apply merges by name and may keep the wrong one."),
    doc="tasks/inject-data-application/define-environment-variable-container/",
)
def env_duplicate(place: ContainerPlace, scene: AdviceScene) -> Iterator[Hint]:
    """A variable that is set twice."""
    seen: set[str] = set()
    for index, entry in items(place.value, "env"):
        name = text(entry, "name")
        if name and name in seen:
            yield Hint(path=f"{place.path}.env[{index}].name", message=_('variable "%s" is already set above') % name)
        seen.add(name)


@advice(
    "port-duplicate",
    CONTAINER,
    why=gettext_noop("kubectl apply merges ports by number, so one of the two can disappear with the next change."),
    doc="concepts/services-networking/service/#field-spec-ports",
)
def port_duplicate(place: ContainerPlace, scene: AdviceScene) -> Iterator[Hint]:
    """A port that is listed twice."""
    seen: set[tuple[int | None, str]] = set()
    for index, port in items(place.value, "ports"):
        number_ = number(port, "containerPort")
        key = (number_, text(port, "protocol") or "TCP")
        if number_ is not None and key in seen:
            yield Hint(path=f"{place.path}.ports[{index}].containerPort", message=_("port %d is already listed above") % number_)
        seen.add(key)


@advice(
    "sub-path-not-updated",
    CONTAINER,
    why=gettext_noop(
        "A mount with subPath is a copy from the moment the container started: changes to the ConfigMap or Secret never reach it."
    ),
    doc="concepts/configuration/configmap/#mounted-configmaps-are-updated-automatically",
)
def sub_path(place: ContainerPlace, scene: AdviceScene) -> Iterator[Hint]:
    """A single file of a ConfigMap or Secret, mounted by subPath."""
    volumes = {text(volume, "name"): volume for _index, volume in items(place.owner.spec, "volumes")}
    for index, mount in items(place.value, "volumeMounts"):
        volume = volumes.get(text(mount, "name"), {})
        if text(mount, "subPath") and ("configMap" in volume or "secret" in volume):
            yield Hint(path=f"{place.path}.volumeMounts[{index}].subPath", message=_("this file is not updated while the container runs"))


@advice(
    "privileged",
    CONTAINER,
    why=gettext_noop("The container is root on the node: anyone who gets into it owns every pod there."),
    doc="concepts/security/pod-security-standards/#baseline",
)
def privileged(place: ContainerPlace, scene: AdviceScene) -> Iterator[Hint]:
    """A privileged container."""
    if fields(place.value, "securityContext").get("privileged") is True:
        yield Hint(path=f"{place.path}.securityContext.privileged", message=_("the container has full privileges on its node"))


@advice(
    "env-plain-secret",
    CONTAINER,
    why=gettext_noop("Anyone who can read the pod can read the value, even with kubectl describe; a Secret can be protected from them."),
    doc="concepts/configuration/secret/",
)
def plain_secret(place: ContainerPlace, scene: AdviceScene) -> Iterator[Hint]:
    """A password or token as a plain value."""
    for index, entry in items(place.value, "env"):
        name, value = text(entry, "name").upper(), text(entry, "value")
        # $(NAME) refers to another variable.
        if value and "$(" not in value and name.endswith(("PASSWORD", "PASSWD", "_TOKEN", "SECRET_KEY", "API_KEY")):
            yield Hint(path=f"{place.path}.env[{index}].value", message=_("the manifest contains a secret in plain text"))
