"""Lines about objects of any kind: delete, label, annotate, patch, scale.

Source: kubectl pkg/cmd/{delete,label,annotate,patch,scale}.
"""

import json
from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from simulator.engine.acts.nodes.delete import DeleteNode
from simulator.engine.acts.nodes.label import LabelNode
from simulator.engine.acts.objects.delete import DeleteObject
from simulator.engine.acts.objects.load import SetLoad
from simulator.engine.acts.objects.namespace import DeleteNamespace
from simulator.engine.acts.objects.patch import PatchObject
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.acts.pods.delete_all import DeletePods
from simulator.engine.acts.pods.patch import PatchPod
from simulator.engine.acts.workloads.scale import SCALABLE, ScaleWorkload
from simulator.engine.apiserver.answer import ApiError
from simulator.engine.apiserver.documents.objects import object_document
from simulator.engine.apiserver.patch.request import patched
from simulator.engine.apiserver.validation.names import label_value_problems
from simulator.engine.apiserver.wire.catalog import catalog
from simulator.engine.apiserver.wire.decoding import strict_problems
from simulator.engine.kernel.bounded import is_digits
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.json_text import Json, TooDeep, decode
from simulator.engine.kernel.units import Ms
from simulator.engine.network.load.spec import ANNOTATION as LOAD
from simulator.engine.versions.span import Span
from simulator.kubectl.acting.action import KubectlAction, Step, Target, made, targets
from simulator.kubectl.acting.meant import meant_by
from simulator.kubectl.durations import BadDuration, duration_of
from simulator.kubectl.find import find_kind, namespace_of
from simulator.kubectl.line import BadLine, Line, unknown_flag
from simulator.kubectl.tables.model import Sight, at
from simulator.kubectl.yaml import ManyAliases, from_yaml

CASCADES = {
    "": "Background",
    "background": "Background",
    "foreground": "Foreground",
    "orphan": "Orphan",
    "true": "Background",
    "false": "Orphan",
}
"""The propagation policy by the value of --cascade."""
_TYPES = ("json", "merge", "strategic")
WARNINGS_NAMED = Span(since=24)
"""The kubectl versions whose warnings begin with a capital letter; seen with 1.23 and 1.27."""
_SAME_LABEL_FITS = Span(since=25)
"""The kubectl versions that accept a label with the value it already has; seen with 1.24 and 1.27."""
_UNLABELED = Span(since=23)
"""The kubectl versions that print "unlabeled" when a label is removed; seen with 1.22 and 1.23."""
_MODIFIED = Span(since=34)
"""The kubectl versions that tell apart lines that set, that remove, and that do both; seen with 1.33 and 1.37."""
_WARNS_OF_FIELDS = Span(since=25)
"""The servers that validate the fields of a patch."""
_FORCE_WARNING = (
    "arning: Immediate deletion does not wait for confirmation that the running resource has been terminated. "
    "The resource may continue to run on the cluster indefinitely."
)


