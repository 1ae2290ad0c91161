"""Which pod a script means that cannot know a generated name: ``[0]`` is the first pod of its namespace by name, ``[1]`` the second.

It is looked for when the command is carried out, as ``kubectl get pods`` would list them then.
"""

import re
from typing import Any, TypeVar

from msgspec.structs import replace

from simulator.engine.acts.script import BadStep, StepReader
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.engine.world.effects import Effects
from simulator.engine.world.lookups import pods_in

C = TypeVar("C", bound=Command)
_PLACE = re.compile(r"(?P<namespace>[^/]+)/\[(?P<place>\d{1,4})\]")
FIRST_MAX = 1000


def with_pod_meant(fx: Effects, command: C) -> C:
    """The command with the pod's own key where it names one by its place; as it is where there is no such pod."""
    target: Any = getattr(command, "target", "")
    place = _PLACE.fullmatch(target) if target.endswith("]") else None
    if place is None:
        return command
    rows = sorted(pods_in(fx.tables, place["namespace"]), key=lambda row: row.name)
    number = int(place["place"])
    return replace(command, target=rows[number].key) if number < len(rows) else command


def first_of(step: StepReader) -> list[str]:
    """What stands for the names of the first pods: ``first: true`` is one, a number so many; nothing where the step does not say it.

    Raises BadStep.
    """
    first = step.field("first", (bool, int))
    if first is None or first is False:
        return []
    if not 0 < int(first) <= FIRST_MAX:
        raise BadStep(gettext_noop("first is true or how many pods are meant"), f"{step.verb}.first")
    return [f"[{number}]" for number in range(int(first))]
