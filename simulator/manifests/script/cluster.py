"""Cluster files: the nodes and images of a run (for the format see ``read_cluster``)."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from simulator.engine.acts.containers.image import SetImage
from simulator.engine.apiserver.validation.names import label_value_problems, qualified_name_problems, subdomain_problems
from simulator.engine.apiserver.wire.catalog import minor_in
from simulator.engine.apiserver.wire.field_paths import child
from simulator.engine.apiserver.wire.formats import is_quantity
from simulator.engine.containers.declared import BadBehaviour, parse_block
from simulator.engine.containers.docker import CONTAINERD, DOCKER
from simulator.engine.containers.docker import NAMES as RUNTIMES
from simulator.engine.containers.images.reference import with_default_tag
from simulator.engine.course.header import ScriptStep
from simulator.engine.model.quantity import QUANTITY_RULE
from simulator.engine.model.system import LINUX
from simulator.engine.model.system import NAMES as SYSTEMS
from simulator.engine.network.internet import CHOICES, REACHABLE
from simulator.engine.versions.release import release_of
from simulator.engine.world.cluster import ClusterSpec, ImageSpec, NodeSpec
from simulator.manifests.check.findings import Finding
from simulator.manifests.problems import ERROR, INFO, Problem, sorted_problems
from simulator.manifests.read.loader import RawDocument, load
from simulator.manifests.script.cluster_eviction import eviction_fields, eviction_findings
from simulator.manifests.script.cluster_fields import unknown_fields
from simulator.manifests.script.cluster_shutdown import shutdown_fields, shutdown_findings
from simulator.manifests.script.durations import duration_ms
from simulator.manifests.script.node_size import USUAL
from simulator.manifests.texts import _

NODES_MAX = 1000
NODES_USUAL = 3
_KEPT = "terminated-pod-gc-threshold"
INT32_MAX = 2**31 - 1
OS_LABEL = "kubernetes.io/os"
EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_SECTIONS = ("kubernetes", "nodes", "images", "internet", "runtime", _KEPT)
_NODE_FIELDS = ("name", "labels", "taints", "capacity", "allocatable", "joins", "os", "shutdown", "eviction")
_TAINT_FIELDS = ("key", "value", "effect")
_IMAGE_FIELDS = ("present", "pullable", "missing", "stand-ins", "platforms", "registry")
_REGISTRY_FIELDS = ("unknown-repository", "unknown-tag", "seconds-per-request")
"""What recordings note down about their registry."""


class ClusterFile(Struct, frozen=True, kw_only=True):
    """The contents of a cluster file. ``kubernetes`` is "" if it names no version."""

    spec: ClusterSpec
    kubernetes: str = ""
    problems: tuple[Problem, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the cluster can be used."""
        return all(problem.severity != ERROR for problem in self.problems)


def default_cluster() -> ClusterSpec:
    """Three equal nodes, node-1 to node-3, which can pull any valid image name."""
    return ClusterSpec(nodes=equal_nodes(NODES_USUAL, USUAL))


def equal_nodes(count: int, size: dict[str, str]) -> tuple[NodeSpec, ...]:
    """``count`` nodes of one size, node-1 and so on."""
    names = (f"node-{number}" for number in range(1, count + 1))
    return tuple(NodeSpec(name=name, labels=_default_labels(name), capacity=size, allocatable=size) for name in names)


def _default_labels(name: str, os: str = LINUX) -> dict[str, str]:
    return {"kubernetes.io/arch": "amd64", OS_LABEL: os, "kubernetes.io/hostname": name}