def delete(line: Line, sight: Sight) -> KubectlAction:
    """``kubectl delete TYPE NAME…``, ``-l`` or ``--all``."""
    if line.value("cascade") not in CASCADES:
        known = 'Must be "background", "foreground", or "orphan"'
        raise BadLine(f"error: invalid cascade value ({line.value('cascade')}). {known}")
    if line.has("all") and line.value("selector"):
        raise BadLine("error: setting 'all' parameter but found a non empty selector. ")
    if line.has("all") and line.value("field-selector"):
        raise BadLine("error: cannot set --all and --field-selector at the same time")
    if line.value("output") not in ("", "name"):
        raise BadLine(f"error: unexpected -o output mode: {line.value('output')}. We only support '-o name'")
    if line.has("all") and len(line.words) > 1 and not any("/" in word for word in line.words):
        raise BadLine("error: name cannot be provided when a selector is specified")
    force = line.has("force")
    grace_s = _grace(line)
    said = list(_warnings(line, sight, by_force=force and not grace_s))
    # One command, so that all pods are deleted at the same instant.
    one_space = not line.has("all-namespaces") and len(line.words) == 1 and line.words[0] != "all" and "," not in line.words[0]
    if line.has("all") and not line.value("selector") and one_space and find_kind(line.words[0], sight).kind == "Pod":
        return _all_pods(line, sight, grace_s, said)
    found, missing = targets(line, sight, every=line.has("all"))
    if line.has("all") or line.value("selector"):
        # What cannot be found any more is not missed: the token of an account is no object of the store.
        found = [item for item in found if item.info.kind != "Secret" or _is_stored(item, sight)]
    is_named, source = line.value("output") == "name", 'error when deleting "STDIN": ' if line.sent else ""
    steps = (
        Step(
            command=deletion_of(item, line, sight, grace_s, force=force),
            done=item.full_name if is_named else _deleted(item, sight, force=force),
            source=source,
        )
        for item in found
    )
    missing = [text.replace("(NotFound): ", f"(NotFound): {source}", 1) for text in missing]
    if not found and line.has("ignore-not-found") and missing:
        return KubectlAction(steps=(), said=tuple(said))
    action = made(steps, [] if line.has("ignore-not-found") else missing, said=said)
    return replace(action, waits=line.value("wait") != "false", patience_ms=_patience(line))


def _is_stored(item: Target, sight: Sight) -> bool:
    return (item.info.kind, item.namespace, item.name) in sight.world.tables.objects


def _patience(line: Line) -> Ms:
    """How long to wait for a deletion. Raises BadLine."""
    try:
        return duration_of(line.value("timeout") or "0")
    except BadDuration as error:
        help_line = "See 'kubectl delete --help' for usage."
        raise BadLine(f'error: invalid argument "{line.value("timeout")}" for "--timeout" flag: {error}\n{help_line}') from None


def _warnings(line: Line, sight: Sight, *, by_force: bool) -> Iterator[str]:
    """The warnings printed before a deletion."""
    if line.value("cascade") in ("true", "false"):
        word = "orphan" if line.value("cascade") == "false" else "background"
        yield f"warning: --cascade={line.value('cascade')} is deprecated (boolean value) and can be replaced with --cascade={word}."
    if by_force:
        yield f"{'W' if WARNINGS_NAMED.holds_for(sight.minor) else 'w'}{_FORCE_WARNING}"


def _all_pods(line: Line, sight: Sight, grace_s: int | None, said: list[str]) -> KubectlAction:
    """Every pod in the namespace, as one command."""
    found, _ = targets(line, sight, every=True)
    force, namespace = line.has("force"), namespace_of(line, sight)
    is_named = line.value("output") == "name"
    done = "\n".join(item.full_name if is_named else _deleted(item, sight, force=force) for item in found)
    grace_s = 0 if force and grace_s is None else grace_s
    steps = [Step(command=DeletePods(namespace=namespace, grace_s=grace_s, force=force), done=done)] if found else []
    return replace(made(steps, [], said=said), waits=line.value("wait") != "false")


def whole_seconds(line: Line) -> int | None:
    """The value of --grace-period; None without one. Raises BadLine."""
    text = line.value("grace-period")
    if text and (not is_digits(text.removeprefix("-")) or len(text) > 9):
        raise BadLine(f'error: invalid argument "{text}" for "--grace-period" flag: strconv.ParseInt: parsing "{text}": invalid syntax')
    return int(text) if text else None


def _grace(line: Line) -> int | None:
    """The grace period of the request in seconds: 1 for --now, or for 0 without --force; None for the object's own. Raises BadLine."""
    text = line.value("grace-period")
    if line.has("now"):
        if text:
            raise BadLine("error: --now and --grace-period cannot be specified together")
        if line.has("force"):
            raise BadLine("error: --force and --grace-period greater than 0 cannot be specified together")
        return 1
    if not text:
        return 0 if line.has("force") else None
    seconds = whole_seconds(line) or 0
    if line.has("force") and seconds > 0:
        raise BadLine("error: --force and --grace-period greater than 0 cannot be specified together")
    return None if seconds < 0 else seconds


