"""Whether the API server would accept a new Pod: its parts in the order in which the API server lists its causes.

A refused pod comes back with all its errors, and their order is what kubectl prints. It follows
upstream's calls: metadata, annotations, volumes, resource claims, app containers, init containers,
ephemeral containers, the rest of the spec, and last what concerns the pod as a whole. Here that
walk is written out as data: for each list of containers a sequence of parts, each the scope of
rules about the container itself or a step into one of its lists.

Two things are carried along the walk. Volumes that are valid are remembered by name, since a mount
of an invalid volume counts as one that is not found. And names, ports and paths that may not repeat
are remembered per list: an init container's name must differ from those of all app containers,
which come before it, but two lists of ports do not see each other.

The walk changed with 1.26, when init and ephemeral containers got functions of their own. Before,
they were validated as lists of ordinary containers, first for everything that containers have in
common and then again for what they may not have; errors came in another order, some at paths of a
list with one item (``containers_judged_by_group``).
"""

from collections.abc import Callable, Iterator

from simulator.engine.apiserver.validation import metadata_rules
from simulator.engine.apiserver.validation import pod_rules as scopes
from simulator.engine.apiserver.validation.errors import FieldError
from simulator.engine.apiserver.validation.pod import affinity as affinity_rules
from simulator.engine.apiserver.validation.pod import annotation as annotation_rules
from simulator.engine.apiserver.validation.pod import container as container_rules
from simulator.engine.apiserver.validation.pod import dns as dns_rules
from simulator.engine.apiserver.validation.pod import env as env_rules
from simulator.engine.apiserver.validation.pod import host as host_rules
from simulator.engine.apiserver.validation.pod import mount as mount_rules
from simulator.engine.apiserver.validation.pod import placing as placing_rules
from simulator.engine.apiserver.validation.pod import pod_resource as pod_resource_rules
from simulator.engine.apiserver.validation.pod import probe as probe_rules
from simulator.engine.apiserver.validation.pod import projected as projected_rules
from simulator.engine.apiserver.validation.pod import remote_volume as remote_volume_rules
from simulator.engine.apiserver.validation.pod import resource as resource_rules
from simulator.engine.apiserver.validation.pod import restart as restart_rules
from simulator.engine.apiserver.validation.pod import security as security_rules
from simulator.engine.apiserver.validation.pod import spec as spec_rules
from simulator.engine.apiserver.validation.pod import volume as volume_rules
from simulator.engine.apiserver.validation.pod import windows as windows_rules
from simulator.engine.apiserver.validation.pod_rules import Context, Fields, Place, Rule, RuleRun, containers, fields, items, rules_of, text
from simulator.engine.versions.release import Release

_MODULES = (
    *(metadata_rules, annotation_rules, volume_rules, remote_volume_rules, projected_rules, container_rules, env_rules, mount_rules),
    *(resource_rules, pod_resource_rules, security_rules, windows_rules, probe_rules, restart_rules, host_rules, dns_rules),
    *(affinity_rules, placing_rules, spec_rules),
)
"""Imported for their rules."""
Found = Iterator[tuple[Rule, FieldError]]
Part = Callable[[RuleRun, Place], Found] | str
"""A part of a container: the scope of rules about the container itself, or a function that runs the rules of something inside it."""


def validate_pod(pod: Fields, *, release: Release, defaulted: bool = False) -> Found:
    """The errors (and warnings: ``rule.warning``) of a new pod that passed the structural check. Cost: O(document), about 0.1 ms.

    In a pod as a user writes it, fields that get defaults may be missing; ``defaulted`` says that defaults and admission have been
    applied, so that whatever is still missing is an error.
    """
    whole, spec = Place("", pod), fields(pod, "spec")
    run = RuleRun(rules_of(release, defaulted=defaulted), Context(pod=pod, release=release, spec=spec, facts=release.facts))
    yield from run.at(scopes.METADATA, whole)
    yield from run.at(scopes.ANNOTATIONS, whole)
    yield from run.at(scopes.SPEC_START, whole)
    yield from _volumes(run, spec)
    yield from run.each(scopes.RESOURCE_CLAIM, Place("spec", spec), "resourceClaims")
    yield from run.at(scopes.CONTAINERS, whole)
    walk = _containers_until_1_25 if release.facts.containers_judged_by_group else _containers
    yield from walk(run, spec)
    yield from run.at(scopes.SPEC, whole)
    yield from run.at(scopes.WHOLE, whole)


