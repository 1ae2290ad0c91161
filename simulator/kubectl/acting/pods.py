"""Lines about pods: exec, debug, evict, and the two requests that ``create --raw`` sends to a pod's subresource.

Source: kubectl pkg/cmd/{exec,debug,create}.
"""

import re
from typing import Any

from msgspec.structs import replace

from simulator.engine.acts.containers.exec import NEWEST, ExecInContainer, WriteToExec
from simulator.engine.acts.pods.bind import BindPod
from simulator.engine.acts.pods.debug import DebugPod
from simulator.engine.acts.pods.evict import EvictPod
from simulator.engine.apiserver.answer import not_found
from simulator.engine.kernel.bounded import is_digits, whole_number
from simulator.engine.kernel.json_text import decode
from simulator.engine.model.status import TERMINAL_PHASES
from simulator.engine.world.rows import PodRow
from simulator.kubectl.acting.action import KubectlAction, Step, made, targets
from simulator.kubectl.containers import all_names, default_container
from simulator.kubectl.find import find_kind, namespace_of
from simulator.kubectl.line import BadLine, Line
from simulator.kubectl.logs import one_pod
from simulator.kubectl.tables.model import Sight
from simulator.kubectl.unreachable import unreachable

_SUBRESOURCE = re.compile(r"/api/v1/namespaces/([^/]+)/pods/([^/]+)/(eviction|binding)")
_NO_EPHEMERAL = (
    'error: ephemeral containers are disabled for this cluster (error from server: "the server could not find the requested resource").'
)
_CREATED = '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201}'


def exec_in(line: Line, sight: Sight) -> KubectlAction:
    """``kubectl exec POD -- COMMAND``."""
    if not line.words:
        raise BadLine("error: pod, type/name or --filename must be specified\nSee 'kubectl exec -h' for help and examples")
    said: list[str] = []
    command = line.command or line.words[1:]
    if line.words[1:] and not line.command:
        use = "Use {}exec [POD] -- [COMMAND] instead"
        if sight.facts.exec_needs_dashes:
            text = f"error: exec [POD] [COMMAND] is not supported anymore. {use.format('')}"
            raise BadLine(f"{text}\nSee 'kubectl exec -h' for help and examples")
        text = "kubectl exec [POD] [COMMAND] is DEPRECATED and will be removed in a future version."
        said.append(f"{text} {use.format('kubectl ')}.\n")
    if not command:
        raise BadLine("error: you must specify at least one command for the container")
    kind, slash, _ = line.words[0].partition("/")
    is_other = bool(slash) and find_kind(kind, sight).kind != "Pod"
    # Of a workload the pod that logs would take; exec says nothing about its choice.
    row = one_pod(line.words[0], line, sight, []) if is_other else pod_named(line.words[0], line, sight)
    if row.status.phase in TERMINAL_PHASES:
        raise BadLine(f"error: cannot exec into a container in a completed pod; current phase is {row.status.phase}")
    container = _container(line, row, sight, said)
    refused = (
        unreachable(sight.world, row.node) if row.node else f"Error from server (BadRequest): pod {row.name} does not have a host assigned"
    )
    if refused:
        raise BadLine("".join([*said, refused]))
    given = ExecInContainer(
        target=row.key, container=container, command=tuple(command), stdin=line.has("stdin"), tty=line.has("tty")
    )  # fmt: skip
    return made([Step(command=given)], [], said=[text.rstrip("\n") for text in said])


def with_input(action: KubectlAction, text: str) -> KubectlAction:
    """``echo TEXT | kubectl exec -i POD -- COMMAND``: the command, and what comes through the pipe."""
    begun = action.steps[0].command
    if not isinstance(begun, ExecInContainer) or not begun.stdin:
        return action
    sent = WriteToExec(target=begun.target, container=begun.container, exec=NEWEST, text=text, is_end=True)
    return replace(action, steps=(*action.steps, Step(command=sent)))


def type_in(line: Line, sight: Sight) -> KubectlAction:
    """``type NUMBER -- TEXT``: what is typed into a session of this command line. kubectl has no such command: it has a terminal."""
    number = whole_number(line.words[0]) if line.words else None
    row = next((row for row in sight.world.tables.execs.values() if row.seq == number and row.purpose == "user"), None)
    if row is None:
        raise BadLine("error: there is no such session at this moment")
    text = f"{' '.join(line.command)}\n" if line.command else ""
    is_end, interrupts = line.has("end"), line.has("interrupt")
    given = WriteToExec(
        target=row.pod, container=row.container, exec=row.seq, text=text, echo=True, is_end=is_end, interrupts=interrupts
    )  # fmt: skip
    return made([Step(command=given)], [])


