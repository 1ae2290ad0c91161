"""Every command in one sentence, in the reader's language."""

import json
from typing import Any

import msgspec
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from simulator.engine import commands

NAMED_MAX = 3
"""How many objects a sentence names."""
PLAIN: dict[type[commands.Command], str] = {
    commands.ApplyManifest: gettext_noop("Apply %(objects)s"),
    commands.DeletePods: gettext_noop("Delete pods of %(namespace)s"),
    commands.DeleteNamespace: gettext_noop("Delete namespace %(name)s"),
    commands.PatchPod: gettext_noop("Patch %(target)s"),
    commands.ExecInContainer: gettext_noop("Run a command in %(target)s"),
    commands.DebugPod: gettext_noop("Debug %(target)s with %(container)s"),
    commands.ExitContainer: gettext_noop("Exit %(container)s with code %(exit_code)d"),
    commands.SignalContainer: gettext_noop("Send signal %(signal)d to %(container)s"),
    commands.OomContainer: gettext_noop("Let %(container)s run out of memory"),
    commands.RemoveSchedulingGates: gettext_noop("Remove scheduling gates of %(target)s"),
    commands.ResizePod: gettext_noop("Change the resources of %(target)s"),
    commands.LabelNode: gettext_noop("Label %(node)s"),
    commands.KillSandbox: gettext_noop("Kill the sandbox of %(target)s"),
    commands.NodeControl: gettext_noop("Change what works on %(node)s"),
    commands.TaintNode: gettext_noop("Taint %(node)s"),
    commands.DrainNode: gettext_noop("Drain %(node)s"),
    commands.DeleteNode: gettext_noop("Delete node %(node)s"),
    commands.EvictPod: gettext_noop("Evict %(target)s"),
    commands.BindPod: gettext_noop("Bind %(target)s to %(node)s"),
    commands.PatchObject: gettext_noop("Patch %(kind)s %(name)s"),
    commands.ReplaceObject: gettext_noop("Replace an object"),
    commands.DeleteObject: gettext_noop("Delete %(kind)s %(name)s"),
}
"""What was asked for, filled from the fields of the command."""

BY_FIELD: dict[type[commands.Command], tuple[str, str, str]] = {
    commands.DeletePod: ("force", gettext_noop("Force delete %(target)s"), gettext_noop("Delete %(target)s")),
    commands.HangContainer: ("hang", gettext_noop("Hang %(container)s"), gettext_noop("Wake %(container)s")),
    commands.SetProbe: (
        "outcome",
        gettext_noop("Set %(probe)s of %(container)s: %(outcome)s"),
        gettext_noop("Heal %(probe)s of %(container)s"),
    ),
    commands.SetImage: ("available", gettext_noop("Make image %(image)s available"), gettext_noop("Make image %(image)s unavailable")),
    commands.CordonNode: ("unschedulable", gettext_noop("Cordon %(node)s"), gettext_noop("Uncordon %(node)s")),
    commands.PlaceStaticPod: (
        "remove",
        gettext_noop("Remove static pod %(remove)s from %(node)s"),
        gettext_noop("Place a static pod on %(node)s"),
    ),
    commands.ShutdownNode: ("cancel", gettext_noop("Cancel the shutdown of %(node)s"), gettext_noop("Shut %(node)s down")),
    commands.SetNodePressure: (
        "available",
        gettext_noop("Leave %(available)s of %(signal)s on %(node)s"),
        gettext_noop("Give %(signal)s back to %(node)s"),
    ),
}
"""The same for commands that say one of two things, by whether a field is set."""


def act_sentence(command: commands.AnyCommand) -> str:
    """What was asked for, in one line in the reader's language. A test keeps the two tables complete."""
    fields = msgspec.structs.asdict(command)
    if isinstance(command, commands.ApplyManifest):
        fields["objects"] = _named(command.documents)
    if type(command) in PLAIN:
        return _(PLAIN[type(command)]) % fields
    name, is_set, is_not_set = BY_FIELD[type(command)]
    return _(is_set if fields[name] else is_not_set) % fields


def _named(documents: tuple[str, ...]) -> str:
    """Kinds and names of the objects; an ellipsis for those that are too many to say."""
    found: list[dict[str, Any]] = [json.loads(text) for text in documents[:NAMED_MAX]]
    names = [f"{item['kind']} {item['metadata'].get('name') or item['metadata'].get('generateName', '')}".strip() for item in found]
    return ", ".join([*names, *(["…"] if len(documents) > NAMED_MAX else [])])
