"""``kubectl debug``: an ephemeral container in a pod, a copy of a pod with another container, or a pod on a node.

Source: kubectl pkg/cmd/debug/debug.go, pkg/cmd/attach; what each version prints was read from the clients 1.20 to 1.37.
"""

from collections.abc import Iterator

from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.pods.debug import DebugPod
from simulator.engine.apiserver.answer import not_found
from simulator.engine.apiserver.documents.pod import pod_document
from simulator.engine.kernel.ids import name_suffix
from simulator.engine.kernel.json_text import Json
from simulator.engine.model.service_account import TOKEN_PATH
from simulator.engine.versions.span import Span
from simulator.engine.world.rows import PodRow
from simulator.kubectl.acting.action import KubectlAction, Step, made
from simulator.kubectl.acting.applying import body_of
from simulator.kubectl.acting.pods import pod_named
from simulator.kubectl.containers import all_names
from simulator.kubectl.find import find_kind, namespace_of
from simulator.kubectl.line import BadLine, Line
from simulator.kubectl.tables.model import Sight

_NO_EPHEMERAL = (
    'error: ephemeral containers are disabled for this cluster (error from server: "the server could not find the requested resource").'
)
_LEGACY_ENDS = Span(since=32, until=35)
_LEGACY = (
    "--profile=legacy is deprecated and will be removed in the future. "
    'It is recommended to explicitly specify a profile, for example "--profile=general".'
)
_RECORDED = Span(since=34)
_KEPT = (
    "All commands and output from this session will be recorded in container logs, "
    "including credentials and sensitive information passed through the command prompt."
)
_PROMPT = "If you don't see a command prompt, try pressing enter."
_AS_A_LIST = Span(until=21)
"""The kubectl versions that write a pod's ephemeral containers as a list of its own; seen with 1.20 and 1.24."""
_PROFILES = ("legacy", "general", "baseline", "netadmin", "restricted", "sysadmin", "auto")
_QUOTED = Span(until=25)
"""The kubectl versions that put the name of an unknown profile in quotes; seen with 1.24 and 1.27."""
_ASK = "\nSee 'kubectl debug -h' for help and examples"


def debug(line: Line, sight: Sight) -> KubectlAction:
    """``kubectl debug POD|node/NODE --image=IMAGE``. Raises BadLine."""
    if not line.words:
        raise BadLine(f"error: NAME or TYPE/NAME is required for debug{_ASK}")
    if not line.value("image") and not line.value("copy-to"):
        raise BadLine("error: you must specify --image when not using --copy-to.")
    if line.value("profile") and line.value("profile") not in _PROFILES:
        quoted = f" '{line.value('profile')}'" if _QUOTED.holds_for(sight.minor) else f": {line.value('profile')}"
        raise BadLine(f"error: unknown profile{quoted}")
    warned = [_LEGACY] if _LEGACY_ENDS.holds_for(sight.minor) and line.value("profile") in ("", "legacy") else []
    kind, slash, name = line.words[0].rpartition("/")
    if slash and find_kind(kind, sight).kind == "Node":
        return _on_node(name, line, sight, warned)
    row = pod_named(line.words[0], line, sight)
    return _copying(row, line, sight, warned) if line.value("copy-to") else _ephemeral(row, line, sight, warned)


def _ephemeral(row: PodRow, line: Line, sight: Sight, warned: list[str]) -> KubectlAction:
    name, said = line.value("container"), list(warned)
    target = line.value("target")
    if target and not _AS_A_LIST.holds_for(sight.minor):
        said.append(
            f'Targeting container "{target}". If you don\'t see processes from this container it may be because the container runtime '
            "doesn't support this feature."
        )
    if not name:
        name = _new_name(row, sight)
        said.append(f"Defaulting debug container name to {name}.")
    if not sight.world.profile.ephemeral_containers:
        raise BadLine("\n".join([*([] if sight.facts.debug_asks_first else said), _NO_EPHEMERAL]))
    made_of = DebugPod(target=row.key, container=name, image=line.value("image"), command=_command(line), target_container=target)
    failing = "error updating ephemeral containers: " if _AS_A_LIST.holds_for(sight.minor) else ""
    return made([Step(command=made_of, failing=failing)], [], said=[*said, *attached_words(line, sight)])


def _command(line: Line) -> tuple[str, ...]:
    return tuple(line.command or line.words[1:])


def _new_name(row: PodRow, sight: Sight) -> str:
    """``debugger-`` and a five-letter suffix that no container of the pod uses."""
    taken, seed = all_names(row), sight.world.header.seed
    return next(name for n in range(len(taken) + 1) if (name := f"debugger-{name_suffix(seed, row.key, n)}") not in taken)


