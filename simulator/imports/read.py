"""Find pods with their Events in a text. Other objects are kept if the simulation can use them, and reported if not.

Each object is checked by itself, and problems name its line. A pod must come from a cluster (creation time, status) and
have values that an API server could have stored, because the engine computes with them.
"""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from simulator.engine.apiserver.validation.names import label_problems, subdomain_problems
from simulator.engine.apiserver.validation.pod_rules import GROUPS, items
from simulator.engine.kernel.errors import BadManifest
from simulator.engine.kernel.units import Ms
from simulator.engine.model.manifest import pod_from_document, without_nulls
from simulator.engine.versions.minors import NEWEST
from simulator.imports.moments import BadMoment, moment
from simulator.imports.printed import printed_for_people
from simulator.imports.texts import _, ngettext
from simulator.manifests.check.decodable import UNDECODABLE
from simulator.manifests.check.schema import check_structure
from simulator.manifests.problems import ERROR, WARNING, Problem, sorted_problems
from simulator.manifests.read.loader import RawDocument, load
from simulator.manifests.read.nodes import ReadLimits

PODS_MAX = 20
LIMITS = ReadLimits(bytes_max=2_000_000, nodes_max=200_000, documents_max=3000)
COMPANIONS = ("ConfigMap", "PersistentVolumeClaim", "Service", "PodDisruptionBudget", "PriorityClass")
"""Kinds that are created along with the pods if the text has them. Secrets are never read: stand-ins replace them."""


_LEAST = {
    **dict.fromkeys(("priority", "tolerationSeconds"), -(2**63)),
    **dict.fromkeys(("periodSeconds", "timeoutSeconds", "successThreshold", "failureThreshold"), 1),
    **dict.fromkeys(("activeDeadlineSeconds", "terminationGracePeriodSeconds"), 1),
}
"""The smallest numbers that fields of a stored spec may hold, if that is not 0."""
_ANY_NUMBER = frozenset({"spec.terminationGracePeriodSeconds"})
"""Paths where the API server only warns about a negative number (rule GRACE-NEGATIVE); a probe's field of that name is refused."""


class Event(Struct, frozen=True, kw_only=True):
    """An Event about a pod, from either API group. Moments are milliseconds since the Unix epoch; ``exact`` refers to ``first_ms``."""

    type: str
    reason: str
    message: str
    component: str
    field_path: str
    count: int
    first_ms: Ms
    last_ms: Ms
    exact: bool
    path: str


class SeenPod(Struct, frozen=True, kw_only=True):
    """A pod as the API server held it, with the Events about it in order of their first time. ``path`` names it for readers."""

    document: dict[str, Any]
    events: tuple[Event, ...]
    path: str

    @property
    def metadata(self) -> dict[str, Any]:
        """Its metadata."""
        found: dict[str, Any] = self.document["metadata"]
        return found

    @property
    def spec(self) -> dict[str, Any]:
        """Its spec."""
        found: dict[str, Any] = self.document["spec"]
        return found

    @property
    def status(self) -> dict[str, Any]:
        """Its status."""
        found: dict[str, Any] = self.document["status"]
        return found


