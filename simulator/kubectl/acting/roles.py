"""Roles in a line of kubectl: ``delete pod deployment/web[2]`` names the pod that has the role at the moment of the line."""

import re

from msgspec.structs import replace

from simulator.engine.acts.roles import BadRole, key_in_namespace, role_of, target_pods
from simulator.engine.kernel.units import Key
from simulator.engine.world.rows import PodRow
from simulator.engine.world.world import World
from simulator.kubectl.line import BadLine

_WORD = re.compile(r"[a-z]+/[^\s\[\]]+\[[^\s\[\]]+\]")
_NAMESPACE = re.compile(r"(?:-n=?|--namespace=)(.+)")
_PODS = ("pod", "pods", "po")


def with_roles_named(words: list[str], world: World) -> tuple[list[str], dict[Key, str]]:
    """The words with the names of the pods in the place of roles, and of these pods the roles with their names.

    What stands behind ``--`` is a container's business. Raises BadLine for a role that nothing has, and for what is none.
    """
    end = words.index("--") if "--" in words else len(words)
    named: list[str] = []
    roles: dict[Key, str] = {}
    for word in words[:end]:
        if not _WORD.fullmatch(word):
            named.append(word)
            continue
        text = key_in_namespace(_namespace(words[:end], world), word)
        for row in _meant(text, world):
            named.append(row.name if any(kind in words[:end] for kind in _PODS) else f"pod/{row.name}")
            # Role and name: a replay with another seed finds the pod by its role.
            roles[row.key] = f"{text}={row.key.rpartition('/')[2]}"
    return [*named, *words[end:]], roles


def _meant(text: str, world: World) -> tuple[PodRow, ...]:
    try:
        role = role_of(text)
    except BadRole as error:
        raise BadLine(f"error: {error}") from None
    found = target_pods(world.tables, replace(role, name="")) if role is not None else ()
    if not found:
        raise BadLine(f"error: no pod has the role {text} now")
    return found


def _namespace(words: list[str], world: World) -> str:
    """The namespace that the line names, else that of the run."""
    for number, word in enumerate(words):
        if word in ("-n", "--namespace") and number + 1 < len(words):
            return words[number + 1]
        if match := _NAMESPACE.fullmatch(word):
            return match[1]
    return world.header.namespace
