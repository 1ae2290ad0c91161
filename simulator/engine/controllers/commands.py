"""Carrying out commands. A command that is impossible at its moment is refused by a record that says why."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from simulator.engine import behaviour
from simulator.engine.api.answer import ApiError
from simulator.engine.behaviour import Turn
from simulator.engine.commands import (
    AnyCommand,
    ApplyManifest,
    BindPod,
    DebugPod,
    DeleteNamespace,
    DeleteObject,
    DeletePod,
    DeletePods,
    EvictPod,
    ExitContainer,
    HangContainer,
    KillSandbox,
    LabelNode,
    OomContainer,
    PatchObject,
    PatchPod,
    RemoveSchedulingGates,
    ReplaceObject,
    ResizePod,
    SetImage,
    SetNodePressure,
    SetProbe,
    SignalContainer,
)
from simulator.engine.controllers.api_server import delete_pod
from simulator.engine.controllers.kubelet.probes import probe_of
from simulator.engine.controllers.kubelet.pulls import canonical
from simulator.engine.controllers.kubelet.runtime import carry_out, host_of
from simulator.engine.controllers.node.acts import NODE_ACTS, NODE_COMMANDS
from simulator.engine.controllers.node.labels import LABEL_ACTS
from simulator.engine.controllers.object_acts import OBJECT_ACTS
from simulator.engine.controllers.refusal import Act, Refusal, live_pod, refusal_of, running
from simulator.engine.controllers.resource_acts import RESOURCE_ACTS
from simulator.engine.controllers.store.acts import STORE_ACTS
from simulator.engine.controllers.store.creation import place_of_text
from simulator.engine.effects import Effects
from simulator.engine.records import Data, RecordKind
from simulator.engine.rows import ImageRow, Instance
from simulator.engine.rules.text import RuleText, gettext_noop
from simulator.engine.units import Key
from simulator.engine.world import object_subject

RULES = (
    RuleText("COMMAND", gettext_noop("You did this."), "a command of the run"),
    RuleText("COMMAND-NO-POD", gettext_noop("There is no pod of that name at this moment."), "a command of the run"),
    RuleText("COMMAND-NOT-RUNNING", gettext_noop("The container does not run at this moment."), "a command of the run"),
    RuleText("COMMAND-NO-PROBE", gettext_noop("The container has no probe of that kind."), "a command of the run"),
    RuleText(
        "COMMAND-EXISTS", gettext_noop("An object of that name exists already."), "apiserver registry/generic/registry/store.go Create"
    ),
    RuleText(
        "COMMAND-BAD-OBJECT",
        gettext_noop("The API server does not accept this object: {message}"),
        "apiserver pkg/registry/rest/create.go BeforeCreate",
    ),
    RuleText("COMMAND-BAD-VALUE", gettext_noop("The command's value is out of range: {message}"), "a command of the run"),
)


def carry_out_command(fx: Effects, command: AnyCommand) -> None:
    """Carry out one command at this instant; the record of its acceptance is the cause of all that follows."""
    subject = _subject(command)
    name = str(command.__struct_config__.tag)
    try:
        act = _ACTS[type(command)](fx, command)
    except (Refusal, ApiError) as error:
        refusal = refusal_of(error) if isinstance(error, ApiError) else error
        data = (("do", name), *refusal.data)
        fx.record(
            kind=RecordKind.COMMAND.value, subject=subject, machine="command", target="refused", rule=refusal.rule, data=data, cause=0
        )
        return
    data = (("do", name), *_details(command))
    fx.cause = fx.record(
        kind=RecordKind.COMMAND.value, subject=subject, machine="command", target="accepted", rule="COMMAND", data=data, cause=0
    )
    act()


def _subject(command: AnyCommand) -> str:
    if isinstance(command, ApplyManifest):
        return "run"
    if isinstance(command, SetImage):
        return f"image/{command.image}"
    if isinstance(command, DeletePod | PatchPod | DebugPod | RemoveSchedulingGates | ResizePod | EvictPod | BindPod):
        return f"pod/{command.target}"
    if isinstance(command, PatchObject | DeleteObject):
        return object_subject(command.kind, command.namespace, command.name)
    if isinstance(command, ReplaceObject):
        return object_subject(*place_of_text(command.document, command.namespace))
    if isinstance(command, DeletePods | DeleteNamespace):
        return "run"
    if isinstance(command, SetNodePressure | LabelNode):
        return f"node/{command.node}"
    if isinstance(command, SetProbe):
        return f"probe/{command.target}/{command.container}/{command.probe}"
    if isinstance(command, KillSandbox):
        return f"pod/{command.target}"
    if isinstance(command, NODE_COMMANDS):
        return f"node/{command.node}"
    return f"container/{command.target}/{command.container}"


_SHOWN_WHEN_SET = (
    "dry_run",
    "create",
    "timeout_s",
    "disable_eviction",
    "pod_selector",
    "selector",
    "propagation",
    "uid",
    "resource_version",
    "subresource",
)


def _details(command: AnyCommand) -> Data:
    """The command's own fields for its record, without documents."""
    hidden = ("documents", "document", "target", "container", "namespace", *(() if isinstance(command, BindPod) else ("node",)))
    given = ((name, getattr(command, name)) for name in command.__struct_fields__ if name not in hidden)
    shown = [(name, value) for name, value in given if name not in _SHOWN_WHEN_SET or value not in ("", 0)]
    if isinstance(command, ReplaceObject):
        kind, _, name = place_of_text(command.document, command.namespace)
        shown += [("kind", kind), ("name", name)]
    return tuple((name, value if isinstance(value, str | int | None) else str(value)) for name, value in shown)