def read_cluster(text: str | bytes) -> ClusterFile:
    """Read a cluster file; never raises because of anything in the text::

        kubernetes: "1.30"
        nodes:
        - {name: node1, labels: {…}, taints: [{key: k, value: v, effect: NoSchedule}], capacity: {…}, allocatable: {…}}
        - name: node2
          joins: 60s                         # registers only then
          os: linux                          # or windows; default: the label kubernetes.io/os, otherwise linux
          shutdown: {grace: 30s, critical: 10s}   # the time pods get when the node shuts down; or by-priority: [{priority, seconds}]
          eviction:                          # thresholds below which the kubelet evicts; hard ones replace the defaults
            hard: {memory.available: 100Mi, nodefs.available: 10%}
            soft: {memory.available: 500Mi}
            soft-grace: {memory.available: 1m30s}
            max-pod-grace: 30s
        internet: reachable                  # a few external hosts answer (network/internet.py); or none
        runtime: containerd                  # or docker, up to 1.23 and on Linux nodes
        images:
          present: [nginx:latest]            # on every node
          pullable: {example:1.0: 6s}        # with the duration of a pull
          missing: [example:2.0]             # the registry knows the repository, but not (yet) this image
          stand-ins: {nginx: {…}}            # behaviour blocks that replace what is known about an image
          platforms: {example/app: [windows]}  # the operating systems that an image is built for
        terminated-pod-gc-threshold: 3       # how many finished pods are kept, like the flag of kube-controller-manager; 0: all

    With an ``images`` section all other images are missing; without one every image can be pulled. A file without nodes gets
    those of the default cluster.
    """
    loaded = load(text)
    if not loaded.documents:
        missing = Problem(severity=ERROR, message=_("the cluster file is empty"), code="cluster", line=1)
        # There is always a spec; callers check the problems first.
        return ClusterFile(spec=default_cluster(), problems=loaded.problems or (missing,))
    document = loaded.documents[0]
    value = document.value if isinstance(document.value, dict) else {}
    problems = [*loaded.problems, *(_placed(document, finding) for finding in _findings(document.value))]
    if len(loaded.documents) > 1:
        message = _("a cluster file is a single document: anything from here on would be ignored")
        problems.append(Problem(severity=ERROR, message=message, code="cluster", line=loaded.documents[1].node.line, document=1))
    # _spec does not check anything: it relies on a file without errors.
    if any(problem.severity == ERROR for problem in problems):
        return ClusterFile(spec=default_cluster(), problems=sorted_problems(problems))
    version = str(value.get("kubernetes") or "")
    kubernetes = f"1.{minor_in(version)}" if version else ""
    return ClusterFile(spec=_spec(value), kubernetes=kubernetes, problems=sorted_problems(problems))


def _placed(document: RawDocument, finding: Finding) -> Problem:
    line, column = document.locate(finding.path, key=finding.at_key)
    return Problem(
        severity=finding.severity,
        message=finding.message,
        code="cluster",
        line=line,
        column=column,
        path=finding.path,
        hint=finding.hint,
    )


def _bad(path: str, message: str) -> Finding:
    return Finding(path=path, message=message, code="cluster")


def _findings(value: Any) -> Iterator[Finding]:
    if not isinstance(value, dict):
        yield _bad("", _("a cluster file must be a map with nodes and images"))
        return
    yield from unknown_fields("", value, _SECTIONS)
    try:
        minor_in(str(value.get("kubernetes") or "1.0"))
    except ValueError:
        yield _bad("kubernetes", _("kubernetes must be a version such as 1.30, in quotes"))
    if value.get("internet", REACHABLE) not in CHOICES:
        yield _bad("internet", _("internet must be one of %s") % ", ".join(CHOICES))
    yield from _runtime_findings(value)
    yield from _node_findings(value.get("nodes"))
    yield from _image_findings(value.get("images"))
    kept = value.get(_KEPT)
    if kept is not None and (not isinstance(kept, int) or isinstance(kept, bool) or abs(kept) > INT32_MAX):
        yield _bad(_KEPT, _("must be a whole number"))


def _runtime_findings(value: dict[str, Any]) -> Iterator[Finding]:
    runtime = value.get("runtime", CONTAINERD)
    if runtime not in RUNTIMES:
        yield _bad("runtime", _("runtime must be one of %s") % ", ".join(RUNTIMES))
    elif runtime == DOCKER:
        if any(_system_of(node) != LINUX for node in _list_of_maps(value.get("nodes"))):
            yield _bad("runtime", _("docker is simulated only on Linux nodes"))
        problem = runtime_problem(DOCKER, str(value.get("kubernetes") or ""))
        if problem:
            yield _bad("runtime", problem)