class Reading(Struct, frozen=True, kw_only=True):
    """The contents of a text. ``companions`` are other objects to create, ``nodes`` the Nodes; ``problems`` say what was left out."""

    pods: tuple[SeenPod, ...] = ()
    companions: tuple[dict[str, Any], ...] = ()
    nodes: tuple[dict[str, Any], ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether it can be imported."""
        return bool(self.pods) and all(problem.severity != ERROR for problem in self.problems)


class _BadImport(Exception):
    def __init__(self, path: str, message: str) -> None:
        super().__init__(message)
        self.path = path
        self.message = message


def read(text: str | bytes) -> Reading:
    """Find pods and events; never raises because of anything in the text. Cost: O(text)."""
    loaded = load(text, limits=LIMITS)
    problems: list[Problem] = list(loaded.problems)
    pods: list[RawDocument] = []
    events: list[RawDocument] = []
    companions: list[dict[str, Any]] = []
    nodes: list[dict[str, Any]] = []
    ignored: dict[str, RawDocument] = {}
    for raw in loaded.documents:
        kind = raw.value.get("kind") if isinstance(raw.value, dict) else None
        if not isinstance(kind, str):
            problems.append(_problem(raw, "kind", _("an object needs a kind: paste the output of kubectl get -o yaml"), "not-an-object"))
        elif kind == "Pod":
            pods.append(raw)
        elif kind == "Event":
            events.append(raw)
        elif kind in COMPANIONS:
            companions.append(_bare(raw.value))
        elif kind == "Node":
            nodes.append(without_nulls(raw.value))
        else:
            ignored.setdefault(kind, raw)
    if not pods and not events and (printed := printed_for_people(text)) is not None:
        return Reading(problems=(printed,))
    problems += (_left_out(raw, kind) for kind, raw in ignored.items())
    found = _with_events(pods, events, problems)
    if not pods and not any(problem.severity == ERROR for problem in problems):
        message = _("this text contains no Pod: paste the output of kubectl get pod,events -o yaml")
        problems.append(Problem(severity=ERROR, message=message, code="no-pod", line=1))
    if len(pods) > PODS_MAX:
        problems.append(_problem(pods[PODS_MAX], "", _("at most %d pods can be imported at once") % PODS_MAX, "too-many-pods"))
    return Reading(pods=tuple(found), companions=tuple(companions), nodes=tuple(nodes), problems=sorted_problems(problems))


def _problem(raw: RawDocument, path: str, message: str, code: str, severity: str = ERROR) -> Problem:
    line, column = raw.locate(path, key=True)
    return Problem(severity=severity, message=message, code=code, line=line, column=column, document=raw.index, path=path)


def _left_out(raw: RawDocument, kind: str) -> Problem:
    return _problem(raw, "kind", _("objects of kind %s are ignored") % kind, "left-out", WARNING)


def _bare(document: dict[str, Any]) -> dict[str, Any]:
    """An object without the metadata and status that the API server maintains."""
    metadata = _map(document.get("metadata"))
    kept = {key: value for key, value in metadata.items() if key in ("name", "namespace", "labels", "annotations")}
    return {**{key: value for key, value in document.items() if key != "status"}, "metadata": kept}


def _with_events(pods: list[RawDocument], events: list[RawDocument], problems: list[Problem]) -> list[SeenPod]:
    found: list[SeenPod] = []
    read_events: list[tuple[RawDocument, dict[str, Any], Event]] = []
    for raw in events:
        try:
            read_events += [(raw, _about(raw.value), _event(raw))]
        except _BadImport as bad:
            problems.append(_problem(raw, bad.path, bad.message, "bad-event"))
    taken: set[int] = set()
    uids: set[str] = set()
    for raw in pods:
        try:
            document = _checked(raw)
        except _BadImport as bad:
            problems.append(_problem(raw, bad.path, bad.message, "bad-pod"))
            continue
        # The same pod twice, as in two outputs pasted together: the first one counts.
        if document["metadata"]["uid"] in uids:
            continue
        uids.add(document["metadata"]["uid"])
        mine = [n for n, (_raw, about, _event_) in enumerate(read_events) if _is_about(about, document["metadata"])]
        taken.update(mine)
        ordered = sorted((read_events[n][2] for n in mine), key=lambda event: (event.first_ms, event.last_ms))
        found.append(SeenPod(document=document, events=tuple(ordered), path=f"pod/{document['metadata']['name']}"))
    left = len(read_events) - len(taken)
    if left and found:
        text = ngettext("%d event is about another object and is ignored", "%d events are about other objects and are ignored", left)
        raw = next(raw for n, (raw, _about_, _event_) in enumerate(read_events) if n not in taken)
        problems.append(_problem(raw, "", text % left, "other-events", WARNING))
    return found


def _checked(raw: RawDocument) -> dict[str, Any]:
    """The pod in a document. Raises _BadImport with the path of anything an imported pod must have."""
    document: dict[str, Any] = without_nulls(raw.value)
    for part in ("metadata", "spec", "status"):
        if not isinstance(document.get(part), dict):
            raise _BadImport(part, _("this is a manifest, not a pod from a cluster: %s is missing") % part)
    metadata, spec, status = document["metadata"], document["spec"], document["status"]
    if not isinstance(metadata.get("name"), str) or not metadata["name"]:
        raise _BadImport("metadata.name", _("the pod has no name"))
    _moment_at(metadata, "creationTimestamp", "metadata", needed=True)
    metadata["namespace"] = str(metadata.get("namespace") or "default")
    metadata["uid"] = str(metadata.get("uid") or f"{metadata['namespace']}/{metadata['name']}")
    if not isinstance(spec.get("containers"), list) or not spec["containers"]:
        raise _BadImport("spec.containers", _("the pod has no containers"))
    try:
        pod_from_document(document)
    except BadManifest as error:
        raise _BadImport(error.path, error.problem) from None
    _check_names(metadata, spec)
    _check_status(status)
    _check_values(document)
    _moment_at(metadata, "deletionTimestamp", "metadata")
    return document


def _check_names(metadata: dict[str, Any], spec: dict[str, Any]) -> None:
    """Check that names are valid: the keys of pods and containers are built from them."""
    names = [("metadata.name", metadata["name"], subdomain_problems), ("metadata.namespace", metadata["namespace"], label_problems)]
    for group in GROUPS:
        names += [(f"spec.{group}[{n}].name", str(item.get("name")), label_problems) for n, item in items(spec, group)]
    for path, name, check in names:
        if problems := check(name):
            raise _BadImport(path, problems[0])


def _check_values(document: dict[str, Any]) -> None:
    """Check that the newest API server could have stored the values: the engine computes with quantities and numbers as they are."""
    if problem := value_problem(document):
        raise _BadImport(*problem)


def value_problem(document: dict[str, Any]) -> tuple[str, str] | None:
    """Path and problem of a pod's first value that no API server could have stored; None if there is none."""
    for found in check_structure({**document, "apiVersion": "v1", "kind": "Pod"}, minor=NEWEST, lenient=True):
        if found.code in UNDECODABLE:
            return found.path, found.message
    path, least = next(_too_low(document.get("spec"), "spec"), ("", 0))
    return (path, _("must be at least %d") % least) if path else None


def _too_low(value: Any, path: str) -> Iterator[tuple[str, int]]:
    """Paths of numbers below the API server's minimum, with that minimum. A negative period would make time run backwards."""
    if isinstance(value, dict):
        for name, held in value.items():
            inner, least = f"{path}.{name}", _LEAST.get(name, 0)
            if isinstance(held, int) and not isinstance(held, bool) and inner not in _ANY_NUMBER and held < least:
                yield inner, least
            yield from _too_low(held, inner)
    elif isinstance(value, list):
        for n, held in enumerate(value):
            yield from _too_low(held, f"{path}[{n}]")


def _check_status(status: dict[str, Any]) -> None:
    _moment_at(status, "startTime", "status")
    for name in ("conditions", "containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"):
        items = status.get(name)
        if items is None:
            status[name] = []
            continue
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            raise _BadImport(f"status.{name}", _("must be a list of objects"))
        for n, item in enumerate(items):
            path = f"status.{name}[{n}]"
            if name == "conditions":
                if not isinstance(item.get("type"), str):
                    raise _BadImport(path, _("a condition needs a type"))
                _moment_at(item, "lastTransitionTime", path)
            else:
                _check_container(item, path)


def _check_container(item: dict[str, Any], path: str) -> None:
    if not isinstance(item.get("name"), str):
        raise _BadImport(path, _("a container status needs a name"))
    count = item.get("restartCount", 0)
    if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count < 10**7:
        raise _BadImport(f"{path}.restartCount", _("must be a whole number"))
    for name in ("state", "lastState"):
        state = item.get(name) or {}
        if not isinstance(state, dict) or not all(isinstance(part, dict) for part in state.values()):
            raise _BadImport(f"{path}.{name}", _("must be waiting, running or terminated"))
        for kind, part in state.items():
            for field in ("startedAt", "finishedAt"):
                _moment_at(part, field, f"{path}.{name}.{kind}")
            code = part.get("exitCode", 0)
            if isinstance(code, bool) or not isinstance(code, int):
                raise _BadImport(f"{path}.{name}.{kind}.exitCode", _("must be a whole number"))


def _moment_at(holder: dict[str, Any], field: str, path: str, *, needed: bool = False) -> Ms | None:
    try:
        found = moment(holder.get(field))
    except BadMoment as bad:
        raise _BadImport(f"{path}.{field}", str(bad)) from None
    if found is None and needed:
        raise _BadImport(
            f"{path}.{field}" if field in holder else path, _("%s is missing: this is a manifest, not a pod from a cluster") % field
        )
    return found


def _about(value: dict[str, Any]) -> dict[str, Any]:
    about = value.get("involvedObject") or value.get("regarding")
    return about if isinstance(about, dict) else {}


def _is_about(about: dict[str, Any], metadata: dict[str, Any]) -> bool:
    if about.get("kind") != "Pod" or about.get("name") != metadata["name"]:
        return False
    if (about.get("namespace") or "default") != metadata["namespace"]:
        return False
    # A uid with a slash was generated here (see _checked), so the text has none to compare.
    return not about.get("uid") or "/" in metadata["uid"] or about["uid"] == metadata["uid"]


def _map(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _event(raw: RawDocument) -> Event:
    """An Event of v1 or events.k8s.io/v1."""
    value: dict[str, Any] = without_nulls(raw.value)
    metadata, series = _map(value.get("metadata")), _map(value.get("series"))
    source = _map(value.get("source") or value.get("deprecatedSource"))
    written = _moment_at(value, "eventTime", "")
    first = _first(_moment_at(value, name, "") for name in ("firstTimestamp", "deprecatedFirstTimestamp"))
    last = _first(_moment_at(value, name, "") for name in ("lastTimestamp", "deprecatedLastTimestamp"))
    observed = _moment_at(series, "lastObservedTime", "series")
    created = _moment_at(metadata, "creationTimestamp", "metadata")
    began = _first((written, first, created, last, observed))
    if began is None:
        raise _BadImport("", _("an event needs a time: firstTimestamp, eventTime or metadata.creationTimestamp"))
    # An Event of events.k8s.io is counted in its series, one of v1 in count.
    counts = [series.get("count"), value.get("count"), value.get("deprecatedCount")]
    count = max((item for item in counts if isinstance(item, int) and not isinstance(item, bool)), default=1)
    component = value.get("reportingComponent") or value.get("reportingController") or source.get("component") or ""
    return Event(
        type=str(value.get("type") or "Normal"),
        reason=str(value.get("reason") or ""),
        message=str(value.get("message") or value.get("note") or ""),
        component=str(component),
        field_path=str(_about(value).get("fieldPath") or ""),
        count=max(count, 1),
        first_ms=began,
        last_ms=max(began, _first((last, observed)) or began, observed or began),
        exact=written is not None,
        path=f"event/{metadata.get('name') or value.get('reason') or ''}",
    )


def _first(moments: Iterator[Ms | None] | tuple[Ms | None, ...]) -> Ms | None:
    return next((item for item in moments if item is not None), None)