def deletion_of(item: Target, line: Line, sight: Sight, grace_s: int | None, *, force: bool) -> Command:
    """The command that deletes an object, with the propagation that the line asks for."""
    if item.info.kind == "Pod" and not line.value("cascade"):
        return DeletePod(target=item.pod(sight).key, grace_s=grace_s, force=force)
    if item.info.kind == "Node":
        return DeleteNode(node=item.name)
    if item.info.kind == "Namespace":
        return DeleteNamespace(name=item.name)
    propagation = CASCADES[line.value("cascade")]
    return DeleteObject(kind=item.info.kind, namespace=item.namespace, name=item.name, grace_s=grace_s, propagation=propagation)


def _deleted(item: Target, sight: Sight, *, force: bool) -> str:
    kind = item.full_name.partition("/")[0]
    where = f" from {item.namespace} namespace" if item.namespace and sight.facts.delete_namespace_shown else ""
    return f'{kind} "{item.name}" {"force deleted" if force else "deleted"}{where}'


def label(line: Line, sight: Sight) -> KubectlAction:
    """``kubectl label TYPE NAME key=value key-``."""
    words, wanted = _changes(line, "label")
    found, missing = targets(line, sight, words, every=line.has("all"))
    steps, errors = [], list(missing)
    for item in found:
        held = item.document["metadata"].get("labels") or {}
        problem = [] if line.has("overwrite") else _taken(held, wanted, same_fits=_SAME_LABEL_FITS.holds_for(sight.minor))
        if problem:
            errors += [f"error: {text}" for text in problem]
            continue
        absent = [f'label "{key}" not found.' for key, value in wanted.items() if value is None and key not in held]
        said = "\n".join([*absent, f"{item.full_name} {_labeled_word(held, wanted, line, sight)}"])
        same = "\n".join([*absent, f"{item.full_name} not labeled"])
        is_same = all(held.get(key) == value for key, value in wanted.items())
        steps.append(
            Step(command=_labelling(item, sight, wanted, line.value("resource-version")), done=same if is_same else said, unchanged=same)
        )
    return made(steps, errors, nothing="")


def _labeled_word(held: Json, wanted: dict[str, str | None], line: Line, sight: Sight) -> str:
    """How kubectl calls the change: for a while it went by whether the object's text got shorter."""
    removes = [value is None for value in wanted.values()]
    if _MODIFIED.holds_for(sight.minor):
        return "unlabeled" if all(removes) else "modified" if any(removes) else "labeled"
    after = {key: value for key, value in {**held, **wanted}.items() if value is not None}
    is_shorter = len(json.dumps(after, separators=(",", ":"))) < len(json.dumps(held, separators=(",", ":")))
    return "unlabeled" if _UNLABELED.holds_for(sight.minor) and is_shorter and not line.has("overwrite") else "labeled"


def _taken(held: Json, wanted: dict[str, str | None], *, same_fits: bool) -> list[str]:
    given = ((key, value) for key, value in wanted.items() if value is not None and key in held)
    changed = ((key, held[key]) for key, value in given if not same_fits or held[key] != value)
    return [f"'{key}' already has a value ({value}), and --overwrite is false" for key, value in changed]


def _labelling(item: Target, sight: Sight, wanted: dict[str, str | None], version: str) -> Command:
    if item.info.kind == "Node" and not version:
        return LabelNode(node=item.name, labels=wanted)
    return patching(item, sight, {"metadata": {"labels": wanted, **_at_version(version)}}, "merge")


def _at_version(version: str) -> dict[str, str]:
    return {"resourceVersion": version} if version else {}