def _list_of_maps(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _system_of(node: dict[str, Any]) -> str:
    labels = node.get("labels")
    return os_of(node.get("os"), labels if isinstance(labels, dict) else {})


def runtime_problem(runtime: str, kubernetes: str) -> str:
    """Why a version (may be empty or unknown) cannot use that container runtime; empty if it can."""
    if runtime != DOCKER or not kubernetes:
        return ""
    try:
        minor = minor_in(kubernetes)
    except ValueError:
        return ""
    return "" if release_of(minor).facts.dockershim else _("the kubelet has had no dockershim since 1.24, so the runtime cannot be docker")


def _node_findings(nodes: Any) -> Iterator[Finding]:
    if nodes is None:
        return
    if not isinstance(nodes, list) or not nodes or len(nodes) > NODES_MAX:
        yield _bad("nodes", _("nodes must be a list of 1 to %d nodes") % NODES_MAX)
        return
    names: list[Any] = []
    for index, node in enumerate(nodes):
        path = f"nodes[{index}]"
        name = node.get("name") if isinstance(node, dict) else None
        if not isinstance(name, str) or not name or name in names:
            yield _bad(path, _("a node needs a unique name"))
            continue
        names.append(name)
        yield from unknown_fields(path, node, _NODE_FIELDS)
        yield from (_bad(f"{path}.name", problem) for problem in subdomain_problems(name))
        yield from _label_findings(f"{path}.labels", node.get("labels"))
        yield from _taint_findings(f"{path}.taints", node.get("taints"))
        for key in ("capacity", "allocatable"):
            yield from _quantity_findings(f"{path}.{key}", node.get(key))
        if node.get("joins") is not None and duration_ms(node["joins"]) is None:
            yield _bad(f"{path}.joins", _('a duration is written as "6s" or "500ms"'))
        yield from _os_findings(path, node)
        yield from eviction_findings(f"{path}.eviction", node.get("eviction"))
        yield from shutdown_findings(f"{path}.shutdown", node.get("shutdown"))


def _os_findings(path: str, node: dict[str, Any]) -> Iterator[Finding]:
    """Checks that the operating system is supported and that a label for it agrees."""
    labels = node.get("labels")
    label = labels.get(OS_LABEL) if isinstance(labels, dict) else None
    if "os" in node and node["os"] not in SYSTEMS:
        yield _bad(f"{path}.os", _("os must be one of %s") % ", ".join(SYSTEMS))
    elif "os" in node and label is not None and label != node["os"]:
        yield _bad(child(f"{path}.labels", OS_LABEL), _("the kubelet sets this label to the os of its node, %s") % node["os"])


def _label_findings(path: str, value: Any) -> Iterator[Finding]:
    if value is not None and not (isinstance(value, dict) and all(isinstance(item, str) for item in value.values())):
        yield _bad(path, _("must be a map of strings"))
        return
    for name, text in (value or {}).items():
        problems = (*qualified_name_problems(str(name)), *label_value_problems(text))
        yield from (_bad(child(path, name), problem) for problem in problems)


def _taint_findings(path: str, taints: Any) -> Iterator[Finding]:
    for index, taint in enumerate(taints if isinstance(taints, list) else ()):
        good = isinstance(taint, dict) and isinstance(taint.get("key"), str) and taint.get("effect") in EFFECTS
        if not good or not isinstance(taint.get("value") or "", str):
            yield _bad(f"{path}[{index}]", _("a taint has a key, a value and one of the effects %s") % ", ".join(EFFECTS))
        if isinstance(taint, dict):
            yield from unknown_fields(f"{path}[{index}]", taint, _TAINT_FIELDS)
    if taints is not None and not isinstance(taints, list):
        yield _bad(path, _("taints must be a list"))


def _quantity_findings(path: str, value: Any) -> Iterator[Finding]:
    if value is not None and not isinstance(value, dict):
        yield _bad(path, _("must be a map of quantities"))
        return
    for name, quantity in (value or {}).items():
        if not is_quantity(quantity):
            yield _bad(child(path, name), QUANTITY_RULE)


def _image_findings(images: Any) -> Iterator[Finding]:
    if images is None:
        return
    if not isinstance(images, dict):
        yield _bad("images", _("images must be a map"))
        return
    yield from unknown_fields("images", images, _IMAGE_FIELDS)
    yield from _registry_findings(images.get("registry"))
    present, pullable, stand_ins = (images.get(key) for key in ("present", "pullable", "stand-ins"))
    if present is not None and not (isinstance(present, list) and all(isinstance(name, str) for name in present)):
        yield _bad("images.present", _("present must be a list of image names"))
    missing = images.get("missing")
    if missing is not None and not (isinstance(missing, list) and all(isinstance(name, str) for name in missing)):
        yield _bad("images.missing", _("missing must be a list of image names"))
    if pullable is not None and not isinstance(pullable, dict):
        yield _bad("images.pullable", _("pullable must be a map of image name to pull time"))
    for name, pull in (pullable if isinstance(pullable, dict) else {}).items():
        if duration_ms(pull) is None:
            yield _bad(child("images.pullable", name), _('a duration is written as "6s" or "500ms"'))
    platforms = images.get("platforms")
    if platforms is not None and not (isinstance(platforms, dict) and all(_is_list_of_systems(names) for names in platforms.values())):
        yield _bad("images.platforms", _("platforms must be a map of image name to a list with at least one of %s") % ", ".join(SYSTEMS))
    if stand_ins is not None and not (isinstance(stand_ins, dict) and all(isinstance(block, dict) for block in stand_ins.values())):
        yield _bad("images.stand-ins", _("stand-ins must be a map of image name to behaviour block"))
        return
    for name, block in (stand_ins or {}).items():
        try:
            parse_block(json.dumps(block))
        except BadBehaviour as error:
            yield _bad(child("images.stand-ins", name), str(error))


def _registry_findings(registry: Any) -> Iterator[Finding]:
    if registry is None:
        return
    if not isinstance(registry, dict):
        yield _bad("images.registry", _("must be a map"))
        return
    yield from unknown_fields("images.registry", registry, _REGISTRY_FIELDS)
    message = _("%s has no effect in the simulation") % "registry"
    yield Finding(path="images.registry", message=message, code="not-modelled", severity=INFO, at_key=True)


def _is_list_of_systems(names: Any) -> bool:
    return isinstance(names, list) and bool(names) and all(name in SYSTEMS for name in names)


def _spec(value: dict[str, Any]) -> ClusterSpec:
    """The cluster of a file without errors."""
    images = value.get("images")
    nodes = tuple(_node(node) for node in value["nodes"]) if value.get("nodes") else default_cluster().nodes
    whole = ClusterSpec(
        nodes=nodes,
        internet=value.get("internet", REACHABLE),
        runtime=value.get("runtime", CONTAINERD),
        terminated_pod_gc_threshold=value.get(_KEPT),
    )
    if images is None:
        return whole
    present = tuple(ImageSpec(name=name, present=True) for name in images.get("present") or ())
    pullable = tuple(ImageSpec(name=name, pull_ms=duration_ms(pull) or 0) for name, pull in (images.get("pullable") or {}).items())
    missing = tuple(ImageSpec(name=name, available=False) for name in images.get("missing") or ())
    stand_ins = {name: json.dumps(block) for name, block in (images.get("stand-ins") or {}).items()}
    platforms = {name: tuple(systems) for name, systems in (images.get("platforms") or {}).items()}
    return replace(whole, images=(*present, *pullable, *missing), unlisted_images="missing", stand_ins=stand_ins, platforms=platforms)


def with_awaited_images(cluster: ClusterSpec, script: Sequence[ScriptStep]) -> ClusterSpec:
    """The cluster with the images that a script makes available later listed as missing at first.

    A script that adds an image implies that the registry knows its repository; the engine itself does not look ahead.
    """
    listed = {with_default_tag(image.name) for image in cluster.images}
    offers = [step.command for step in script if isinstance(step.command, SetImage)]
    # Reversed, so that if several steps add an image, the time of the first one is kept.
    awaited = {command.image: command.pull_ms for command in reversed(offers) if with_default_tag(command.image) not in listed}
    images = (ImageSpec(name=name, available=False, pull_ms=pull_ms) for name, pull_ms in awaited.items())
    return replace(cluster, images=(*cluster.images, *images))


def _node(node: dict[str, Any]) -> NodeSpec:
    name = node["name"]
    capacity = _quantities(node.get("capacity")) or USUAL
    os = os_of(node.get("os"), node.get("labels") or {})
    return NodeSpec(
        name=name,
        labels=node.get("labels") or _default_labels(name, os),
        os=os,
        taints=tuple(f"{taint['key']}={taint.get('value') or ''}:{taint['effect']}" for taint in node.get("taints") or ()),
        capacity=capacity,
        allocatable=_quantities(node.get("allocatable")) or capacity,
        joins_ms=duration_ms(node["joins"]) or 0 if node.get("joins") is not None else 0,
        **eviction_fields(node.get("eviction") or {}),
        **shutdown_fields(node.get("shutdown") or {}),
    )


def os_of(given: object, labels: Mapping[str, Any]) -> str:
    """The operating system of a node: ``given`` if it is supported, otherwise its label, otherwise Linux."""
    return next((str(name) for name in (given, labels.get(OS_LABEL)) if name in SYSTEMS), LINUX)


def _quantities(value: dict[str, Any] | None) -> dict[str, str]:
    return {name: str(quantity) for name, quantity in (value or {}).items()}
