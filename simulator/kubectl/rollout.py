"""``kubectl rollout status`` and ``history``: how far a rollout has got, and its revisions.

Source: kubectl pkg/polymorphichelpers/rollout_status.go, history.go. The status is that of one moment; kubectl prints
it again whenever it changes, until the rollout is over.
"""

from collections.abc import Callable, Iterable

from simulator.engine.kernel.bounded import is_digits, whole_number
from simulator.engine.kernel.json_text import Json
from simulator.engine.versions.span import Span
from simulator.kubectl.align import align
from simulator.kubectl.describe_workloads import managed_by, own_sets, revision_of, template_lines
from simulator.kubectl.find import find_kind, missing_text, pick
from simulator.kubectl.generators.base import as_typed
from simulator.kubectl.help import wants_help
from simulator.kubectl.line import BadLine, Line, parse_line, verb_of
from simulator.kubectl.output.managed import with_managers
from simulator.kubectl.output.printer import print_object
from simulator.kubectl.output.texts import ordered
from simulator.kubectl.shell import shell_line
from simulator.kubectl.tables.model import Sight, at

CHANGE_CAUSE = "kubernetes.io/change-cause"
_ITSELF = Span(until=26)
"""The kubectl versions whose ``rollout history -o`` prints the workload itself; seen with 1.24 and 1.27."""
_HEAD = "REVISION\tCHANGE-CAUSE"
_ROLLING = "RollingUpdate"


def follows_rollout(text: str) -> bool:
    """Whether a line is a ``rollout status`` that waits for the end, which is the default. With a pipe it only shows its moment."""
    try:
        typed = shell_line(text)
        if typed.filters or wants_help(typed.words) or verb_of(typed.words) != "rollout" or "status" not in typed.words:
            return False
        line = parse_line(typed.words)
    except BadLine:
        return False
    return line.words[:1] == ("status",) and line.value("watch") != "false"


def is_under_way(text: str) -> bool:
    """Whether the last output of ``rollout status`` says that it is still waiting."""
    return text.lower().startswith("waiting for ")


def rollout(line: Line, sight: Sight) -> str:
    """The output of ``rollout status`` or ``rollout history``. Raises BadLine."""
    verb, words = line.words[0] if line.words else "", line.words[1:]
    if verb not in _VERBS:
        raise BadLine(f"error: unknown command \"rollout {verb}\"\nSee 'kubectl rollout --help' for usage.")
    if not words:
        raise BadLine("error: required resource not specified")
    if line.value("selector") and (len(words) > 1 or "/" in words[0]):
        raise BadLine("error: selectors and the all flag cannot be used when passing resource/name arguments")
    picked = pick(_of(line, words), sight)
    errors = [text for item in picked for text in missing_text(item)]
    if errors:
        raise BadLine(errors[0])
    found = [(item.info, document) for item in picked for document in item.items]
    return "".join(_VERBS[verb](document, line, sight, f"{info.singular}.{info.group}") for info, document in found)


def _of(line: Line, words: tuple[str, ...]) -> Line:
    return Line(verb=line.verb, words=words, flags=line.flags)


def _status(document: Json, line: Line, sight: Sight, kind: str) -> str:
    wanted = whole_number(line.value("revision")) or 0
    if wanted and document["kind"] == "Deployment" and wanted != (running := revision_of(document)):
        raise BadLine(f"error: desired revision ({wanted}) is different from the running revision ({running})")
    show = _SHOWN.get(document["kind"])
    if show is None:
        raise BadLine(f"error: no status viewer has been implemented for {_of_group(document)}")
    return f"{show(document, document['metadata']['name'])}\n"


def _of_group(document: Json) -> str:
    """``Job.batch``."""
    group = str(document["apiVersion"]).rpartition("/")[0]
    return f"{document['kind']}{f'.{group}' if group else ''}"


def _untabbed(lines: Iterable[str]) -> str:
    """The lines of a template with their tabs: the history of a rollout is not aligned."""
    return "".join(f"{line}\n" for line in lines)


def _count(document: Json, *path: str) -> int:
    return int(at(document, *path) or 0)


def _is_unseen(document: Json) -> bool:
    return _count(document, "metadata", "generation") > _count(document, "status", "observedGeneration")


def _deployment(document: Json, name: str) -> str:
    if _is_unseen(document):
        # The controller has not seen this generation yet: its counts are about the previous one.
        return "Waiting for deployment spec update to be observed..."
    conditions = {item.get("type"): item.get("reason") for item in at(document, "status", "conditions") or ()}
    if conditions.get("Progressing") == "ProgressDeadlineExceeded":
        raise BadLine(f'error: deployment "{name}" exceeded its progress deadline')
    wanted = at(document, "spec", "replicas")
    updated, total, available = (_count(document, "status", key) for key in ("updatedReplicas", "replicas", "availableReplicas"))
    waiting = f'Waiting for deployment "{name}" rollout to finish: '
    if wanted is not None and updated < int(wanted):
        return f"{waiting}{updated} out of {wanted} new replicas have been updated..."
    # The rollout is over only when every old replica is gone.
    if total > updated:
        return f"{waiting}{total - updated} old replicas are pending termination..."
    if available < updated:
        return f"{waiting}{available} of {updated} updated replicas are available..."
    return f'deployment "{name}" successfully rolled out'


