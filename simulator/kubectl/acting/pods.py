"""Lines about pods: exec, evict, and the two requests that ``create --raw`` sends to a pod's subresource.

Source: kubectl pkg/cmd/{exec,create}.
"""

import re
from typing import Any

from msgspec.structs import replace

from simulator.engine.acts.containers.exec import NEWEST, ExecInContainer, WriteToExec
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.pods.bind import BindPod
from simulator.engine.acts.pods.evict import EvictPod
from simulator.engine.apiserver.answer import not_found
from simulator.engine.apiserver.documents.custom import kind_in
from simulator.engine.course.step import apply
from simulator.engine.kernel.bounded import is_digits, whole_number
from simulator.engine.kernel.json_text import Json, decode
from simulator.engine.model.status import TERMINAL_PHASES
from simulator.engine.world.rows import PodRow
from simulator.kubectl.acting.action import KubectlAction, Step, made, targets
from simulator.kubectl.acting.applying import body_of, live
from simulator.kubectl.containers import all_names, default_container
from simulator.kubectl.find import check_namespace, find_kind, namespace_of
from simulator.kubectl.line import BadLine, Line
from simulator.kubectl.logs import one_pod
from simulator.kubectl.output.texts import json_text
from simulator.kubectl.tables.model import Sight
from simulator.kubectl.unreachable import unreachable

_SUBRESOURCE = re.compile(r"/api/v1/namespaces/([^/]+)/pods/([^/]+)/(eviction|binding)")
_LIST = re.compile(r"(?:/api/v1|/apis/([^/]+)/([^/]+))(?:/namespaces/([^/]+))?/([^/]+)")
_NO_RESOURCE = "Error from server (NotFound): the server could not find the requested resource"
_RAW_SHOWN = 30
"""How many bytes of an unreadable body the server shows."""
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
    # For a workload, the pod that logs would pick; exec does not print its choice.
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
    """``echo TEXT | kubectl exec -i POD -- COMMAND``: the command, followed by the piped input."""
    begun = action.steps[0].command
    if not isinstance(begun, ExecInContainer) or not begun.stdin:
        return action
    sent = WriteToExec(target=begun.target, container=begun.container, exec=NEWEST, text=text, is_end=True)
    return replace(action, steps=(*action.steps, Step(command=sent)))


def type_in(line: Line, sight: Sight) -> KubectlAction:
    """``type NUMBER -- TEXT``: text typed into a session of this command line. kubectl has no such command: it uses a terminal."""
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
    """The pod that ``web`` or ``pod/web`` names. Raises BadLine."""
    kind, slash, name = word.rpartition("/")
    if slash and find_kind(kind, sight).kind != "Pod":
        raise BadLine(f"error: this command line takes a pod here, not {word}")
    row = sight.world.live_pod(namespace_of(line, sight), name)
    if row is None:
        check_namespace(namespace_of(line, sight), sight)
        raise BadLine(not_found("pods", name).answer.kubectl)
    return row


def _container(line: Line, row: PodRow, sight: Sight, said: list[str]) -> str:
    asked = line.value("container")
    if asked and asked not in all_names(row):
        raise BadLine(f"error: container {asked} not found in pod {row.name}")
    # -q only suppresses the message about the default container.
    quiet: list[str] = []
    return asked or default_container(row, sight, quiet if line.has("quiet") else said)


def evict(line: Line, sight: Sight) -> KubectlAction:
    """``evict POD…``: the eviction that drain requests for each pod. kubectl has no such command, but a plugin does."""
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


def _raw_body(text: str, kind: str) -> Json:
    """The body as a JSON object. Raises BadLine with the server's answer for anything else."""
    try:
        body: Any = decode(text)
    except ValueError:
        body = None
    if isinstance(body, dict):
        return body
    raise BadLine(f"Error from server (BadRequest): the object provided is unrecognized (must be of type {kind}): {not_json(text)}")


def not_json(text: str) -> str:
    """Why the server does not accept a body as an object: what is wrong with its first character, and its first bytes in hexadecimal."""
    sent, first = text.encode(), text.lstrip()[:1]
    shown = sent[:_RAW_SHOWN].hex() + (" ..." if len(sent) > _RAW_SHOWN else "")
    problem = f"invalid character '{first}' looking for beginning of value" if first else "unexpected end of JSON input"
    return f"couldn't get version/kind; json parse error: {problem} ({shown})"


def _posted(path: str, text: str, sight: Sight) -> KubectlAction:
    """A body posted to a collection; the server answers with the object it would create from it at this moment."""
    match = _LIST.fullmatch(path)
    if match is None:
        raise BadLine(_NO_RESOURCE)
    info = kind_in(sight.world, f"{match[4]}.{match[1]}" if match[1] else match[4])
    if info is None:
        raise BadLine(_NO_RESOURCE)
    body = _raw_body(text, info.kind)
    namespace = match[3] or ""
    command = ApplyManifest(documents=(body_of(body),), namespace=namespace, create=True)
    fork = sight.world.fork()
    apply(fork, command)
    made_of = live(fork, {"kind": info.kind, "metadata": {**(body.get("metadata") or {}), "namespace": namespace}})
    return made([Step(command=command, done=json_text(made_of or body, indent=None))], [])


def create_raw(path: str, text: str, sight: Sight) -> KubectlAction:
    """``echo BODY | kubectl create --raw PATH -f -`` for an eviction, a binding or a new object. Raises BadLine."""
    match = _SUBRESOURCE.fullmatch(path)
    if match is None:
        return _posted(path, text, sight)
    body = _raw_body(text, match[3].capitalize())
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