def _volumes(run: RuleRun, spec: Fields) -> Found:
    """Check the volumes; only those without errors may be mounted."""
    for index, volume in items(spec, "volumes"):
        place = Place(f"spec.volumes[{index}]", volume)
        # Upstream validates the source before the name of a volume.
        found = [*_source(run, place), *run.at(scopes.VOLUME, place)]
        if not found:
            run.context.volumes[text(volume, "name")] = volume
        yield from found
        yield from run.at(scopes.VOLUME_CLAIM, place)


def _source(run: RuleRun, place: Place) -> Found:
    # Only the first source is validated; further ones are refused as such.
    for kind in volume_rules.sources_of(place.value)[:1]:
        value = fields(place.value, kind)
        yield from run.at(scopes.volume_source(kind), Place(f"{place.path}.{kind}", value, owner=place.value))


def _each(scope: str, key: str) -> Part:
    return lambda run, place: run.each(scope, place, key)


def _inside(scope: str, key: str) -> Part:
    def part(run: RuleRun, place: Place) -> Found:
        value = place.value.get(key)
        if isinstance(value, dict):
            yield from run.at(scope, Place(f"{place.path}.{key}", value, key, owner=place.value))

    return part


def _resources(run: RuleRun, place: Place) -> Found:
    value = fields(place.value, "resources")
    if not value:
        return
    path = f"{place.path}.resources"
    for scope, which in ((scopes.LIMIT, "limits"), (scopes.REQUEST, "requests")):
        for name, amount in fields(value, which).items():
            yield from run.at(scope, Place(f"{path}.{which}[{name}]", {"amount": amount}, name, owner=value))
    yield from run.at(scopes.RESOURCES, Place(path, value))


def _hooks(run: RuleRun, place: Place) -> Found:
    lifecycle = fields(place.value, "lifecycle")
    for hook in ("postStart", "preStop"):
        if isinstance(lifecycle.get(hook), dict):
            yield from run.at(scopes.HOOK, Place(f"{place.path}.lifecycle.{hook}", lifecycle[hook], hook))
    if lifecycle:
        yield from run.at(scopes.LIFECYCLE, Place(f"{place.path}.lifecycle", lifecycle))


_BASICS = (
    _each(scopes.PORT, "ports"),
    _each(scopes.ENV, "env"),
    _each(scopes.ENV_FROM, "envFrom"),
    _each(scopes.MOUNT, "volumeMounts"),
    _each(scopes.DEVICE, "volumeDevices"),
    scopes.PULL,
    _resources,
    _each(scopes.RESIZE, "resizePolicy"),
    _inside(scopes.SECURITY, "securityContext"),
)
_LIVENESS, _READINESS, _STARTUP = (_inside(scopes.PROBE, key) for key in ("livenessProbe", "readinessProbe", "startupProbe"))
_LONG_RUNNING = (_hooks, _LIVENESS, _READINESS, _STARTUP)
_HEAD = (scopes.CONTAINER, scopes.IMAGE, scopes.TERMINATION)
_NAMES_AND_PORTS = (scopes.SIBLING, scopes.HOST_PORTS)
_APP = (*_HEAD, *_BASICS, scopes.SIBLING, *_LONG_RUNNING, scopes.OWN_RESTART)
_SIDECAR = (*_HEAD, *_BASICS, scopes.OWN_RESTART, *_NAMES_AND_PORTS, *_LONG_RUNNING)
_INIT = (*_HEAD, *_BASICS, scopes.OWN_RESTART, *_NAMES_AND_PORTS, scopes.RUN_TO_END)
_EPHEMERAL = (
    *(*_HEAD, *_BASICS),
    *(scopes.EPHEMERAL_IMAGE, scopes.SIBLING, scopes.EPHEMERAL_TARGET, scopes.EPHEMERAL),
)
_OLD = (
    *(scopes.CONTAINER, scopes.SIBLING, scopes.IMAGE),
    *(_hooks, _LIVENESS, _STARTUP, scopes.TERMINATION, _READINESS),
    *_BASICS,
)


