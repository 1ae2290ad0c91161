"""Roles: how an act refers to its target where names differ from run to run.

``deployment/default/web[oldest]`` is the oldest pod of a Deployment. Controllers generate the names of
their pods, so a name is valid for one seed and version only. A role names the owner, whose name a
user wrote, and a place among what it owns; it is looked up at the moment the act is
carried out. Ownership is followed through intermediate controllers, so a Deployment's pods are those
of its ReplicaSets, and by uid, so that the pods of a deleted Deployment are not those of a new one
with the same name.

Places: ``oldest``, ``youngest``, a number (``2`` is the second oldest), ``node=NAME`` (the oldest
on that node) and ``all``. They go by creation order, never by name. Pods that are being
deleted or have finished count only if no other pod matches; ``terminating`` and ``finished`` (or
``terminating=2``) select those.

``=NAME`` may follow the role: what had the role when it was clicked on. If the run has, or
ever had, a pod of that name, that pod is the target, whatever the place refers to by then: a click
on a pod that has gone in the meantime must not hit another one. Only if the run never had that
name, with another seed or version, does the place decide.

Pods of StatefulSets and mirror pods have the same names with every seed and are referred to by name.
"""

import re
from collections.abc import Callable, Sequence
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from simulator.engine.kernel.command import Command
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.engine.kernel.units import Key, Scalar, Subject
from simulator.engine.model.kinds import kind_of
from simulator.engine.model.meta import OwnerReference
from simulator.engine.projection.text import Text, fill, needed
from simulator.engine.workloads.refs import is_active, managers_of
from simulator.engine.world.lookups import objects_of, pods_in
from simulator.engine.world.rows import PodRow
from simulator.engine.world.world import ApiObject, Tables

PLACES = "oldest, youngest, 1, 2, …, node=NAME, all, terminating, finished"
"""The valid places, for error messages."""
NAMED_BY_ORDINAL = ("StatefulSet", "Node")
"""Controllers whose pods have the same names with every seed."""
_ROLE = re.compile(r"(?P<kind>[a-z]+)/(?P<namespace>[^/\[\]]+)/(?P<owner>[^/\[\]]+)\[(?P<place>[^\[\]]+)\](?:=(?P<name>[^/\[\]]+))?")
_PLACE = re.compile(r"oldest|youngest|all|[1-9]\d{0,5}|node=[^=\s]+|(?:terminating|finished)(?:=[1-9]\d{0,5})?")
_SHORT = re.compile(r"[a-z]+/[^/\[\]]+\[[^\[\]]+\](?:=[^/\[\]]+)?")

LISTED = re.compile(r"(?P<namespace>[^/]+)/\[(?P<number>\d{1,4})\]")
"""Not a role: a pod by its index in the list of a namespace's pods by name."""

C = TypeVar("C", bound=Command)
Row = TypeVar("Row", PodRow, ApiObject)


class BadRole(Exception):
    """A text in brackets that is not a role: what is wrong with it, as a message id with its values."""

    def __init__(self, msgid: str, **values: Scalar) -> None:
        super().__init__(fill(msgid, values))
        self.text = Text(msgid, tuple(values.items()))


class Role(Struct, frozen=True):
    """An owner and a place among what it owns. ``name`` is what had the role when it was chosen, "" if unknown."""

    kind: str
    namespace: str
    owner: str
    place: str
    name: str = ""

    @property
    def text(self) -> str:
        """The role as written, without the name."""
        return f"{self.subject}[{self.place}]"

    @property
    def subject(self) -> Subject:
        """The record subject of the owner."""
        return f"{self.kind}/{self.namespace}/{self.owner}"


def role_of(text: str) -> Role | None:
    """The role in a text; None for a plain name. Raises BadRole."""
    if "[" not in text:
        return None
    match = _ROLE.fullmatch(text)
    if match is None:
        raise BadRole(gettext_noop("“{text}” is not a role; write kind/namespace/owner[place]"), text=text)
    if not _PLACE.fullmatch(match["place"]):
        raise BadRole(gettext_noop("“{place}” is not a place; use one of {places}"), place=match["place"], places=PLACES)
    return Role(match["kind"], match["namespace"], match["owner"], match["place"], match["name"] or "")