def attached_words(line: Line, sight: Sight) -> Iterator[str]:
    """What kubectl prints once it is attached; empty if it does not attach."""
    attaches = line.has("attach") if "attach" in line.flags else line.has("stdin")
    if attaches and not line.has("quiet"):
        yield from [_KEPT] if _RECORDED.holds_for(sight.minor) else []
        yield _PROMPT


def _copying(row: PodRow, line: Line, sight: Sight, warned: list[str]) -> KubectlAction:
    """A new pod with the spec of the other one, but without its labels, so that nothing selects it."""
    shown, said = pod_document(sight.world, row.key), list(warned)
    spec = _without_token({key: value for key, value in shown["spec"].items() if key != "ephemeralContainers"})
    if not line.has("same-node"):
        spec.pop("nodeName", None)
    if "share-processes" in line.flags:
        spec["shareProcessNamespace"] = line.has("share-processes")
    images = dict(pair.split("=", 1) for pair in line.listed("set-image") if "=" in pair)
    spec["containers"] = [_with_image(item, images) for item in spec["containers"]]
    name = line.value("container")
    if line.value("image"):
        if not name:
            name = _new_name(row, sight)
            said.append(f"Defaulting debug container name to {name}.")
        spec["containers"] = list(_with_debugger(spec["containers"], name, line))
    elif not images and name not in {item["name"] for item in spec["containers"]}:
        raise BadLine("error: you must specify image when creating new container")
    elif _command(line):
        spec["containers"] = list(_with_debugger(spec["containers"], name, line))
    notes = shown["metadata"].get("annotations")
    metadata = {"name": line.value("copy-to"), "namespace": row.namespace, **({"annotations": notes} if notes else {})}
    document = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
    return made([_created(document)], [], said=[*said, *attached_words(line, sight)])


def _without_token(spec: Json) -> Json:
    """The spec without the token volume that admission added: the copy gets its own."""
    mounts = [mount for item in spec["containers"] for mount in item.get("volumeMounts") or () if mount["mountPath"] == TOKEN_PATH]
    names = {mount["name"] for mount in mounts}

    def bare(container: Json) -> Json:
        return {**container, "volumeMounts": [item for item in container.get("volumeMounts") or () if item["name"] not in names]}

    found = {**spec, "volumes": [item for item in spec.get("volumes") or () if item["name"] not in names]}
    return found | {key: [bare(item) for item in spec[key]] for key in ("containers", "initContainers") if key in spec}


def _created(document: Json) -> Step:
    return Step(command=ApplyManifest(documents=(body_of(document),), namespace=document["metadata"]["namespace"], create=True))


def _with_image(container: Json, images: dict[str, str]) -> Json:
    image = images.get(container["name"]) or images.get("*")
    return {**container, "image": image} if image else container


def _with_debugger(containers: list[Json], name: str, line: Line) -> Iterator[Json]:
    """The containers with the debugger appended, or replacing the container of the same name."""
    flags = {key: True for key, flag in (("stdin", "stdin"), ("tty", "tty")) if line.has(flag)}
    new: Json = {"name": name, "terminationMessagePolicy": "FallbackToLogsOnError"}
    for item in containers:
        if item["name"] != name:
            yield item
        else:
            new = {key: value for key, value in item.items() if key != "args" or not _command(line)}
    yield {
        **new, **flags,
        **({"image": line.value("image")} if line.value("image") else {}),
        **({"command": list(_command(line))} if _command(line) else {}),
    }  # fmt: skip


def _on_node(name: str, line: Line, sight: Sight, warned: list[str]) -> KubectlAction:
    """A pod on the node that shares the host's namespaces and mounts its root filesystem under /host."""
    node = sight.world.tables.nodes.get(name)
    if node is None or node.is_deleted:
        raise BadLine(not_found("nodes", name).answer.kubectl)
    space, container = namespace_of(line, sight), line.value("container") or "debugger"
    begun = f"node-debugger-{name}-"
    pod = next(
        found for n in range(1000) if not _is_taken(found := f"{begun}{name_suffix(sight.world.header.seed, name, n)}", space, sight)
    )
    mount = {"mountPath": "/host", "name": "host-root"}
    (debugger,) = _with_debugger([], container, line)
    spec = {
        "containers": [{**debugger, "terminationMessagePolicy": "File", "volumeMounts": [mount]}],
        "hostIPC": True, "hostNetwork": True, "hostPID": True, "nodeName": name, "restartPolicy": "Never",
        "tolerations": [{"operator": "Exists"}], "volumes": [{"name": "host-root", "hostPath": {"path": "/"}}],
    }  # fmt: skip
    document = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": pod, "namespace": space}, "spec": spec}
    said = f"Creating debugging pod {pod} with container {container} on node {name}."
    return made([_created(document)], [], said=[*warned, said, *attached_words(line, sight)])


def _is_taken(name: str, space: str, sight: Sight) -> bool:
    return sight.world.live_pod(space, name) is not None