def _run_parts(run: RuleRun, place: Place, parts: tuple[Part, ...]) -> Found:
    for part in parts:
        yield from run.at(part, place) if isinstance(part, str) else part(run, place)


def _by_group(spec: Fields) -> dict[str, list[Place]]:
    """The containers by list; each list shares a memory that knows the names in the lists before it."""
    groups: dict[str, list[Place]] = {group: [] for group in scopes.GROUPS}
    names: set[str] = set()
    for place in containers(spec):
        first = not groups[place.group]
        if first:
            place.memory["name"] = set(names)
        groups[place.group].append(place)
        names.add(text(place.value, "name"))
    return groups


def _containers(run: RuleRun, spec: Fields) -> Found:
    groups = _by_group(spec)
    for place in groups["containers"]:
        yield from _run_parts(run, place, _APP)
    for place in groups["containers"]:
        yield from run.at(scopes.HOST_PORTS, place)
    for place in groups["initContainers"]:
        # Init containers run one at a time: they share names, but not host ports.
        alone = Place(place.path, place.value, place.group, {"name": place.memory["name"]})
        is_sidecar = place.value.get("restartPolicy") == "Always" and run.context.release.has("SidecarContainers")
        yield from _run_parts(run, alone, _SIDECAR if is_sidecar else _INIT)
    for place in groups["ephemeralContainers"]:
        yield from _run_parts(run, place, _EPHEMERAL)


def _containers_until_1_25(run: RuleRun, spec: Fields) -> Found:
    """Until 1.25 init containers were first checked as containers; the fields they may not have were checked after all of them.

    Each init container was checked alone for using a host port twice, and the path always names the first one.
    """
    groups = _by_group(spec)
    for place in groups["containers"]:
        yield from _run_parts(run, place, _OLD)
    for place in groups["containers"]:
        yield from run.at(scopes.HOST_PORTS, place)
    own_names: dict[str, set[str]] = {}
    for place in groups["initContainers"]:
        yield from _run_parts(run, Place(place.path, place.value, place.group, own_names), _OLD)
    for place in groups["initContainers"]:
        yield from run.at(scopes.HOST_PORTS, Place("spec.initContainers[0]", place.value, place.group))
    for place in groups["initContainers"]:
        yield from run.at(scopes.SIBLING, place)
        yield from run.at(scopes.RUN_TO_END, place)
    for place in groups["ephemeralContainers"]:
        yield from _ephemeral_until_1_25(run, place)


def _ephemeral_until_1_25(run: RuleRun, place: Place) -> Found:
    """Until 1.25 an ephemeral container was checked as if it were the only one in a list of its own, and the paths show it."""
    yield from run.at(scopes.EPHEMERAL_TARGET, place)
    if not text(place.value, "name"):
        yield from run.at(scopes.EPHEMERAL_NAME, place)
        return
    alone = Place(f"{place.path}[0]", place.value, place.group)
    yield from _run_parts(run, alone, (*_OLD, scopes.HOST_PORTS, scopes.EPHEMERAL_IMAGE))
    yield from run.at(scopes.SIBLING, place)
    yield from run.at(scopes.EPHEMERAL, place)