def key_in_namespace(namespace: str, name: str) -> str:
    """A pod's key from its name within a namespace: ``web`` or, as a role, ``deployment/web[oldest]``, possibly with its own namespace."""
    if "[" not in name or "/" not in name:
        return f"{namespace}/{name}"
    kind, _, rest = name.partition("/")
    return f"{kind}/{namespace}/{rest}" if _SHORT.fullmatch(name) else name


def written_in(command: C, namespace: str) -> C:
    """The command with the complete role, if it was written without its namespace or with one in front of it. Raises BadRole."""
    found = {name: getattr(command, name, "") for name in ("target", "name")}
    roles = {
        name: key_in_namespace(namespace, text.removeprefix(f"{namespace}/"))
        for name, text in found.items()
        if isinstance(text, str) and "/" in text and "[" in text and not LISTED.fullmatch(text)
    }
    for text in roles.values():
        role_of(text)
    return replace(command, **roles) if roles else command


def target_text(text: str) -> str:
    """How a target is displayed: by the pod's name if it is known, else as written."""
    try:
        role = role_of(text)
    except BadRole:
        return text
    if role is None:
        return text
    return f"{role.namespace}/{role.name}" if role.name else role.text


def target_words(text: str, *, of_pods: bool) -> str | Text:
    """A target in words: the pod's name if it is known, else its role, ``the oldest pod of Deployment web``.

    ``of_pods`` is False if the sentence has already named the kind: ``ReplicaSet (the oldest of Deployment web)``.
    """
    try:
        role = role_of(text)
    except BadRole:
        return text
    return target_text(text) if role is None or role.name else role_words(role, of_pods=of_pods)


def role_words(role: Role, *, of_pods: bool = True) -> Text:
    """A role in words. Its namespace is included unless it is the default one."""
    place, _, which = role.place.partition("=")
    if role.place.isdigit():
        place, which = "nth", role.place
    words = (_POD_WORDS if of_pods else _OBJECT_WORDS)[place, bool(which)]
    info = kind_of(role.kind)
    owner = role.owner if role.namespace == "default" else f"{role.namespace}/{role.owner}"
    return needed(words, {"kind": info.kind if info else role.kind, "owner": owner, "which": which})


_POD_WORDS = {
    ("oldest", False): gettext_noop("the oldest pod of {kind} {owner}"),
    ("youngest", False): gettext_noop("the youngest pod of {kind} {owner}"),
    ("all", False): gettext_noop("all pods of {kind} {owner}"),
    ("nth", True): gettext_noop("pod {which} of {kind} {owner} (oldest first)"),
    ("node", True): gettext_noop("the pod of {kind} {owner} on {which}"),
    ("terminating", False): gettext_noop("the terminating pod of {kind} {owner}"),
    ("terminating", True): gettext_noop("terminating pod {which} of {kind} {owner}"),
    ("finished", False): gettext_noop("the finished pod of {kind} {owner}"),
    ("finished", True): gettext_noop("finished pod {which} of {kind} {owner}"),
}
"""By the keyword of a place, and whether it has a number."""
_OBJECT_WORDS = {
    ("oldest", False): gettext_noop("(the oldest of {kind} {owner})"),
    ("youngest", False): gettext_noop("(the youngest of {kind} {owner})"),
    ("all", False): gettext_noop("(all of {kind} {owner})"),
    ("nth", True): gettext_noop("({which} of {kind} {owner}, oldest first)"),
    ("node", True): gettext_noop("(of {kind} {owner} on {which})"),
    ("terminating", False): gettext_noop("(the terminating one of {kind} {owner})"),
    ("terminating", True): gettext_noop("(terminating one {which} of {kind} {owner})"),
    ("finished", False): gettext_noop("(the finished one of {kind} {owner})"),
    ("finished", True): gettext_noop("(finished one {which} of {kind} {owner})"),
}


