"""``kubectl logs``: what containers have printed by a moment, as the kubelet serves it.

Source: kubectl pkg/cmd/logs and pkg/polymorphichelpers/logsforobject.go; kubelet validateContainerLogStatus;
pkg/kubelet/kuberuntime/logs.

Which instance is read depends on the published status and not on the node: right after a restart the status still names
the previous instance, and that one's log is returned. Pods are printed one after the other, a whole container at a
time. The first container without a log ends the answer; what has been printed before stays.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from urllib.parse import urlencode

from msgspec import Struct

from simulator.engine.apiserver.answer import Answer, not_found
from simulator.engine.kernel.bounded import whole_number
from simulator.engine.kernel.units import SECOND, Ms
from simulator.engine.model.selectors import BadSelector
from simulator.engine.model.status import ContainerStatus, Running, Terminated, Waiting
from simulator.engine.model.times import format_time, parse_time
from simulator.engine.versions.span import Span
from simulator.engine.world.rows import PodRow
from simulator.kubectl.containers import all_names, default_container
from simulator.kubectl.durations import BadDuration, duration_of
from simulator.kubectl.find import documents_of, find_kind, is_namespace, namespace_of
from simulator.kubectl.line import BadLine, EndedWith, Line
from simulator.kubectl.tables.model import Sight, at
from simulator.kubectl.tables.selectors import parse_selector
from simulator.kubectl.unreachable import unreachable

_USAGE = "logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]"
_HELP = "See 'kubectl logs -h' for help and examples"
_NO_PODS_REPORTED = Span(since=21)
"""The kubectl versions that print a message if a selector matches no pods; seen with 1.20 and 1.24."""
_ASK = f"error: expected '{_USAGE}'.\nPOD or TYPE/NAME is a required argument for the logs command\n{_HELP}"
_CHOICES_LISTED = Span(since=36)
_SELECTED_TAIL = 10
"""The number of lines per container if a selector picks the pods and --tail is not given."""
_STARTING = {"ErrImagePull": ": image can't be pulled", "ImagePullBackOff": ": trying and failing to pull image"}


class NoLog(BadLine):
    """The kubelet's answer if a container has no log to read."""


class LogWanted(Struct, frozen=True, kw_only=True):
    """What the flags ask for; a ``tail`` below zero means all lines, ``from_ms`` is a moment of the run."""

    previous: bool
    timestamps: bool
    prefix: bool
    tail: int
    from_ms: Ms | None
    limit_bytes: int
    query: str


def logs(line: Line, sight: Sight) -> str:
    """The output of ``kubectl logs``; following stops at what has been printed by this moment. Raises BadLine."""
    wanted = _wanted(line, sight)
    found: list[str] = []
    try:
        for row, names in _pods(line, sight, found):
            found += (log_of(sight, row, name, wanted) for name in names)
    except NoLog as error:
        raise EndedWith("".join([*found, f"{error}\n"])) from None
    return "".join(found)


def _wanted(line: Line, sight: Sight) -> LogWanted:
    if line.value("since") and line.value("since-time"):
        raise BadLine("error: at most one of `sinceTime` or `sinceSeconds` may be specified")
    # -1 means all; a selector may pick many pods, so kubectl takes ten lines from each.
    tail = _number(line, "tail", _SELECTED_TAIL if line.value("selector") else -1)
    if tail < -1:
        raise BadLine("error: --tail must be greater than or equal to -1")
    since_ms = since_of(line)
    from_ms = None if since_ms is None else sight.now_ms - since_ms
    if line.value("since-time"):
        from_ms = _moment(line.value("since-time"), sight)
    return LogWanted(
        previous=line.has("previous"),
        timestamps=line.has("timestamps"),
        prefix=line.has("prefix"),
        tail=tail,
        from_ms=from_ms,
        limit_bytes=_number(line, "limit-bytes", 0),
        query=_query(line, tail, since_ms),
    )