def annotate(line: Line, sight: Sight) -> KubectlAction:
    """``kubectl annotate TYPE NAME key=value key-``."""
    words, wanted = _changes(line, "annotation")
    found, missing = targets(line, sight, words, every=line.has("all"))
    steps, errors = [], list(missing)
    for item in found:
        held = item.document["metadata"].get("annotations") or {}
        taken = [] if line.has("overwrite") else [key for key, value in wanted.items() if value is not None and key in held]
        if taken:
            listed = "; ".join(f"'{key}' already has a value ({held[key]})" for key in taken)
            errors.append(f"error: --overwrite is false but found the following declared annotation(s): {listed}")
            continue
        steps.append(Step(command=_annotating(item, sight, wanted, line.value("resource-version")), done=f"{item.full_name} annotated"))
    return made(steps, errors, nothing="")


def _annotating(item: Target, sight: Sight, wanted: dict[str, str | None], version: str) -> Command:
    # The same act as the page's, so that both ways leave the same record.
    if item.info.kind == "Service" and list(wanted) == [LOAD]:
        return SetLoad(namespace=item.document["metadata"]["namespace"], name=item.name, load=wanted[LOAD] or "")
    return patching(item, sight, {"metadata": {"annotations": wanted, **_at_version(version)}}, "merge")


def _changes(line: Line, what: str) -> tuple[list[str], dict[str, str | None]]:
    """The words that name objects, and the changes (None removes the key). Raises BadLine."""
    changes = [word for word in line.words if ("=" in word and not word.startswith("=")) or word.endswith("-")]
    names = [word for word in line.words if word not in changes and not word.startswith("=")]
    if not names and not line.sent:
        raise BadLine("error: one or more resources must be specified as <resource> <name> or <resource>/<name>")
    if not changes:
        raise BadLine(f"error: at least one {what} update is required")
    found: dict[str, str | None] = {}
    for word in changes:
        key, equals, value = word.partition("=")
        if what == "label" and (problems := label_value_problems(value)):
            raise BadLine(f'error: invalid label value: "{word}": {";".join(problems)}')
        found[key if equals else word.removesuffix("-")] = value if equals else None
    both = [key for key in found if f"{key}-" in changes and any(word.startswith(f"{key}=") for word in changes)]
    if both and what == "label":
        raise BadLine("error: can not both modify and remove a label in the same command")
    if both:
        raise BadLine(f"error: can not both modify and remove the following annotation(s) in the same command: {', '.join(both)}")
    return names, found


def patching(item: Target, sight: Sight, body: Any, kind: str, subresource: str = "") -> Command:
    """The command that patches an object; ``kind`` is json, merge or strategic."""
    if item.info.kind == "Pod":
        return PatchPod(target=item.pod(sight).key, patch=json.dumps(body), kind=kind, subresource=subresource)
    return PatchObject(
        kind=item.info.kind, namespace=item.namespace, name=item.name, patch=json.dumps(body), patch_kind=kind, subresource=subresource
    )


def patch(line: Line, sight: Sight) -> KubectlAction:
    """``kubectl patch TYPE NAME -p PATCH``."""
    kind, subresource = line.value("type") or "strategic", line.value("subresource")
    if kind not in _TYPES:
        raise BadLine(f'error: --type must be one of [json merge strategic], not "{kind}"')
    _check_subresource(line, sight)
    if line.value("patch") and line.value("patch-file"):
        raise BadLine("error: cannot specify --patch and --patch-file together")
    if path := line.value("patch-file"):
        raise BadLine(f"error: unable to read patch file: open {path}: no such file or directory")
    if not line.value("patch"):
        raise BadLine("error: must specify --patch or --patch-file containing the contents of the patch")
    body = _body(line.value("patch"))
    found, missing = targets(line, sight)
    steps = (
        Step(
            command=meant_by(patching(item, sight, body, kind, subresource), sight.world),
            done=f"{'scale.autoscaling/' + item.name if subresource == 'scale' else item.full_name} patched",
            unchanged=None if _changes_node(item, sight, body, kind) else f"{item.full_name} patched (no change)",
        )
        for item in found
    )
    said = [f"Warning: {text}" for item in found for text in _unknown_fields(item, body, kind, sight)]
    return made(steps, missing, said=said)


