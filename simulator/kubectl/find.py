"""What a command line is about: kinds by any of their names, and the objects that names and selectors pick.

Some objects are not stored but implied by others; a stored object of the same name takes precedence. Named objects keep
the order of the request, lists that of the API server, by namespace and name.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from msgspec import Struct

from simulator.engine.apiserver.answer import ApiError, not_found
from simulator.engine.apiserver.documents.custom import kind_in
from simulator.engine.apiserver.documents.event import event_documents
from simulator.engine.apiserver.documents.implied import implied, with_token
from simulator.engine.apiserver.documents.lease import leases
from simulator.engine.apiserver.documents.objects import list_objects
from simulator.engine.apiserver.list_selectors import field_test
from simulator.engine.kernel.json_text import Json
from simulator.engine.model.kinds import KindInfo
from simulator.engine.model.selectors import BadSelector
from simulator.engine.versions.span import Span
from simulator.kubectl.line import BadLine, Line
from simulator.kubectl.tables.model import Sight
from simulator.kubectl.tables.selectors import parse_selector

ALL = ("Pod", "Service", "DaemonSet", "Deployment", "ReplicaSet", "StatefulSet", "HorizontalPodAutoscaler", "CronJob", "Job")
"""The kinds of ``get all`` in discovery order; in 1.20 CronJobs were beta and came after Jobs."""
_ALL_OF_1_20 = (*ALL[:-2], "Job", "CronJob")
_GROUP_NAMED = Span(since=37)
"""The kubectl versions that name the group in which they looked for a kind."""
_CRON_JOBS_FIRST = Span(since=21)
_SEPARATE = (
    "error: there is no need to specify a resource type as a separate argument when passing arguments in resource/name form "
    "(e.g. 'kubectl get resource/<resource_name>' instead of 'kubectl get resource resource/<resource_name>'"
)


class Picked(Struct, frozen=True):
    """The objects of one kind. ``missing`` are names that match no object; ``is_list`` means all were asked for, not names."""

    info: KindInfo
    items: tuple[Json, ...]
    missing: tuple[str, ...] = ()
    is_list: bool = True


NOTHING_NAMED = """error: You must provide one or more resources by argument or filename.
Example resource specifications include:
   '-f rsrc.yaml'
   '--filename=rsrc.json'
   '<resource> <name>'
   '<resource>'"""
"""The client's error for a line that names no object."""


def find_kind(word: str, sight: Sight) -> KindInfo:
    """The kind with this plural, singular, short or full name. Raises BadLine."""
    info = kind_in(sight.world, word) or _by_version(word, sight) or _by_group(word, sight)
    if info is None:
        plural, _, group = word.partition(".")
        where = f' in group "{group}"' if group and _GROUP_NAMED.holds_for(sight.minor) else ""
        raise BadLine(f'error: the server doesn\'t have a resource type "{plural}"{where}')
    return info


def _by_group(word: str, sight: Sight) -> KindInfo | None:
    """The kind that ``deploy.apps`` names, by any of its names."""
    name, _, group = word.partition(".")
    info = kind_in(sight.world, name) if group else None
    return info if info is not None and info.group == group else None


def _by_version(word: str, sight: Sight) -> KindInfo | None:
    """The kind that ``deployments.v1.apps`` names: plural, version and group."""
    plural, _, rest = word.partition(".")
    # ``pods.v1.``: what has no second dot is a group.
    version, dot, group = rest.partition(".")
    info = kind_in(sight.world, plural) if version and dot else None
    served = f"{group}/{version}" if group else version
    return info if info is not None and served in info.api_versions(sight.minor) else None


def namespace_of(line: Line, sight: Sight) -> str:
    """The namespace that the line asks for; empty for all."""
    return "" if line.has("all-namespaces") else line.value("namespace") or sight.namespace


def documents_of(info: KindInfo, sight: Sight) -> list[Json]:
    """Every object of a kind, by namespace and name."""
    if info.kind == "Event":
        return event_documents(sight.world, sight.now_ms)
    if info.kind == "Lease":
        return list(leases(sight.world))
    stored = list_objects(sight.world, info.kind)
    if info.kind == "ServiceAccount":
        stored = [with_token(sight.world, item) for item in stored]
    taken = {_place(item) for item in stored}
    added = [item for item in implied(sight.world, info.kind) if _place(item) not in taken]
    return sorted([*stored, *added], key=_place) if added else stored


def _place(document: Json) -> tuple[str, str]:
    return document["metadata"].get("namespace") or "", document["metadata"]["name"]


