"""``kubectl run NAME --image=IMAGE``: a pod with one container, and the Service of ``--expose``.

Source: kubectl pkg/cmd/run/run.go, pkg/generate/versioned/run.go.
"""

import re
from typing import Any

from simulator.engine.kernel.json_text import Json, decode
from simulator.engine.versions.span import Span
from simulator.kubectl.generators.base import Generated, container_of, metadata, object_of, required
from simulator.kubectl.generators.stored import amount_of
from simulator.kubectl.line import BadLine, Line, unknown_flag
from simulator.kubectl.tables.model import Sight

_OLD_WORDS = Span(until=36)
_OLD_FLAGS = Span(until=23)
_GONE = ("limits", "requests", "serviceaccount", "hostport")
NO_EFFECT = ("generator", "replicas", "schedule")
"""Flags that the last kubectl to have them ignores."""
_IGNORES = Span(until=20)
"""The kubectl versions that still take them; seen with 1.20 and 1.24."""
_POLICIES = ("Always", "OnFailure", "Never")
_PULLS = ("Always", "IfNotPresent", "Never")
_IMAGE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/:@-]*")
_ENV = re.compile(r"[-._a-zA-Z][-._a-zA-Z0-9]*")


def run(line: Line, sight: Sight) -> list[Generated]:
    """The pod, and with ``--expose`` its Service, in the order of creation. Raises BadLine."""
    required(line, "image")
    _check(line, sight)
    name, pod = line.words[0], _pod(line, sight)
    if not line.has("expose"):
        return [pod]
    port = int(line.value("port"))
    ports = [{"protocol": "TCP", "port": port, "targetPort": port}]
    labels = pod.document["metadata"].get("labels") or {}
    meta = metadata(sight, name=name, namespace=line.value("namespace"), labels=_labels(line))
    service = object_of("Service", meta, {"spec": {"ports": ports, "selector": labels}, "status": {"loadBalancer": {}}}, sight)
    return [service, pod] if _OLD_WORDS.holds_for(sight.minor) else [pod, service]


def deprecated_flags(line: Line) -> list[str]:
    """What kubectl says about flags that it ignores."""
    return [
        f"Flag --{flag} has been deprecated, has no effect and will be removed in the future." for flag in NO_EFFECT if flag in line.flags
    ]


def attaches(line: Line) -> bool:
    """Whether it shows what the pod prints, and waits for its end."""
    return line.has("attach") if "attach" in line.flags else line.has("stdin")


def tells_what_it_made(minor: int) -> bool:
    """Whether it says of the Service of a pod that it attaches to that it was created; seen with 1.33 and 1.37."""
    return _OLD_WORDS.holds_for(minor)


def _check(line: Line, sight: Sight) -> None:
    """Raise BadLine for flags that exclude each other, checked in kubectl's order."""
    old = _OLD_WORDS.holds_for(sight.minor)
    if not _IGNORES.holds_for(sight.minor) and (gone := next((flag for flag in line.flags if flag in NO_EFFECT), "")):
        raise unknown_flag(gone, "run")
    hint = "\nSee 'kubectl run -h' for help and examples" if old else ""
    if not line.words:
        raise BadLine(f"error: NAME is required for run{hint}")
    image, port = line.value("image"), line.value("port")
    if _IMAGE.fullmatch(image) is None:
        raise BadLine(f'error: {"I" if old else "i"}nvalid image name "{image}": invalid reference format')
    if line.has("tty") and not line.has("stdin"):
        raise BadLine(f"error: -i/--stdin is required for containers with -t/--tty=true{hint}")
    attached = attaches(line)
    if line.has("rm") and not attached:
        raise BadLine(f"error: --rm should only be used for attached containers{hint}")
    if attached and line.value("dry-run") not in ("", "none"):
        what = "--dry-run=[server|client] can't be used with attached containers options (--attach, --stdin, or --tty)"
        raise BadLine(f"error: {what}{hint}")
    for value, known, what in (
        (line.value("image-pull-policy"), _PULLS, "image pull policy"),
        (line.value("restart"), _POLICIES, "restart policy"),
    ):
        if value and value not in known:
            valid = hint if old else f", valid values are: {', '.join(known)}"
            raise BadLine(f"error: invalid {what}: {value}{valid}")
    if line.has("expose") and not port:
        raise BadLine(f"error: --port must be set when exposing a service{hint}")
    if line.value("hostport") and not port and _OLD_FLAGS.holds_for(sight.minor):
        raise BadLine("error: --hostport requires --port to be specified")
    if port and not (port.isascii() and port.isdigit() and len(port) < 10):
        raise BadLine(f'error: strconv.Atoi: parsing "{port}": invalid syntax' if old else "error: --port must be a number")