def _query(line: Line, tail: int, since_ms: Ms | None) -> str:
    """The query string that the API server sends to the kubelet."""
    asked = [
        ("follow", "true" if line.has("follow") else ""),
        ("limitBytes", line.value("limit-bytes")),
        ("previous", "true" if line.has("previous") else ""),
        ("sinceSeconds", "" if since_ms is None else str(since_ms // SECOND)),
        ("sinceTime", line.value("since-time")),
        ("tailLines", "" if tail < 0 else str(tail)),
        ("timestamps", "true" if line.has("timestamps") else ""),
    ]
    given = urlencode([(name, value) for name, value in asked if value])
    return f"?{given}" if given else ""


def _number(line: Line, flag: str, otherwise: int) -> int:
    text = line.value(flag)
    if not text:
        return otherwise
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 10):
        raise BadLine(f'error: invalid argument "{text}" for "--{flag}" flag: strconv.ParseInt: parsing "{text}": invalid syntax')
    return int(text)


def since_of(line: Line) -> Ms | None:
    """``--since`` in milliseconds, rounded to whole seconds as in the request; None if it is not given. Raises BadLine."""
    text = line.value("since")
    if not text:
        return None
    try:
        return (duration_of(text) + SECOND // 2) // SECOND * SECOND
    except BadDuration as error:
        raise BadLine(f'error: invalid argument "{text}" for "--since" flag: {error}') from None


def _moment(text: str, sight: Sight) -> Ms:
    try:
        return parse_time(text) - sight.world.header.epoch_s * SECOND
    except ValueError:
        raise BadLine(f'error: parsing time "{text}" as "2006-01-02T15:04:05Z07:00": cannot parse "{text}" as "2006"') from None


def _pods(line: Line, sight: Sight, said: list[str]) -> Iterator[tuple[PodRow, list[str]]]:
    """The pods to read with their containers; kubectl's messages about its choice are added to ``said``."""
    words, selector, container = line.words, line.value("selector"), line.value("container")
    if selector and words:
        raise BadLine("error: only a selector (-l) or a POD name is allowed")
    if not selector and not 1 <= len(words) <= 2:
        raise BadLine(_ASK if not words else f"error: expected '{_USAGE}'.\n{_HELP}")
    if len(words) == 2:
        if container:
            raise BadLine("error: only one of -c or an inline [CONTAINER] arg is allowed")
        container = words[1]
    if container and line.has("all-containers"):
        raise BadLine("error: --all-containers=true should not be specified with container name " + container)
    rows = _selected(line, sight) if selector else [one_pod(words[0], line, sight, said)]
    if not rows and _NO_PODS_REPORTED.holds_for(sight.minor):
        said.append(f"No resources found in {namespace_of(line, sight)} namespace.\n")
    for row in rows:
        yield row, all_names(row) if line.has("all-containers") else [_container(row, container, sight, said)]


def _selected(line: Line, sight: Sight) -> list[PodRow]:
    return list(_that_fit(line.value("selector"), namespace_of(line, sight), sight))


def _that_fit(selector: str, namespace: str, sight: Sight) -> Iterator[PodRow]:
    """The pods of a namespace that a selector matches, by name."""
    try:
        fits = parse_selector(selector)
    except BadSelector as error:
        raise BadLine(f"error: {error}") from None
    for document in documents_of(find_kind("pods", sight), sight):
        metadata = document["metadata"]
        if metadata.get("namespace") == namespace and fits(metadata.get("labels") or {}):
            row = sight.world.live_pod(namespace, metadata["name"])
            if row is not None:
                yield row


def one_pod(word: str, line: Line, sight: Sight, said: list[str]) -> PodRow:
    """The pod with that name, or the first one that ``TYPE/NAME`` selects."""
    kind, slash, name = word.rpartition("/")
    info = find_kind(kind, sight) if slash else find_kind("pods", sight)
    namespace = namespace_of(line, sight)
    if info.kind == "Pod":
        row = sight.world.live_pod(namespace, name)
        if row is None:
            lost = not_found("pods", name) if is_namespace(namespace, sight) else not_found("namespaces", namespace)
            raise BadLine(_missing(lost.answer, namespace, sight))
        return row
    owner = next((item for item in documents_of(info, sight) if _names(item) == (namespace if info.namespaced else "", name)), None)
    if owner is None:
        missing = not_found(info.plural, name, group=info.group).answer
        raise BadLine(_missing(missing, namespace, sight) if line.verb == "logs" else missing.kubectl)
    selector = at(owner, "spec", "selector") or {}
    labels = selector.get("matchLabels", {}) if "matchLabels" in selector or "matchExpressions" in selector else selector
    if not labels:
        go_type = f"*{info.api_version(sight.minor).rpartition('/')[2]}.{info.kind}"
        raise BadLine(f"error: cannot get the logs from {go_type}: selector for {go_type} not implemented")
    rows = list(_that_fit(",".join(f"{key}={value}" for key, value in labels.items()), namespace, sight))
    if not rows:
        raise BadLine("error: timed out waiting for the condition")
    # A stable sort: pods created together stay in order of their names.
    rows.sort(key=lambda row: (row.status.phase != "Running", row.created_ms))
    if len(rows) > 1:
        said.append(f"Found {len(rows)} pods, using pod/{rows[0].name}\n")
    return rows[0]


def _missing(said: Answer, namespace: str, sight: Sight) -> str:
    """The server's 404 as logs prints it."""
    return (
        said.kubectl
        if not sight.facts.logs_not_found_namespace
        else f'error: error from server (NotFound): {said.message} in namespace "{namespace}"'
    )


def _names(document: dict[str, object]) -> tuple[str, str]:
    return str(at(document, "metadata", "namespace") or ""), str(at(document, "metadata", "name"))


def _container(row: PodRow, asked: str, sight: Sight, said: list[str]) -> str:
    names = all_names(row)
    if not asked:
        asked = default_container(row, sight, said) if sight.facts.logs_default_container else _only(row)
    if asked not in names:
        inits = {item.name for item in row.pod.spec.init_containers}
        shown = sorted((f"{name} (init)" if name in inits else name for name in names), key=lambda name: name.endswith(" (init)"))
        of = f" out of: {', '.join(shown)}" if _CHOICES_LISTED.holds_for(sight.minor) else ""
        raise BadLine(f"error: container {asked} is not valid for pod {row.name}{of}")
    return asked


def _only(row: PodRow) -> str:
    """The only container of a pod; until 1.23 kubectl required a name if there are several."""
    spec = row.pod.spec
    if len(spec.containers) == 1:
        return spec.containers[0].name
    text = f"error: a container name must be specified for pod {row.name}, choose one of: [{_listed(spec.containers)}]"
    if spec.init_containers:
        text += f" or one of the init containers: [{_listed(spec.init_containers)}]"
    if spec.ephemeral_containers:
        text += f" or one of the ephemeral containers: [{_listed(spec.ephemeral_containers)}]"
    raise BadLine(text)


def _listed(containers: Iterable[object]) -> str:
    return " ".join(str(getattr(item, "name", "")) for item in containers)


def log_of(sight: Sight, row: PodRow, container: str, wanted: LogWanted) -> str:
    """The text of one container's log. Raises NoLog if the kubelet has none."""
    if not row.node:
        return ""  # without a kubelet to ask, the API server answers with nothing
    path = f"containerLogs/{row.namespace}/{row.name}/{container}{wanted.query}"
    refused = unreachable(sight.world, row.node, path)
    if refused:
        raise NoLog(refused)
    attempt = attempt_read(row, container, previous=wanted.previous)
    # The world may be ahead of the moment asked about.
    lines = [line for line in sight.world.tables.logs.get((row.key, container), ()) if line[0] == attempt and line[1] <= sight.now_ms]
    # The kubelet's order: first cut to the tail, then filter by time.
    if wanted.tail >= 0:
        lines = lines[max(len(lines) - wanted.tail, 0) :]
    prefix = f"[pod/{row.name}/{container}] " if wanted.prefix else ""
    texts = (
        f"{prefix}{_stamp(line[1], sight) if wanted.timestamps else ''}{line[3]}\n"
        for line in lines
        if wanted.from_ms is None or line[1] >= wanted.from_ms
    )
    text = "".join(texts)
    # The limit counts bytes: a character cut in half is dropped.
    return text.encode()[: wanted.limit_bytes].decode(errors="ignore") if wanted.limit_bytes else text


def _stamp(moment: Ms, sight: Sight) -> str:
    """``2026-01-01T00:00:04.120000000Z`` and a space."""
    at_ms = moment + sight.world.header.epoch_s * SECOND
    return f"{format_time(at_ms)[:-1]}.{at_ms % SECOND * 1_000_000:09d}Z "


def attempt_read(row: PodRow, container: str, *, previous: bool = False) -> int:
    """The instance whose log is read, according to the published status. Raises NoLog."""
    where = f'container "{container}" in pod "{row.name}"'
    status = _status(row, container)
    if status is None:
        raise _no_log(f"{where} is not available")
    state, last = status.state, status.last_state
    last_id = last.container_id if isinstance(last, Terminated) else ""
    if previous:
        if not last_id:
            raise _no_log(f'previous terminated container "{container}" in pod "{row.name}" not found')
        return _number_of(last_id)
    if isinstance(state, Running):
        return _number_of(status.container_id)
    if isinstance(state, Terminated) or isinstance(last, Terminated):
        found = (state.container_id if isinstance(state, Terminated) else "") or last_id
        if not found:
            raise _no_log(f"{where} is terminated")
        return _number_of(found)
    if isinstance(state, Waiting) and state.reason:
        raise _no_log(f"{where} is waiting to start{_STARTING.get(state.reason, f': {state.reason}')}")
    raise _no_log(f"{where} is waiting to start - no logs yet")


def readable(row: PodRow, container: str) -> dict[int, str]:
    """The instances whose logs kubectl can read now, each with the flag it needs: none, or ``--previous``."""
    found: dict[int, str] = {}
    # The plain line last: if both read the same instance, no flag is needed.
    for flag in (" --previous", ""):
        with suppress(NoLog):
            found[attempt_read(row, container, previous=bool(flag))] = flag
    return found if row.node else {}


def _status(row: PodRow, container: str) -> ContainerStatus | None:
    status = row.status
    listed = (*status.containers, *status.init_containers, *status.ephemeral_containers)
    return next((item for item in listed if item.name == container), None)


def _no_log(message: str) -> NoLog:
    return NoLog(f"Error from server (BadRequest): {message}")


def _number_of(container_id: str) -> int:
    """The attempt in ``app#2``; 0 for an id from an imported status, which has none."""
    number = container_id.rpartition("#")[2]
    return whole_number(number) or 0
