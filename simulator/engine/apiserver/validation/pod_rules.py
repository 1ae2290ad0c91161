"""The registry of validation rules: small functions with an id, a scope and their versions.

A rule looks at one *place* (the pod, one volume, one container, one port …) and yields field
errors. Documents have passed the structural check before, so that every value has the type its
schema says; what a rule expects may still be missing.

The scopes are the points in upstream's call tree at which rules of ours can be inserted without
changing the order of errors; that is why there are several for a container (its head, its image,
what comes after its siblings) where one would do to find the fields. ``pod.whole`` walks the pod
and runs one scope after the other. Within a scope rules run in the order of ``pod_order``, or
else of their registration, hence the order of imports in ``pod.whole`` matters.

A rule applies to a span of minor versions, or to releases with a feature gate on. Two flags
distinguish rules. ``defaulted`` rules require what defaulting or admission should have filled in,
and only run for such documents: an editor checks a manifest without them. ``pods_only`` rules do
not apply to templates, from which pods are created later.

The rules of a release are selected once and cached; a field named by ``of`` saves the call of a
rule that would have nothing to check, since most pods use few fields.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any

from msgspec import Struct, field

from simulator.engine.apiserver.validation.errors import FieldError
from simulator.engine.apiserver.validation.pod_order import rank_of
from simulator.engine.versions.facts import Facts
from simulator.engine.versions.release import Release
from simulator.engine.versions.span import OPEN, Span

METADATA = "metadata"
ANNOTATIONS = "annotations"
SPEC_START = "spec start"
VOLUME = "volume"
VOLUME_CLAIM = "volume claim"
RESOURCE_CLAIM = "resource claim"
CONTAINERS = "containers"
CONTAINER = "container"
SIBLING = "sibling"
IMAGE = "image"
TERMINATION = "termination message"
PORT = "port"
ENV = "env"
ENV_FROM = "envFrom"
MOUNT = "mount"
DEVICE = "device"
PULL = "pull"
LIMIT = "limit"
REQUEST = "request"
RESOURCES = "resources"
RESIZE = "resize policy"
SECURITY = "security"
HOOK = "hook"
PROBE = "probe"
LIFECYCLE = "lifecycle"
HOST_PORTS = "host ports"
OWN_RESTART = "own restart"
RUN_TO_END = "run to end"
EPHEMERAL = "ephemeral"
EPHEMERAL_NAME = "ephemeral name"
EPHEMERAL_IMAGE = "ephemeral image"
EPHEMERAL_TARGET = "ephemeral target"
SPEC = "spec"
WHOLE = "whole"

GROUPS = ("containers", "initContainers", "ephemeralContainers")

Fields = dict[str, Any]


def volume_source(kind: str) -> str:
    """The scope of rules for one kind of volume."""
    return f"volume {kind}"


class Place(Struct, frozen=True):
    """A part of the pod with its field path.

    ``group`` is its kind among similar parts (the list of a container, the kind of a probe); ``memory`` is shared by the items
    of one list, for values they may not repeat; ``owner`` is the container a part belongs to.
    """

    path: str
    value: Fields
    group: str = ""
    memory: dict[str, set[str]] = field(default_factory=dict)
    owner: Fields = field(default_factory=dict)

    @property
    def is_plain_init(self) -> bool:
        """Whether this is an init container that runs to its end (not a sidecar)."""
        return self.group == "initContainers" and self.value.get("restartPolicy") != "Always"

    def is_repeated(self, topic: str, value: str) -> bool:
        """Whether an earlier item of the list has the same value for ``topic``; remembers it for later ones."""
        # The memory belongs to the list, not to the item: all its places share one.
        seen = self.memory.setdefault(topic, set())
        if value in seen:
            return True
        seen.add(value)
        return False


class Context(Struct, frozen=True, kw_only=True):
    """What rules may use beyond their place; ``volumes`` holds the valid volumes by name, as far as they have been checked."""

    pod: Fields
    release: Release
    spec: Fields = field(default_factory=dict)
    facts: Facts
    volumes: dict[str, Fields] = field(default_factory=dict)

    @property
    def minor(self) -> int:
        """The minor version whose rules run."""
        return self.release.minor

    @property
    def name(self) -> str:
        """The name of the pod; empty if it is to be generated."""
        return text(fields(self.pod, "metadata"), "name")


Check = Callable[[Place, Context], Iterable[FieldError]]


class Rule(Span, frozen=True, kw_only=True):
    """A rule of some versions; a ``warning`` does not reject the object.

    ``of`` is the field that the rule is about: if it is missing or empty, there is nothing to check. It is a field of the metadata or of
    the pod's spec for rules that check these, else of the place.
    A gate ``since_gate`` introduces the rule and a gate ``until_gate`` ends it, in place of a first and a last version.

    A ``defaulted`` rule requires what must be set once defaults and admission have been applied, and applies to such documents only.
    A rule for ``pods_only`` does not apply to pod templates.
    """

    id: str
    scope: str
    check: Check
    warning: bool
    defaulted: bool
    pods_only: bool
    since_gate: str
    until_gate: str
    of: str

    def is_of(self, release: Release) -> bool:
        """Whether the release has the rule."""
        comes, goes = self.since_gate, self.until_gate
        return self.holds_for(release.minor) and (not comes or release.has(comes)) and not (goes and release.has(goes))


RULES: list[Rule] = []


def rule(  # noqa: PLR0913 - a declaration, not a call
    rule_id: str,
    scope: str,
    *,
    since: int = 0,
    until: int = OPEN,
    warning: bool = False,
    defaulted: bool = False,
    pods_only: bool = False,
    since_gate: str = "",
    until_gate: str = "",
    of: str = "",
) -> Callable[[Check], Check]:
    """Register the decorated function; rules run in the order of their registration within a scope."""

    def register(check: Check) -> Check:
        assert all(known.id != rule_id for known in RULES), rule_id
        RULES.append(
            Rule(
                id=rule_id,
                scope=scope,
                check=check,
                since=since,
                until=until,
                warning=warning,
                defaulted=defaulted,
                pods_only=pods_only,
                since_gate=since_gate,
                until_gate=until_gate,
                of=of,
            )
        )
        return check

    return register


_OF_METADATA = (METADATA, ANNOTATIONS)
_OF_SPEC = (SPEC_START, SPEC, WHOLE)
RulesByScope = dict[str, tuple[Rule, ...]]


@lru_cache(maxsize=256)
def rules_of(release: Release, *, defaulted: bool) -> RulesByScope:
    """The rules of a release by scope, in their order."""
    found: dict[str, list[Rule]] = {}
    for known in RULES:
        if known.is_of(release) and (defaulted or not known.defaulted):
            found.setdefault(known.scope, []).append(known)
    return {scope: tuple(sorted(rules, key=lambda known: rank_of(known.id))) for scope, rules in found.items()}


class RuleRun(Struct, frozen=True):
    """The rules of one version, to be run on the places of one pod."""

    rules: RulesByScope
    context: Context

    def at(self, scope: str, place: Place) -> Iterator[tuple[Rule, FieldError]]:
        """The errors of a place by the rules of a scope."""
        holder = self.context.spec if scope in _OF_SPEC else place.value
        if scope in _OF_METADATA:
            found = holder.get("metadata")
            holder = found if isinstance(found, dict) else {}
        for known in self.rules.get(scope, ()):
            if known.of and not holder.get(known.of):
                continue
            for error in known.check(place, self.context):
                yield known, error

    def each(self, scope: str, place: Place, key: str) -> Iterator[tuple[Rule, FieldError]]:
        """The errors of each item of a list in a container by the rules of a scope."""
        listed = place.value.get(key)
        if not listed:
            return
        memory: dict[str, set[str]] = {}
        for index, item in items(place.value, key):
            yield from self.at(scope, Place(f"{place.path}.{key}[{index}]", item, place.group, memory, place.value))


def fields(value: Fields, key: str) -> Fields:
    """The map in a field; empty when there is none."""
    found = value.get(key)
    return found if isinstance(found, dict) else {}


def items(value: Fields, key: str) -> list[tuple[int, Fields]]:
    """(position, map) of the items of a list field."""
    found = value.get(key)
    return [(index, item) for index, item in enumerate(found) if isinstance(item, dict)] if isinstance(found, list) else []


def texts(value: Fields, key: str) -> list[str]:
    """The strings of a list field."""
    found = value.get(key)
    return [item for item in found if isinstance(item, str)] if isinstance(found, list) else []


def text(value: Fields, key: str) -> str:
    """The string in a field; empty when there is none."""
    found = value.get(key)
    return found if isinstance(found, str) else ""


def number(value: Fields, key: str) -> int | None:
    """The whole number in a field, or None."""
    found = value.get(key)
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def containers(spec: Fields) -> Iterator[Place]:
    """The containers of a spec in the order in which the API server validates them."""
    for group in GROUPS:
        memory: dict[str, set[str]] = {}
        for index, container in items(spec, group):
            yield Place(f"spec.{group}[{index}]", container, group, memory)


def visited(spec: Fields) -> Iterator[Place]:
    """The containers of a spec in the order of upstream's visitor: init containers first."""
    # podutil.VisitContainers has this order; validation itself starts with the app containers.
    for group in ("initContainers", "containers", "ephemeralContainers"):
        for index, container in items(spec, group):
            yield Place(f"spec.{group}[{index}]", container, group)
