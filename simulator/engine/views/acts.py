"""What a user can do to a pod now: every command with its label, and where it would be refused, the rule that says why."""

import json

from simulator.engine.api.kinds import IMMORTAL_NAMESPACES
from simulator.engine.api.resize import resizable
from simulator.engine.behaviour.reference import with_default_tag
from simulator.engine.commands import COMMAND, AnyCommand
from simulator.engine.controllers.refusal import Refusal
from simulator.engine.controllers.store.evictions import evicting
from simulator.engine.effects import Effects
from simulator.engine.records import Data
from simulator.engine.rows import PodRow
from simulator.engine.rules.text import gettext_noop
from simulator.engine.views.act import Act, Fields
from simulator.engine.views.model import ContainerView
from simulator.engine.views.text import Text
from simulator.engine.world import World

DELETE = gettext_noop("Delete pod")
DELETE_NOW = gettext_noop("Delete pod with {grace_s} s of grace")
FORCE_DELETE = gettext_noop("Force delete pod")
EXIT = gettext_noop("Exit {container} with code {exit_code}")
SIGNAL = gettext_noop("Send {signal} to {container}")
OOM = gettext_noop("Let {container} run out of memory")
HANG = gettext_noop("Hang {container}")
UNHANG = gettext_noop("Wake {container}")
PROBE = {
    "success": gettext_noop("Pass {probe} of {container}"),
    "failure": gettext_noop("Fail {probe} of {container}"),
    "timeout": gettext_noop("Time out {probe} of {container}"),
    "error": gettext_noop("Break {probe} of {container}"),
    None: gettext_noop("Heal {probe} of {container}"),
}
PATCH = gettext_noop("Change the pod")
DEBUG = gettext_noop("Add a debug container")
KILL_SANDBOX = gettext_noop("Kill the sandbox")
OPEN_GATES = gettext_noop("Remove the scheduling gates")
EVICT = gettext_noop("Evict the pod")
BIND = gettext_noop("Bind the pod to a node")
DELETE_NAMESPACE = gettext_noop("Delete namespace {namespace}")
RESIZE = gettext_noop("Change the resources of {container}")
EXEC = gettext_noop("Run a command in {container}")
IMAGE_AWAY = gettext_noop("Make image {image} unavailable")
IMAGE_BACK = gettext_noop("Make image {image} available")
SIGNALS = (("TERM", 15), ("KILL", 9))


def acts(world: World, row: PodRow, containers: tuple[ContainerView, ...]) -> tuple[Act, ...]:
    """The acts on the pod, its containers, their probes and images, in the order of the page."""
    found = [*_pod_acts(row), *_object_acts(world, row)]
    for container in containers:
        found += _container_acts(world, row, container)
        found += _probe_acts(world, row, container)
    found += [_image_act(world, image) for image in dict.fromkeys(container.image for container in containers)]
    return tuple(found)


def command_of(act: Act) -> AnyCommand:
    """The command that an act stands for."""
    named = {"node": act.node, "target": act.target, "container": act.container, "probe": act.probe, "image": act.image}
    given = {name: value for name, value in named.items() if value}
    return COMMAND.from_plain({"do": act.do, **given, **dict(act.fields)})


def _pod_acts(row: PodRow) -> tuple[Act, ...]:
    why_not = "COMMAND-NO-POD" if row.gone_ms is not None else ""

    def act(label: Text, *fields: tuple[str, int | bool]) -> Act:
        return Act(do="delete_pod", target=row.key, label=label, fields=fields, enabled=not why_not, why_not=why_not)

    return (
        act(Text(DELETE)),
        act(Text(DELETE_NOW, (("grace_s", 1),)), ("grace_s", 1)),
        act(Text(FORCE_DELETE), ("grace_s", 0), ("force", True)),
    )


def _object_acts(world: World, row: PodRow) -> list[Act]:
    """Acts on the pod as an object, and on its sandbox."""
    why_not = "COMMAND-NO-POD" if row.gone_ms is not None else ""
    spec = row.pod.spec
    taken = {item.name for item in (*spec.containers, *spec.init_containers, *spec.ephemeral_containers)}
    debugger = next(name for n in range(len(taken) + 1) if (name := f"debugger-{n + 1}") not in taken)
    patch = json.dumps({"metadata": {"labels": {"podscope.dev/touched": "true"}}})
    fields: tuple[tuple[str, str, Fields, str], ...] = (
        ("patch_pod", PATCH, (("patch", patch), ("kind", "merge")), why_not),
        ("debug_pod", DEBUG, (("container", debugger), ("image", "busybox:1.36")), why_not),
        ("evict", EVICT, (), why_not or _eviction_problem(world, row)),
        ("bind", BIND, (("node", next(iter(world.tables.nodes), "")),), why_not or _binding_problem(row)),
        ("kill_sandbox", KILL_SANDBOX, (), _sandbox_problem(world, row)),
        ("remove_scheduling_gates", OPEN_GATES, (), why_not or _gate_problem(world, row)),
    )
    acts = [
        Act(do=do, target=row.key, label=Text(msgid), fields=given, enabled=not problem, why_not=problem)
        for do, msgid, given, problem in fields
    ]
    if row.namespace in IMMORTAL_NAMESPACES:
        return acts
    namespace = Text(DELETE_NAMESPACE, (("namespace", row.namespace),))
    return [*acts, Act(do="delete_namespace", label=namespace, fields=(("name", row.namespace),))]