def target_pods(tables: Tables, role: Role) -> tuple[PodRow, ...]:
    """The pods that have a role now; empty if there is none. O(pods of the namespace)."""
    named = tables.pods.get(f"{role.namespace}/{role.name}") if role.name else None
    if named is not None:
        return (named,)
    return _placed(role, pods_of_owner(tables, role), leaves=_leaving, on=lambda row: row.node)


def target_objects(tables: Tables, role: Role, kind: str) -> tuple[ApiObject, ...]:
    """The objects of a kind that have a role now, by the same places. O(objects of the kind in the namespace)."""
    named = tables.objects.get((kind, role.namespace, role.name)) if role.name else None
    if named is not None:
        return (named,)
    return _placed(role, objects_of_owner(tables, role, kind), leaves=_going, on=lambda _row: "")


def pods_of_owner(tables: Tables, role: Role) -> list[PodRow]:
    """The pods that a role's owner manages, directly or through others, in creation order."""
    # Pods of one ReplicaSet share an owner: its chain of owners is followed once.
    known: dict[OwnerReference, bool] = {}
    found = []
    for row in pods_in(tables, role.namespace):
        owner = row.pod.metadata.controller
        if owner is None:
            continue
        if owner not in known:
            known[owner] = _is_owned(tables, row, role)
        if known[owner]:
            found.append(row)
    return found


def objects_of_owner(tables: Tables, role: Role, kind: str) -> list[ApiObject]:
    """The objects of a kind that a role's owner manages, directly or through others, in creation order."""
    return [row for row in objects_of(tables, kind, role.namespace) if _is_owned(tables, row, role)]


def with_role(tables: Tables, key: Key) -> str:
    """A pod's key preceded by its role, after its top-level owner; the key alone if its name is the same with every seed.

    O(pods of the namespace).
    """
    row = tables.pods.get(key)
    owners = managers_of(tables, row) if row is not None and row.gone_ms is None else []
    if row is None or not owners or owners[0].kind in NAMED_BY_ORDINAL:
        return key
    role = Role(owners[-1].kind.lower(), row.namespace, owners[-1].name, "all")
    place = _place_of(row, pods_of_owner(tables, role))
    return f"{role.subject}[{place}]={key.rpartition('/')[2]}"


def _place_of(row: PodRow, owned: Sequence[PodRow]) -> str:
    """The place that selects this pod among those of its owner: its node for a DaemonSet's pod, else its position."""
    leaving = _leaving(row)
    turn = [item.key for item in owned if _leaving(item) == leaving].index(row.key) + 1
    if leaving:
        return leaving if turn == 1 else f"{leaving}={turn}"
    controller = row.pod.metadata.controller
    if controller is not None and controller.kind == "DaemonSet" and row.node:
        return f"node={row.node}"
    return "oldest" if turn == 1 else str(turn)


def _placed(role: Role, owned: Sequence[Row], *, leaves: Callable[[Row], str], on: Callable[[Row], str]) -> tuple[Row, ...]:
    word, _, number = role.place.partition("=")
    if word in ("terminating", "finished"):
        return _nth([row for row in owned if leaves(row) == word], int(number or 1))
    if word == "node":
        owned = [row for row in owned if on(row) == number]
    # Those that are going away count only if nothing else is left.
    staying = [row for row in owned if not leaves(row)] or list(owned)
    if word == "all":
        return tuple(staying)
    if word == "youngest":
        return tuple(staying[-1:])
    return _nth(staying, int(word) if word.isdigit() else 1)


def _nth(rows: Sequence[Row], number: int) -> tuple[Row, ...]:
    return tuple(rows[number - 1 : number])


def _leaving(row: PodRow) -> str:
    """Why a pod counts only if no other matches; "" for one that controllers count."""
    if is_active(row):
        return ""
    return "terminating" if row.deletion_ms is not None else "finished"


def _going(row: ApiObject) -> str:
    return "" if row.deletion_ms is None else "terminating"


def _is_owned(tables: Tables, row: PodRow | ApiObject, role: Role) -> bool:
    return any((owner.kind.lower(), owner.name) == (role.kind, role.owner) for owner in managers_of(tables, row))
