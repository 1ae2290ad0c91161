"""``apply --prune``: what was applied before and is not in the input any more is deleted.

Source: kubectl pkg/cmd/apply/{apply,prune}.go, pkg/util/prune/prune.go.
"""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from simulator.engine.apiserver.documents.custom import kind_in
from simulator.engine.course.step import apply
from simulator.engine.kernel.json_text import Json
from simulator.engine.model.kinds import KindInfo
from simulator.engine.model.meta import LAST_APPLIED
from simulator.engine.model.selectors import BadSelector
from simulator.engine.versions.span import Span
from simulator.engine.world.world import World
from simulator.kubectl.acting.action import KubectlAction, Step, Target
from simulator.kubectl.acting.objects import deletion_of
from simulator.kubectl.find import documents_of
from simulator.kubectl.line import BadLine, Line, unknown_flag
from simulator.kubectl.tables.model import Sight, deprecated
from simulator.kubectl.tables.selectors import parse_selector

OF_APPLY = ("prune", "prune-allowlist", "prune-whitelist", "openapi-patch")
"""The flags that of the verbs that send manifests only ``apply`` has."""
_SPANS = {"prune-allowlist": Span(since=26), "prune-whitelist": Span(until=27)}
_RENAMED = "Flag --prune-whitelist has been deprecated, Use --prune-allowlist instead."
_NOT_ALL = (
    "error: all resources selected for prune without explicitly passing --all. To prune all resources, pass the --all flag. "
    "If you did not mean to prune all resources, specify a label selector"
)
_WITHIN = (
    *("ConfigMap", "Endpoints", "PersistentVolumeClaim", "Pod", "ReplicationController", "Secret", "Service", "Job", "CronJob", "Ingress"),
    *("DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"),
)
_OUTSIDE = ("Namespace", "PersistentVolume")


def check_applied(line: Line, sight: Sight, *, strategy: str) -> None:
    """Raise BadLine for flags of ``apply`` that its version does not have or that do not go together (Validate)."""
    if unknown := next((name for name in line.flags if name in _SPANS and not _SPANS[name].holds_for(sight.minor)), ""):
        raise unknown_flag(unknown, "apply")
    on_server, forced = line.has("server-side"), line.has("force")
    if line.has("force-conflicts") and not on_server:
        raise BadLine("error: --force-conflicts only works with --server-side")
    if strategy == "client" and on_server:
        raise BadLine("error: --dry-run=client doesn't work with --server-side (did you mean --dry-run=server instead?)")
    if forced and on_server:
        raise BadLine("error: --force cannot be used with --server-side")
    if forced and strategy == "server":
        raise BadLine("error: --dry-run=server cannot be used with --force")
    if line.has("all") and line.value("selector"):
        raise BadLine("error: cannot set --all and --selector at the same time")
    if line.has("prune") and not line.has("all") and not line.value("selector"):
        raise BadLine(_NOT_ALL)


def is_selected(document: Json, line: Line) -> bool:
    """Whether ``-l`` selects an object of the input. Raises BadLine."""
    try:
        return parse_selector(line.value("selector"))(document["metadata"].get("labels") or {})
    except BadSelector as error:
        raise BadLine(f"error: {error}") from None


def is_refused(step: Step, fork: World) -> bool:
    """Whether the server, a fork of the world, does not take a command."""
    return any(record.kind == "command" and record.target == "refused" for record in apply(fork, step.command))


def pruning(action: KubectlAction, documents: Sequence[Json], line: Line, sight: Sight) -> KubectlAction:
    """The action that also deletes what is to be pruned, unless an object of the input is refused. O(world). Raises BadLine."""
    fork, kinds = sight.world.fork(), _kinds(line, sight)
    said = [_RENAMED] if "prune-whitelist" in line.flags and _SPANS["prune-allowlist"].holds_for(sight.minor) else []
    if any(is_refused(step, fork) for step in action.steps):
        return replace(action, said=(*said, *action.said))
    said += [f"Warning: {text}" for info in kinds if (text := deprecated(info.kind, sight))]
    word = "" if line.value("output") == "name" else " pruned"
    steps = [
        Step(command=deletion_of(item, line, sight, None, force=False), done=f"{item.full_name}{word}")
        for item in _pruned(documents, kinds, line, sight)
    ]
    return replace(action, said=(*said, *action.said), steps=(*action.steps, *steps))


def _kinds(line: Line, sight: Sight) -> list[KindInfo]:
    """The kinds that are looked through, namespaced ones first. Raises BadLine."""
    named = [*line.listed("prune-allowlist"), *line.listed("prune-whitelist")]
    found = [_kind(text, sight) for text in named]
    if not named:
        found = [info for kind in (*_WITHIN, *_OUTSIDE) if (info := kind_in(sight.world, kind)) is not None]
    return sorted(found, key=lambda info: not info.namespaced)


def _kind(text: str, sight: Sight) -> KindInfo:
    parts = text.split("/")
    if len(parts) != 3:
        raise BadLine(f"error: invalid GroupVersionKind format: {text}, please follow <group/version/kind>")
    group, version, kind = "" if parts[0] == "core" else parts[0], parts[1], parts[2]
    info = kind_in(sight.world, kind)
    api_version = f"{group}/{version}" if group else version
    if info is None or info.kind != kind or api_version not in info.api_versions(sight.minor):
        raise BadLine(f'error: no matches for kind "{kind}" in version "{api_version}"')
    return info


def _pruned(documents: Sequence[Json], kinds: Sequence[KindInfo], line: Line, sight: Sight) -> Iterator[Target]:
    """The objects that were applied before, are selected, and are not in the input."""
    applied = {(item["kind"], item["metadata"].get("namespace") or "", item["metadata"].get("name")) for item in documents}
    spaces = sorted({space for _, space, _ in applied if space})
    for space in (*spaces, ""):
        for info in kinds:
            for item in documents_of(info, sight) if info.namespaced is bool(space) else ():
                metadata = item["metadata"]
                place = info.kind, metadata.get("namespace") or "", metadata["name"]
                was_applied = LAST_APPLIED in (metadata.get("annotations") or {})
                if place[1] == space and was_applied and place not in applied and is_selected(item, line):
                    yield Target(info, item)