def _sandbox_problem(world: World, row: PodRow) -> str:
    sandbox = world.tables.sandboxes.get(row.key)
    return "" if sandbox is not None and sandbox.state == "ready" else "COMMAND-NO-SANDBOX"


def _binding_problem(row: PodRow) -> str:
    return "API-CONFLICT" if row.node or row.deletion_ms is not None or row.pod.spec.scheduling_gates else ""


def _eviction_problem(world: World, row: PodRow) -> str:
    try:
        evicting(Effects(world, []), row, None)
    except Refusal as refusal:
        return refusal.rule
    return ""


def _gate_problem(world: World, row: PodRow) -> str:
    return "" if world.profile.scheduling_gated and row.pod.spec.scheduling_gates else "COMMAND-NO-GATE"


def _container_acts(world: World, row: PodRow, container: ContainerView) -> list[Act]:
    """Acts on the main process; a ghost has one too."""
    why_not = "" if container.node_state in ("running", "stopping") else "COMMAND-NOT-RUNNING"

    def act(do: str, msgid: str, values: Data = (), fields: Fields = ()) -> Act:
        label = Text(msgid, (("container", container.name), *values))
        return Act(do=do, target=row.key, container=container.name, label=label, fields=fields, enabled=not why_not, why_not=why_not)

    exits = [act("exit_container", EXIT, (("exit_code", code),), (("exit_code", code),)) for code in (0, 1)]
    signals = [act("signal_container", SIGNAL, (("signal", name),), (("signal", number),)) for name, number in SIGNALS]
    hang = act("hang_container", UNHANG if container.is_hung else HANG, (), (("hang", not container.is_hung),))
    asked = act("exec", EXEC, (), (("command", ("true",)),))
    return [*exits, *signals, act("oom_container", OOM), hang, asked, *_resize_acts(world, row, container)]


def _resize_acts(world: World, row: PodRow, container: ContainerView) -> list[Act]:
    """Other resources for a container that may have them; what would be asked for is judged when it is."""
    if not any(item.name == container.name for item in resizable(row.pod.spec)):
        return []
    why_not = "COMMAND-NO-POD" if row.gone_ms is not None else "" if world.profile.in_place_resize else "COMMAND-NO-RESIZE"
    if not why_not and row.status.phase in ("Succeeded", "Failed"):
        why_not = "COMMAND-REJECTED"
    label = Text(RESIZE, (("container", container.name),))
    return [Act(do="resize_pod", target=row.key, container=container.name, label=label, enabled=not why_not, why_not=why_not)]


def _probe_acts(world: World, row: PodRow, container: ContainerView) -> list[Act]:
    """Every outcome of every probe; healing only where something was decided."""
    found = []
    for probe in container.probes:
        gone = "COMMAND-NO-POD" if row.gone_ms is not None else ""
        why_not = gone or ("" if (row.key, container.name, probe.kind) in world.tables.probes else "COMMAND-NO-PROBE")
        for outcome, msgid in PROBE.items():
            if outcome is None and probe.override is None:
                continue
            found.append(
                Act(
                    do="set_probe",
                    target=row.key,
                    container=container.name,
                    probe=probe.kind,
                    label=Text(msgid, (("probe", probe.kind), ("container", container.name))),
                    fields=(("outcome", outcome),),
                    enabled=not why_not,
                    why_not=why_not,
                )
            )
    return found


def _image_act(world: World, image: str) -> Act:
    available = is_available(world, image)
    label = Text(IMAGE_AWAY if available else IMAGE_BACK, (("image", image),))
    return Act(do="set_image", image=image, label=label, fields=(("available", not available),))


def is_available(world: World, image: str) -> bool:
    """Whether the registry would hand the image out."""
    row = world.tables.images.get(with_default_tag(image))
    return row.available if row is not None else world.header.cluster.unlisted_images == "pullable"