def _delete(fx: Effects, command: DeletePod) -> Act:
    row = live_pod(fx, command.target)
    grace = 0 if command.force else command.grace_s
    if grace == 0 and not command.force:
        grace = 1  # kubectl sends --grace-period=0 without --force as 1
    return lambda: delete_pod(fx, row, grace)


def _exit(fx: Effects, command: ExitContainer) -> Act:
    if not 0 <= command.exit_code <= 255:
        raise Refusal("COMMAND-BAD-VALUE", (("message", "an exit code is a number from 0 to 255"),))
    row, process = running(fx, command.target, command.container)
    host = host_of(fx, command.target, row.container)
    return lambda: _turned(fx, command.target, row, behaviour.force_exit(process, command.exit_code, host))


def _signal(fx: Effects, command: SignalContainer) -> Act:
    if not 1 <= command.signal <= 64:
        raise Refusal("COMMAND-BAD-VALUE", (("message", "a signal is a number from 1 to 64"),))
    row, process = running(fx, command.target, command.container)
    return lambda: _turned(fx, command.target, row, behaviour.signal(process, command.signal, host_of(fx, command.target, row.container)))


def _oom(fx: Effects, command: OomContainer) -> Act:
    row, process = running(fx, command.target, command.container)
    return lambda: _turned(fx, command.target, row, behaviour.oom_kill(process, host_of(fx, command.target, row.container)))


def _hang(fx: Effects, command: HangContainer) -> Act:
    row, process = running(fx, command.target, command.container)
    return lambda: _turned(fx, command.target, row, behaviour.hang(process, command.hang, host_of(fx, command.target, row.container)))


def _turned(fx: Effects, pod: Key, row: Instance, turn: Turn) -> None:
    carry_out(fx, pod, replace(row, seq=fx.cause), turn)


def _set_probe(fx: Effects, command: SetProbe) -> Act:
    row = live_pod(fx, command.target)
    spec = row.pod.spec
    if command.outcome not in (None, "success", "failure", "timeout", "error"):
        raise Refusal("COMMAND-BAD-VALUE", (("message", "an outcome is success, failure, timeout or error"),))
    for container in (*spec.containers, *spec.init_containers):
        if container.name == command.container and probe_of(container, command.probe) is not None:
            break
    else:
        raise Refusal("COMMAND-NO-PROBE")
    key = (command.target, command.container, command.probe)
    held = fx.tables.probes.get(key)
    if held is None:
        raise Refusal("COMMAND-NO-PROBE")
    changed = replace(held, outcome=command.outcome or "", outcome_left=command.attempts)
    return lambda: fx.save_probe(key, replace(changed, outcome_seq=fx.cause if command.outcome else 0))


def _set_image(fx: Effects, command: SetImage) -> Act:
    row = ImageRow(available=command.available, pull_ms=max(command.pull_ms, 0))

    def act() -> None:
        fx.save_image(canonical(command.image), replace(row, seq=fx.cause))

    return act


_ACTS: dict[type, Callable[[Effects, Any], Act]] = {
    DeletePod: _delete,
    ExitContainer: _exit,
    SignalContainer: _signal,
    OomContainer: _oom,
    HangContainer: _hang,
    SetProbe: _set_probe,
    SetImage: _set_image,
    **OBJECT_ACTS,
    **LABEL_ACTS,
    **NODE_ACTS,
    **RESOURCE_ACTS,
    **STORE_ACTS,
}
