"""What a command refers to at its moment: a role, or an index in a list, is replaced by the name.

There are three ways to name a pod. A key (``default/web-abc``) stays as it is. A role
(``deployment/default/web[oldest]``) is looked up now, and may result in several pods for ``all``; one
that nothing has at the moment is refused with the number of pods that its owner has.
``default/[0]``, from recorded scripts, is the first pod of its namespace by name, as ``kubectl get
pods`` would list them at that moment.

An index without a pod stays as it is: the handler then refuses it with the message
for a pod that does not exist.
"""

from typing import Any, TypeVar, cast

from msgspec import Struct
from msgspec.structs import replace

from simulator.engine.acts.roles import LISTED, BadRole, Role, objects_of_owner, pods_of_owner, role_of, target_objects, target_pods
from simulator.engine.apiserver.refusal import Refusal, bad_value
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.world.lookups import pods_in
from simulator.engine.world.world import Tables

RULES = (
    RuleText(
        "COMMAND-NO-ROLE",
        gettext_noop("No {kind} has the role {role} at this moment: {owner} has {count}, none of them in that position."),
        "a command of the run",
    ),
)

C = TypeVar("C", bound=Command)


class ResolvedCommand(Struct, frozen=True):
    """The commands that a command resolves to: one for each thing that has its role (a single one, unless the place is ``all``).

    ``role`` is None if the command names its target directly.
    """

    commands: tuple[Command, ...]
    role: Role | None = None


def role_in(command: Command) -> Role | None:
    """The role by which a command names a pod (``target``) or an object (``name``). Raises BadRole."""
    text = getattr(command, "target", "")
    if isinstance(text, str) and text and not LISTED.fullmatch(text):
        return role_of(text)
    return role_of(command.name) if hasattr(command, "kind") and hasattr(command, "name") else None


def resolve_targets(tables: Tables, command: Command) -> ResolvedCommand:
    """What a command refers to now. Raises Refusal if nothing has its role, or if the role is invalid."""
    try:
        role = role_in(command)
    except BadRole as error:
        raise bad_value(str(error)) from None
    if role is None:
        return ResolvedCommand((_listed(tables, command),))
    found = _named(tables, command, role)
    if not found:
        raise _nobody(tables, command, role)
    return ResolvedCommand(found, role)


def named_in(tables: Tables, command: C) -> C:
    """The command with the name of its current target (the first, if there are several); unchanged if there is none."""
    try:
        found: Any = resolve_targets(tables, command).commands[0]
    except Refusal:
        return command
    return cast(C, found)


def _named(tables: Tables, command: Any, role: Role) -> tuple[Command, ...]:
    if getattr(command, "target", ""):
        return tuple(replace(command, target=row.key) for row in target_pods(tables, role))
    rows = target_pods(tables, role) if command.kind == "Pod" else target_objects(tables, role, command.kind)
    return tuple(replace(command, namespace=row.namespace, name=row.name) for row in rows)


def _nobody(tables: Tables, command: Any, role: Role) -> Refusal:
    kind = "Pod" if getattr(command, "target", "") else str(command.kind)
    count = len(pods_of_owner(tables, role)) if kind == "Pod" else len(objects_of_owner(tables, role, kind))
    message = f"no {kind} has the role {role.text} now: {role.subject} has {count}"
    return Refusal("COMMAND-NO-ROLE", (("kind", kind), ("owner", role.subject), ("count", count), ("message", message)))


def _listed(tables: Tables, command: C) -> C:
    """The command with the pod's own key if it names one by its index in a list; unchanged if there is no such pod."""
    target: Any = getattr(command, "target", "")
    place = LISTED.fullmatch(target) if target.endswith("]") else None
    if place is None:
        return command
    rows = sorted(pods_in(tables, place["namespace"]), key=lambda row: row.name)
    number = int(place["number"])
    return replace(command, target=rows[number].key) if number < len(rows) else command
