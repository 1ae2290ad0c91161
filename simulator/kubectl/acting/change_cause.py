"""``--record``: the line itself becomes the ``kubernetes.io/change-cause`` of what it changes, which ``rollout history`` shows.

Source: k8s.io/cli-runtime pkg/genericclioptions/record_flags.go; kubectl pkg/cmd/util (parseCommandArguments).
"""

import json
from collections.abc import Iterator

from msgspec.structs import replace

from simulator.engine.acts.objects.patch import PatchObject
from simulator.engine.versions.span import Span
from simulator.kubectl.acting.action import KubectlAction, Step
from simulator.kubectl.line import Line
from simulator.kubectl.rollout import CHANGE_CAUSE
from simulator.kubectl.tables.model import Sight

RECORDING = ("annotate", "autoscale", "label", "patch", "scale", "set")
"""The verbs with the flag that change objects which are there."""
_DEPRECATED = Span(since=22)
_WARNING = "Flag --record has been deprecated, --record will be removed in the future"


def with_cause(action: KubectlAction, line: Line, sight: Sight) -> KubectlAction:
    """The action of a line, with its warning and its notes where it says ``--record``. Of pods and nodes, which have no history, none."""
    if not line.has("record"):
        return action
    said = (_WARNING, *action.said) if _DEPRECATED.holds_for(sight.minor) else action.said
    if line.verb not in RECORDING:
        return replace(action, said=said)
    return replace(action, said=said, steps=tuple(each for step in action.steps for each in _noted(step, line)))


def _noted(step: Step, line: Line) -> Iterator[Step]:
    """The note comes first, so that the new revision has it."""
    kind, name = getattr(step.command, "kind", ""), getattr(step.command, "name", "")
    if kind and name:
        note = json.dumps({"metadata": {"annotations": {CHANGE_CAUSE: _typed(line)}}})
        namespace = getattr(step.command, "namespace", "")
        yield Step(command=PatchObject(kind=kind, namespace=namespace, name=name, patch=note, patch_kind="merge"))
    yield step


def _typed(line: Line) -> str:
    """The line as kubectl writes it down: its words, and then its flags in their order with their long names."""
    flags = (f"--{name}={value}" for name, values in line.every.items() for value in values)
    return " ".join(["kubectl", line.verb, *line.words, *flags])