def pick(line: Line, sight: Sight) -> list[Picked]:
    """What the line is about, kind by kind. Raises BadLine."""
    if line.sent:
        return list(_of_input(line, sight))
    first = line.words[0]
    # One pair makes every word a pair: kubectl does not mix the two forms.
    if any("/" in word for word in line.words):
        return _by_pairs(line, sight)
    kinds = [info for word in first.split(",") for info in _kinds(word, sight)]
    names = line.words[1:]
    if names and (line.value("selector") or line.value("field-selector")):
        raise BadLine("error: name cannot be provided when a selector is specified")
    if names and line.has("all-namespaces"):
        raise BadLine("error: a resource cannot be retrieved by name across all namespaces")
    if names:
        return [_named(info, names, line, sight) for info in kinds]
    return [Picked(info, tuple(_selected(info, line, sight))) for info in kinds]


def _of_input(line: Line, sight: Sight) -> Iterator[Picked]:
    """The objects of the input, in order; consecutive ones of a kind form a group, as kubectl prints them."""
    for kind, group in groupby(line.sent, key=lambda item: item[0]):
        info = find_kind(kind, sight)
        here = {_place(item): item for item in documents_of(info, sight)}
        places = [(space if info.namespaced else "", name) for _, space, name in group]
        found = tuple(here[place] for place in places if place in here)
        yield Picked(info, found, tuple(place[1] for place in places if place not in here), is_list=False)


def _kinds(word: str, sight: Sight) -> list[KindInfo]:
    return (
        [find_kind(kind, sight) for kind in (ALL if _CRON_JOBS_FIRST.holds_for(sight.minor) else _ALL_OF_1_20)]
        if word == "all"
        else [find_kind(word, sight)]
    )


def _by_pairs(line: Line, sight: Sight) -> list[Picked]:
    """``pod/a svc/b``: the names of each kind together, kinds in order of first appearance."""
    names: dict[str, list[str]] = {}
    for word in line.words:
        kind, slash, name = word.partition("/")
        if not slash or not name:
            raise BadLine(_SEPARATE)
        names.setdefault(find_kind(kind, sight).kind, []).append(name)
    return [_named(find_kind(kind, sight), items, line, sight) for kind, items in names.items()]


def _named(info: KindInfo, names: Sequence[str], line: Line, sight: Sight) -> Picked:
    space = namespace_of(line, sight)
    here = {item["metadata"]["name"]: item for item in documents_of(info, sight) if not info.namespaced or _place(item)[0] == space}
    found = tuple(here[name] for name in names if name in here)
    if len(found) < len(names) and info.namespaced and line.verb != "delete":
        check_namespace(space, sight)
    return Picked(info, found, tuple(name for name in names if name not in here), is_list=False)


def check_namespace(space: str, sight: Sight) -> None:
    """Raise BadLine if a namespace does not exist: the client looks it up if it cannot find an object there.

    Source: k8s.io/cli-runtime pkg/resource (Info.Get).
    """
    if space and not is_namespace(space, sight):
        raise BadLine(not_found("namespaces", space).answer.kubectl)


def is_namespace(space: str, sight: Sight) -> bool:
    """Whether the cluster has this namespace."""
    return space == "default" or any(item["metadata"]["name"] == space for item in documents_of(find_kind("ns", sight), sight))


def _selected(info: KindInfo, line: Line, sight: Sight) -> Iterator[Json]:
    space = namespace_of(line, sight) if info.namespaced else ""
    try:
        fits_labels = parse_selector(line.value("selector"))
    except BadSelector as error:
        raise BadLine(_unfindable(info, line, sight, str(error))) from None
    fits_fields = _field_test(info, line, sight)
    for item in documents_of(info, sight):
        if space and _place(item)[0] != space:
            continue
        if fits_labels(item["metadata"].get("labels") or {}) and fits_fields(item):
            yield item


def _field_test(info: KindInfo, line: Line, sight: Sight) -> Callable[[Json], bool]:
    """``status.phase=Running,spec.nodeName!=node1``. Raises BadLine."""
    text = line.value("field-selector")
    try:
        return field_test(info.kind, text, minor=sight.minor)
    except ApiError as error:
        raise BadLine(_unfindable(info, line, sight, error.answer.message)) from None


def _unfindable(info: KindInfo, line: Line, sight: Sight, why: str) -> str:
    """The client's message if the server does not accept a selector."""
    api_version = info.api_version(sight.minor)
    resource = f"{api_version if info.group else f'/{api_version}'}, Resource={info.plural}"
    found = f'label selector "{line.value("selector")}", field selector "{line.value("field-selector")}"'
    return f'Error from server (BadRequest): Unable to find "{resource}" that match {found}: {why}'


def missing_text(picked: Picked) -> list[str]:
    """``Error from server (NotFound): pods "x" not found`` for every name without an object."""
    return [not_found(picked.info.plural, name, group=picked.info.group).answer.kubectl for name in picked.missing]