def pod_named(word: str, line: Line, sight: Sight) -> PodRow:
    """The pod that ``web`` or ``pod/web`` means. Raises BadLine."""
    kind, slash, name = word.rpartition("/")
    if slash and find_kind(kind, sight).kind != "Pod":
        raise BadLine(f"error: this command line takes a pod here, not {word}")
    row = sight.world.live_pod(namespace_of(line, sight), name)
    if row is None:
        raise BadLine(not_found("pods", name).answer.kubectl)
    return row


def _container(line: Line, row: PodRow, sight: Sight, said: list[str]) -> str:
    asked = line.value("container")
    if asked and asked not in all_names(row):
        raise BadLine(f"error: container {asked} not found in pod {row.name}")
    # -q only keeps the words about the default container off the screen.
    quiet: list[str] = []
    return asked or default_container(row, sight, quiet if line.has("quiet") else said)


def debug(line: Line, sight: Sight) -> KubectlAction:
    """``kubectl debug POD --image=IMAGE``: an ephemeral container."""
    if not line.words:
        raise BadLine("error: NAME or TYPE/NAME is required for debug\nSee 'kubectl debug -h' for help and examples")
    if not line.value("image"):
        raise BadLine("error: --image is required when not using --copy-to\nSee 'kubectl debug -h' for help and examples")
    row = pod_named(line.words[0], line, sight)
    name, said = line.value("container"), []
    target = line.value("target")
    if target:
        said.append(
            f'Targeting container "{target}". If you don\'t see processes from this container it may be because the container runtime '
            "doesn't support this feature."
        )
    if not name:
        taken = all_names(row)
        name = next(name for number in range(1, len(taken) + 2) if (name := f"debugger-{number}") not in taken)
        said.append(f"Defaulting debug container name to {name}.")
    if not sight.world.profile.ephemeral_containers:
        raise BadLine("\n".join([*([] if sight.facts.debug_asks_first else said), _NO_EPHEMERAL]))
    command = line.command or line.words[1:]
    made_of = DebugPod(target=row.key, container=name, image=line.value("image"), command=tuple(command), target_container=target)
    return made([Step(command=made_of)], [], said=said)


def evict(line: Line, sight: Sight) -> KubectlAction:
    """``evict POD…``: what drain asks of the API server for each pod. kubectl has no such command; a plugin of it has."""
    words = [word.removeprefix("pod/").removeprefix("pods/") for word in line.words]
    if not words:
        raise BadLine("error: You must provide one or more pods by name")
    found, missing = targets(line, sight, ["pods", *words])
    grace = line.value("grace-period")
    if grace and (not is_digits(grace) or len(grace) > 9):
        raise BadLine(f'error: invalid argument "{grace}" for "--grace-period" flag: strconv.ParseInt: parsing "{grace}": invalid syntax')
    grace_s = int(grace) if grace else None
    return made(
        (Step(command=EvictPod(target=item.pod(sight).key, grace_s=grace_s), done=f"pod/{item.name} evicted") for item in found), missing
    )


def create_raw(path: str, text: str, sight: Sight) -> KubectlAction:
    """``echo BODY | kubectl create --raw PATH -f -`` of an eviction or a binding. Raises BadLine."""
    match = _SUBRESOURCE.fullmatch(path)
    if match is None:
        raise BadLine("error: of kubectl create --raw this command line knows the eviction and the binding of a pod")
    try:
        body: Any = decode(text)
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise BadLine("Error from server (BadRequest): the object provided is unrecognized")
    namespace, name, what = match.groups()
    row = sight.world.live_pod(namespace, name)
    if row is None:
        raise BadLine(not_found("pods", name).answer.kubectl)
    if what == "binding":
        target = body.get("target")
        node = str(target.get("name", "")) if isinstance(target, dict) else ""
        return made([Step(command=BindPod(target=row.key, node=node), done=_CREATED)], [])
    options = body.get("deleteOptions")
    grace = options.get("gracePeriodSeconds") if isinstance(options, dict) else None
    eviction = str(body["metadata"].get("name", "")) if isinstance(body.get("metadata"), dict) else ""
    command = EvictPod(target=row.key, grace_s=grace if isinstance(grace, int) else None, eviction="" if eviction == name else eviction)
    return made([Step(command=command, done=_CREATED)], [])