def _unknown_fields(item: Target, body: Any, kind: str, sight: Sight) -> list[str]:
    """The fields of a patch that the object's kind does not have; the server warns about them and drops them."""
    schema = catalog(sight.minor).schema(item.document["apiVersion"], item.info.kind)
    if kind == "json" or schema is None or not isinstance(body, dict) or not _WARNS_OF_FIELDS.holds_for(sight.minor):
        return []
    return [text for text in strict_problems(body, schema) if "$" not in text]


def _check_subresource(line: Line, sight: Sight) -> None:
    """Raise BadLine if the client of this version lacks the flag or does not know its value."""
    wanted, known = line.value("subresource"), sight.facts.subresources_of_client
    if "subresource" in line.flags and not known:
        raise unknown_flag("subresource", "patch")
    if wanted and wanted not in known.split():
        raise BadLine(f'error: invalid subresource value: "{wanted}". Must be one of [{known}]')


def _changes_node(item: Target, sight: Sight, body: Any, kind: str) -> bool:
    """Whether the patch changes the Node. A cordon leaves no record of its own that could show it, only its taint."""
    if item.info.kind != "Node":
        return False
    shown = object_document(sight.world, "Node", "", item.name)
    try:
        wanted = patched(shown, json.dumps(body), kind, minor=sight.world.release.minor)
    except ApiError:
        return False
    return _closed_as_stored(shown) != _closed_as_stored(wanted)


def _closed_as_stored(node: Json) -> Json:
    """The document without ``unschedulable: false``, which no server stores."""
    spec = node.get("spec") or {}
    return node if spec.get("unschedulable") else {**node, "spec": {key: spec[key] for key in spec if key != "unschedulable"}}


def _body(text: str) -> Any:
    """A patch as JSON values; it may be written in YAML. Raises BadLine."""
    try:
        body = _decoded(text)
    except (TooDeep, ManyAliases) as error:
        raise BadLine(f"error: unable to parse the patch: {error}") from None
    if body is None:
        raise BadLine(f'error: unable to parse "{text}": it is neither a JSON nor a YAML object')
    return body


def _decoded(text: str) -> Any:
    """The values of a JSON or YAML text; None if it is neither. Raises TooDeep or ManyAliases."""
    try:
        return decode(text)
    except TooDeep:
        raise
    except ValueError:
        return from_yaml(text)


def scale(line: Line, sight: Sight) -> KubectlAction:
    """``kubectl scale TYPE NAME --replicas=N``."""
    text, current = line.value("replicas"), line.value("current-replicas")
    if text and not is_digits(text.removeprefix("-")):
        problem = f'strconv.ParseInt: parsing "{text}": invalid syntax'
        raise BadLine(f'error: invalid argument "{text}" for "--replicas" flag: {problem}\nSee \'kubectl scale --help\' for usage.')
    if not text:
        raise BadLine('error: required flag(s) "replicas" not set')
    if not is_digits(text) or len(text) > 9:
        raise BadLine("error: The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0")
    found, missing = targets(line, sight, every=line.has("all"))
    steps, errors = [], list(missing)
    for item in found:
        held = at(item.document, "spec", "replicas")
        if item.info.kind not in SCALABLE:
            errors.append("Error from server (NotFound): the server could not find the requested resource")
        elif current and current != str(held):
            errors.append(f"error: Expected replicas to be {current}, was {held}")
        else:
            asked = ScaleWorkload(kind=item.info.kind, namespace=item.namespace, name=item.name, replicas=int(text))
            steps.append(Step(command=asked, done=f"{item.full_name} scaled"))
    return made(steps, errors, nothing="error: no objects passed to scale")
