"""``GET …/pods/NAME/log``: what a container has printed by a moment, as the kubelet sends it.

Source: pkg/registry/core/pod/strategy.go LogLocation and validateContainer; pkg/apis/core/validation
ValidatePodLogOptions.
"""

import re
from urllib.parse import urlencode

from msgspec import Struct
from msgspec.structs import replace

from simulator.door.exchange import DoorReply, DoorRequest, text_reply
from simulator.door.paths import ApiPath
from simulator.door.scene import DoorScene
from simulator.engine.apiserver.answer import Answer, ApiError, bad_request, not_found
from simulator.engine.kernel.bounded import whole_number
from simulator.engine.kernel.units import SECOND, Ms
from simulator.engine.model.status import ContainerStatus, Running
from simulator.engine.model.times import parse_time
from simulator.engine.world.rows import PodRow
from simulator.kubectl.logs import LogWanted, NoLog, attempt_read, log_of

_OPTIONS = ("follow", "limitBytes", "previous", "sinceSeconds", "sinceTime", "tailLines", "timestamps")
_REFUSED = re.compile(r"Error from server(?: \((?P<reason>\w+)\))?: (?P<message>.*)", re.DOTALL)
_CODES = {"BadRequest": 400, "NotFound": 404}
_COUNT_MAX = 2**31 - 1


def get_log(request: DoorRequest, place: ApiPath, scene: DoorScene) -> DoorReply:
    """The text of the log; 204 if the pod is not on a node yet. Raises ApiError."""
    row, container = log_source(request, place, scene)
    if not row.node:
        return DoorReply(status=204)
    return text_reply(log_text(row, container, wanted_of(request, scene), scene))


def log_source(request: DoorRequest, place: ApiPath, scene: DoorScene) -> tuple[PodRow, str]:
    """The pod and the name of the container. Raises ApiError."""
    row = scene.world.live_pod(place.namespace, place.name)
    if row is None:
        raise not_found("pods", place.name)
    return row, _container(row, request.value("container"))


def _container(row: PodRow, name: str) -> str:
    spec = row.pod.spec
    names = [item.name for item in spec.containers]
    inits, others = [item.name for item in spec.init_containers], [item.name for item in spec.ephemeral_containers]
    if name:
        if name not in (*names, *inits, *others):
            raise bad_request(f"container {name} is not valid for pod {row.name}")
        return name
    if len(names) == 1:
        return names[0]
    text = f"a container name must be specified for pod {row.name}, choose one of: [{' '.join(names)}]"
    text += f" or one of the init containers: [{' '.join(inits)}]" if inits else ""
    text += f" or one of the ephemeral containers: [{' '.join(others)}]" if others else ""
    raise bad_request(text)


def wanted_of(request: DoorRequest, scene: DoorScene) -> LogWanted:
    """What the query asks for. Raises ApiError (400)."""
    since_s = _number(request, "sinceSeconds")
    from_ms = None if since_s is None else scene.now_ms - since_s * SECOND
    if request.value("sinceTime"):
        from_ms = _moment(request.value("sinceTime"), scene)
    tail = _number(request, "tailLines")
    given = [(name, request.value(name)) for name in _OPTIONS if request.value(name)]
    return LogWanted(
        previous=request.has("previous"),
        timestamps=request.has("timestamps"),
        prefix=False,
        tail=-1 if tail is None else tail,
        from_ms=from_ms,
        limit_bytes=_number(request, "limitBytes") or 0,
        query=f"?{urlencode(given)}" if given else "",
    )


def _number(request: DoorRequest, name: str) -> int | None:
    text = request.value(name)
    if not text:
        return None
    number = whole_number(text, most=_COUNT_MAX)
    if number is None:
        raise bad_request(f'strconv.ParseInt: parsing "{text}": invalid syntax')
    return number


def _moment(text: str, scene: DoorScene) -> Ms:
    try:
        return parse_time(text) - scene.world.header.epoch_s * SECOND
    except ValueError:
        raise bad_request(f'parsing time "{text}" as "2006-01-02T15:04:05Z07:00": cannot parse "{text}" as "2006"') from None


class LogCursor(Struct, frozen=True):
    """How far a log has been sent: the instance, the moment, and how many lines of that moment."""

    attempt: int
    at_ms: Ms
    count: int


def log_so_far(row: PodRow, container: str, wanted: LogWanted, scene: DoorScene) -> tuple[str, LogCursor]:
    """The log so far, and the cursor at its end. Raises ApiError."""
    text = log_text(row, container, wanted, scene)
    return text, _cursor(row, container, attempt_read(row, container), scene)


def log_since(row: PodRow, container: str, wanted: LogWanted, scene: DoorScene, cursor: LogCursor) -> tuple[str, LogCursor, bool]:
    """The log since the cursor, the new cursor, and whether the container and with it the log has ended."""
    try:
        attempt = attempt_read(row, container)
    except NoLog:
        return "", cursor, True
    if attempt != cursor.attempt:
        return "", cursor, True
    text = log_text(row, container, replace(wanted, tail=-1, from_ms=cursor.at_ms, limit_bytes=0), scene)
    lines = text.split("\n")[cursor.count :]
    is_over = not any(item.name == container and isinstance(item.state, Running) for item in all_statuses(row))
    return "\n".join(lines), _cursor(row, container, attempt, scene), is_over


def _cursor(row: PodRow, container: str, attempt: int, scene: DoorScene) -> LogCursor:
    lines = scene.world.tables.logs.get((row.key, container), ())
    moments = [line[1] for line in lines if line[0] == attempt and line[1] <= scene.now_ms]
    return LogCursor(attempt, moments[-1], moments.count(moments[-1])) if moments else LogCursor(attempt, 0, 0)


def all_statuses(row: PodRow) -> tuple[ContainerStatus, ...]:
    """The published statuses of all containers."""
    return (*row.status.containers, *row.status.init_containers, *row.status.ephemeral_containers)


def log_text(row: PodRow, container: str, wanted: LogWanted, scene: DoorScene) -> str:
    """The log of a container. Raises ApiError if the kubelet has no log or does not answer."""
    try:
        return log_of(scene.sight, row, container, wanted)
    except NoLog as error:
        said = _REFUSED.fullmatch(str(error))
        reason, message = (said["reason"] or "", said["message"]) if said else ("BadRequest", str(error))
        raise ApiError(Answer(code=_CODES.get(reason, 500), reason=reason, message=message)) from None