def _pod(line: Line, sight: Sight) -> Generated:
    name, words = line.words[0], list(line.command or line.words[1:])
    container = container_of(
        name,
        line.value("image"),
        command=words if line.has("command") else [],
        args=[] if line.has("command") else words,
        ports=[{"containerPort": int(line.value("port"))}] if line.value("port") else [],
        env=[_variable(text) for text in line.given("env")],
        imagePullPolicy=line.value("image-pull-policy"),
        securityContext={"privileged": True} if line.has("privileged") else {},
        stdin=line.has("stdin"),
        stdinOnce=line.has("stdin") and not line.has("leave-stdin-open"),
        tty=line.has("tty"),
        resources=_resources(line, sight),
    )
    account = line.value("serviceaccount")
    spec = {"containers": [container], "restartPolicy": line.value("restart") or "Always", "dnsPolicy": "ClusterFirst"}
    meta = metadata(
        sight,
        name=name,
        namespace=line.value("namespace"),
        labels=_labels(line) or {"run": name},
        annotations=dict(sorted(_pair(text, "annotation") for text in line.given("annotations"))),
    )
    found = object_of("Pod", meta, {"spec": {**spec, **({"serviceAccountName": account} if account else {})}, "status": {}}, sight)
    return Generated(document=_overridden(found.document, line.value("overrides")))


def _labels(line: Line) -> dict[str, str]:
    return dict(sorted(_pair(text, "label") for text in line.value("labels").split(",") if text))


def _pair(text: str, what: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise BadLine(f"error: unexpected {what} spec: {text}")
    return key, value


def _variable(text: str) -> Json:
    name, equals, value = text.partition("=")
    if not equals or _ENV.fullmatch(name) is None:
        raise BadLine(f"error: invalid env: {text}")
    return {"name": name, **({"value": value} if value else {})}


def _resources(line: Line, sight: Sight) -> Json:
    """The resources from flags that the client had until 1.23."""
    found: Json = {}
    gone = next((flag for flag in line.flags if flag in _GONE), "")
    if gone and not _OLD_FLAGS.holds_for(sight.minor):
        raise unknown_flag(gone, "run")
    for flag in ("limits", "requests"):
        if line.value(flag):
            found[flag] = dict(sorted(amount_of(text) for text in line.value(flag).split(",")))
    return found


def _overridden(document: Json, text: str) -> Json:
    """The object with ``--overrides``, a JSON merge patch. Raises BadLine."""
    if not text:
        return document
    try:
        patch: Any = decode(text)
    except ValueError:
        raise BadLine("error: Invalid JSON Patch") from None
    if not isinstance(patch, dict):
        raise BadLine("error: Invalid JSON Patch")
    merged: Json = _merged(document, patch)
    if merged.get("kind") != "Pod" or not isinstance(merged.get("metadata"), dict) or not merged["metadata"].get("name"):
        raise BadLine("error: --overrides may not take the kind or the name of the pod away")
    return merged


def _merged(value: Any, patch: Any) -> Any:
    """RFC 7386."""
    if not isinstance(patch, dict):
        return patch
    held = dict(value) if isinstance(value, dict) else {}
    for key, item in patch.items():
        if item is None:
            held.pop(key, None)
        else:
            held[key] = _merged(held.get(key), item)
    return held