def _daemon_set(document: Json, name: str) -> str:
    if at(document, "spec", "updateStrategy", "type") != _ROLLING:
        raise BadLine(f"error: rollout status is only available for {_ROLLING} strategy type")
    if _is_unseen(document):
        return "Waiting for daemon set spec update to be observed..."
    wanted, updated = _count(document, "status", "desiredNumberScheduled"), _count(document, "status", "updatedNumberScheduled")
    available, waiting = _count(document, "status", "numberAvailable"), f'Waiting for daemon set "{name}" rollout to finish: '
    if updated < wanted:
        return f"{waiting}{updated} out of {wanted} new pods have been updated..."
    if available < wanted:
        return f"{waiting}{available} of {wanted} updated pods are available..."
    return f'daemon set "{name}" successfully rolled out'


def _stateful_set(document: Json, name: str) -> str:
    if at(document, "spec", "updateStrategy", "type") != _ROLLING:
        raise BadLine(f"error: rollout status is only available for {_ROLLING} strategy type")
    if not _count(document, "status", "observedGeneration") or _is_unseen(document):
        return "Waiting for statefulset spec update to be observed..."
    wanted, ready = _count(document, "spec", "replicas"), _count(document, "status", "readyReplicas")
    if ready < wanted:
        return f"Waiting for {wanted - ready} pods to be ready..."
    partition, updated = at(document, "spec", "updateStrategy", "rollingUpdate", "partition"), _count(document, "status", "updatedReplicas")
    # The API server defaults the partition to 0, and kubectl treats that as a partition.
    if partition is not None:
        if updated < wanted - partition:
            return f"Waiting for partitioned roll out to finish: {updated} out of {wanted - partition} new pods have been updated..."
        return f"partitioned roll out complete: {updated} new pods have been updated..."
    new, held = at(document, "status", "updateRevision"), at(document, "status", "currentRevision")
    if new != held:
        return f"waiting for statefulset rolling update to complete {updated} pods at revision {new}..."
    return f"statefulset rolling update complete {_count(document, 'status', 'currentReplicas')} pods at revision {held}..."


_SHOWN: dict[str, Callable[[Json, str], str]] = {"Deployment": _deployment, "DaemonSet": _daemon_set, "StatefulSet": _stateful_set}


def _history(document: Json, line: Line, sight: Sight, kind: str) -> str:
    if document["kind"] not in _KEPT:
        raise BadLine(f'error: no history viewer has been implemented for "{_of_group(document)}"')
    name, asked = document["metadata"]["name"], line.value("revision")
    if asked and (not is_digits(asked) or len(asked) > 18):
        raise BadLine(f'error: invalid argument "{asked}" for "--revision" flag: strconv.ParseInt: parsing "{asked}": invalid syntax')
    kept = _KEPT[document["kind"]](document, sight)
    if line.value("output"):
        return _printed(document, kept, int(asked or 0), line, sight)
    # Revision 0 means the whole list.
    if asked and int(asked):
        return _one(kept, int(asked), f"{kind}/{name}", sight)
    rows = [f"{revision}\t{_cause(kept[revision])}" for revision in sorted(kept)]
    return f"{kind}/{name} \n{align([_HEAD, *rows])}\n"


def _printed(document: Json, kept: dict[int, Json], asked: int, line: Line, sight: Sight) -> str:
    """The object that keeps a revision, in an output format; all of them, one after the other, if no revision is given."""
    if asked and asked not in kept:
        raise BadLine("error: unable to find the specified revision")
    texts = []
    found = [kept[asked]] if asked else [kept[revision] for revision in sorted(kept)]
    for item in [document] if _ITSELF.holds_for(sight.minor) else found:
        shown = ordered(as_typed(with_managers(item, line, sight), sight))
        info = find_kind(item["kind"], sight)
        full_name = f"{info.singular}.{info.group}/{item['metadata']['name']}"
        texts += [print_object(shown, line.value("output"), full_name=full_name, line=line, sight=sight)]
    return ("---\n" if line.value("output") == "yaml" else "").join(texts)


def _sets(document: Json, sight: Sight) -> dict[int, Json]:
    return {revision_of(item): item for item in own_sets(document, sight)}


def _revisions(document: Json, sight: Sight) -> dict[int, Json]:
    """The ControllerRevisions of a DaemonSet or StatefulSet."""
    return {_count(item, "revision"): item for item in managed_by(document, "ControllerRevision", sight)}


_KEPT: dict[str, Callable[[Json, Sight], dict[int, Json]]] = {"Deployment": _sets, "DaemonSet": _revisions, "StatefulSet": _revisions}
"""The objects that keep the templates of each kind's revisions."""


def _one(kept: dict[int, Json], revision: int, name: str, sight: Sight) -> str:
    if revision not in kept:
        raise BadLine("error: unable to find the specified revision")
    keeper = kept[revision]
    template = at(keeper, "spec", "template") or at(keeper, "data", "spec", "template") or {}
    cause = (keeper["metadata"].get("annotations") or {}).get(CHANGE_CAUSE) if keeper["kind"] == "ReplicaSet" else None
    if cause:
        metadata = template.get("metadata") or {}
        template = {**template, "metadata": {**metadata, "annotations": {**(metadata.get("annotations") or {}), CHANGE_CAUSE: cause}}}
    return f"{name} with revision #{revision}\n{_untabbed(template_lines(template, sight))}\n"


def _cause(item: Json) -> str:
    return str((item["metadata"].get("annotations") or {}).get(CHANGE_CAUSE) or "<none>")


_VERBS: dict[str, Callable[[Json, Line, Sight, str], str]] = {"status": _status, "history": _history}
