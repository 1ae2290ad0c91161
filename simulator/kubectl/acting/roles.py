"""Roles on a kubectl line: ``delete pod deployment/web[2]`` means the pod that has the role when the line runs."""

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


def with_roles_named(words: list[str], world: World, *, chosen: str = "") -> tuple[list[str], dict[Key, str]]:
    """The words with pod names in place of roles, and for each of these pods its role together with its name.

    ``chosen`` is the namespace of a line that names none, if it is not the run's own. Words after ``--`` are left alone: they belong to
    a container. Raises BadLine for a role that no pod has, and for
    malformed ones.
    """
    end = words.index("--") if "--" in words else len(words)
    named: list[str] = []
    roles: dict[Key, str] = {}
    for word in words[:end]:
        if not _WORD.fullmatch(word):
            named.append(word)
            continue
        text = key_in_namespace(_namespace(words[:end]) or chosen or world.header.namespace, word)
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


def _namespace(words: list[str]) -> str:
    """The namespace named on the line; empty if there is none."""
    for number, word in enumerate(words):
        if word in ("-n", "--namespace") and number + 1 < len(words):
            return words[number + 1]
        if match := _NAMESPACE.fullmatch(word):
            return match[1]
    return ""
