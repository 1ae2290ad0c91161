"""``kubectl apply -f -``, ``create -f -`` and ``replace -f -``: one command for each manifest in the line's input.

Source: kubectl pkg/cmd/apply, pkg/cmd/create; k8s.io/cli-runtime pkg/resource (the messages about unreadable input).
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec.structs import replace

from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.objects.server_side_apply import ApplyServerSide
from simulator.engine.apiserver.answer import not_found
from simulator.engine.apiserver.documents.custom import info_in, kind_in
from simulator.engine.apiserver.wire.catalog import catalog
from simulator.engine.kernel.json_text import Json, TooDeep
from simulator.engine.model.custom import is_custom
from simulator.engine.model.meta import LAST_APPLIED
from simulator.engine.versions.span import Span
from simulator.kubectl.acting.action import OBJECTS_MAX, KubectlAction, Step, Target, in_name_of, made
from simulator.kubectl.acting.applying import (
    annotated,
    body_of,
    deleted_words,
    diff,
    dry_documents,
    failing,
    full_name,
    live,
    placed,
    printed_manifests,
    replacing,
    space_of,
    view_last_applied,
)
from simulator.kubectl.acting.change_cause import with_cause
from simulator.kubectl.acting.objects import patching
from simulator.kubectl.acting.printing import printed
from simulator.kubectl.acting.pruning import OF_APPLY, check_applied, is_refused, is_selected, pruning
from simulator.kubectl.acting.recreating import check_forced, deletion_at_once, in_two_halves
from simulator.kubectl.acting.validating import judged_fields
from simulator.kubectl.find import namespace_of
from simulator.kubectl.line import READING, BadLine, EndedWith, Line, grammar, parse_words, unknown_flag
from simulator.kubectl.tables.model import Sight
from simulator.kubectl.yaml import ManyAliases, from_yaml

FLAGS = grammar(
    "server-side force-conflicts record save-config overwrite force recursive edit all prune create-annotation",
    "filename output field-manager template selector grace-period timeout prune-allowlist prune-whitelist",
    {"validate": "true", "wait": "true", "show-managed-fields": "true", "cascade": "background", "openapi-patch": "true"},
    f="filename",
)
"""The flags of ``apply -f -``, ``create -f -`` and ``replace -f -``."""
SENDING = ("apply", "create", "replace")
"""The verbs that send the manifests in their input."""
_TRIES_NO_FORCE = Span(since=21)
"""The kubectl versions that refuse a dry run of ``replace --force``, which others carry out; seen with 1.20 and 1.24."""
_MAPPING_NAMED = Span(since=24)
"""The kubectl versions that name the object whose kind they cannot find; seen with 1.23 and 1.24."""
_NO_ANNOTATION = (
    "Warning: resource {} is missing the kubectl.kubernetes.io/last-applied-configuration annotation which is required by kubectl apply. "
    "kubectl apply should only be used on resources created declaratively by either kubectl create --save-config or kubectl apply. "
    "The missing annotation will be patched automatically."
)
_SEPARATOR = re.compile(r"^---(?:[ \t].*)?$", re.MULTILINE)


def sending(words: list[str], verb: str, text: str, sight: Sight, *, strategy: str = "") -> KubectlAction:
    """The commands that send each manifest in ``text``; ``strategy`` is the dry-run strategy. Raises BadLine."""
    line = _line_of(words, verb, strategy, sight)
    said: list[str] = []
    steps: list[Step] = []
    errors: list[str] = []
    deletions: list[Step] = []
    documents = documents_of_input(line, text, sight)
    if verb == "apply" and line.words[:1] == ("set-last-applied",):
        return made([_noting(document, line, sight) for document in documents], [])
    for document in documents:
        said += _annotation_warning(document, line, sight)
        judged = judged_fields(document, line, sight, doing=_doing(document, line, sight))
        said += judged.warnings
        if judged.error:
            errors.append(judged.error)
            continue
        steps.append(_step(document, line, sight))
        if not strategy and _is_deleted_first(document, steps[-1], line, sight):
            done = deleted_words(document, line, sight) if verb == "replace" else ""
            deletions.append(Step(command=deletion_at_once(document, line, sight), done=done))
    action = in_name_of(made([*deletions, *steps], errors, said=said), line)
    if line.has("prune") and not errors:
        action = pruning(action, documents, line, sight)
    action = with_cause(printed(action, line, sight, strategy=strategy), line, sight)
    return in_two_halves(action, len(deletions), line)


def _noting(document: Json, line: Line, sight: Sight) -> Step:
    """The step of ``apply set-last-applied``, which only writes the annotation. Raises BadLine."""
    found, info = live(sight.world, document), info_in(sight.world, document["kind"])
    name = document["metadata"].get("name")
    if found is None:
        raise BadLine(not_found(info.plural, name, group=info.group).answer.kubectl)
    if LAST_APPLIED not in (found["metadata"].get("annotations") or {}) and not line.has("create-annotation"):
        missing = f"no last-applied-configuration annotation found on resource: {name}"
        raise BadLine(f"error: {missing}, to create the annotation, run the command with --create-annotation")
    note = annotated(document)["metadata"]["annotations"][LAST_APPLIED]
    body = {"metadata": {"annotations": {LAST_APPLIED: note}}}
    return Step(command=patching(Target(info, found), sight, body, "merge"), done=f"{full_name(document)} configured")


def _line_of(words: list[str], verb: str, strategy: str, sight: Sight) -> Line:
    """The line, if its flags go together. Raises BadLine."""
    line = parse_words(words, verb, FLAGS)
    if verb == "replace":
        check_forced(line)
        if strategy and line.has("force") and _TRIES_NO_FORCE.holds_for(sight.minor):
            raise BadLine("error: --dry-run can not be used when --force is set")
    if verb == "apply":
        check_applied(line, sight, strategy=strategy)
    elif unknown := next((name for name in line.flags if name in OF_APPLY), ""):
        raise unknown_flag(unknown, verb)
    return line


def _step(document: Json, line: Line, sight: Sight) -> Step:
    if line.verb == "replace":
        if not document["metadata"].get("name"):
            raise BadLine('error: error when replacing "STDIN": resource name may not be empty')
        return replacing(document, sight, force=line.has("force"))
    return _server_side(document, line, sight) if line.has("server-side") else _sent(document, line, sight)


def _is_deleted_first(document: Json, step: Step, line: Line, sight: Sight) -> bool:
    """Whether the live object has to go first: with --force, of ``apply`` only one that the server does not let be changed so."""
    if not line.has("force") or live(sight.world, document) is None:
        return False
    if line.verb == "replace":
        return True
    return line.verb == "apply" and is_refused(step, sight.world.fork())


def _doing(document: Json, line: Line, sight: Sight) -> str:
    """What kubectl says it was doing when the server refuses the manifest; empty for a patch."""
    if line.verb == "replace":
        return "" if line.has("force") else failing("replacing")
    return failing("creating") if live(sight.world, document) is None else ""


def _annotation_warning(document: Json, line: Line, sight: Sight) -> Iterator[str]:
    """The warning of client-side apply about a live object without a last-applied annotation."""
    found = live(sight.world, document) if line.verb == "apply" and not line.has("server-side") else None
    if found is not None and LAST_APPLIED not in (found["metadata"].get("annotations") or {}):
        yield _NO_ANNOTATION.format(f"{info_in(sight.world, document['kind']).plural}/{document['metadata']['name']}")


def documents_of_input(line: Line, text: str, sight: Sight) -> list[Json]:
    """The manifests that ``-f -`` reads, each with its namespace set. Raises BadLine."""
    if not line.value("filename"):
        raise BadLine("error: must specify one of -f and -k")
    if line.value("filename") != "-" or not text:
        raise BadLine(f'error: the path "{line.value("filename")}" does not exist')
    found = list(_manifests(text))
    if not found:
        raise BadLine(f"error: no objects passed to {line.verb}")
    if len(found) > OBJECTS_MAX:
        raise BadLine(f"error: this command line changes at most {OBJECTS_MAX} objects at once")
    check_known(found, sight)
    _check_namespaces(found, line)
    space = namespace_of(line, sight)
    wanted = [document for document in found if is_selected(document, line)]
    if not wanted:
        raise BadLine(f"error: no objects passed to {line.verb}")
    return [placed(document, space, sight) for document in wanted]


def dry_printed(words: list[str], verb: str, text: str, sight: Sight) -> str:
    """What ``apply|create|replace -f - --dry-run=client -o FORMAT`` prints. Raises BadLine."""
    line = parse_words(words, verb, FLAGS)
    return printed_manifests(dry_documents(documents_of_input(line, text, sight), verb, sight), line, sight)


def viewed(words: list[str], text: str, sight: Sight) -> str:
    """The output of ``apply view-last-applied``. Raises BadLine."""
    return view_last_applied(with_input_objects(parse_words(words, "apply", FLAGS), text, sight), sight)


def differing(words: list[str], text: str, sight: Sight) -> str:
    """The output of ``kubectl diff -f -``. Raises BadLine, and EndedWith with exit code 1 if there is a difference."""
    line = parse_words(words, "diff", READING["diff"])
    found = diff(documents_of_input(line, text, sight), line, sight)
    if found:
        raise EndedWith(found)
    return found


def with_input_objects(line: Line, text: str, sight: Sight) -> Line:
    """The line with the objects named in its input, if it says ``-f -``. Raises BadLine."""
    wanted = line.value("filename")
    if not wanted:
        return line
    if wanted != "-" or not text:
        raise BadLine(f'error: the path "{wanted}" does not exist')
    if line.words and line.verb in ("get", "describe", "delete"):
        raise BadLine("error: when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well")
    documents = list(_manifests(text))
    check_known(documents, sight)
    _check_namespaces(documents, line)
    space = namespace_of(line, sight)
    return replace(line, sent=tuple(_named(document, space) for document in documents))


def _named(document: Json, space: str) -> tuple[str, str, str]:
    metadata = document["metadata"]
    return document["kind"], str(metadata.get("namespace") or space), str(metadata.get("name") or "")


def _check_namespaces(documents: Iterable[Json], line: Line) -> None:
    """Raise BadLine if an object's namespace differs from the one the line names."""
    asked = line.value("namespace")
    others = [space for item in documents if asked and (space := str(item["metadata"].get("namespace") or asked)) != asked]
    texts = [
        f'the namespace from the provided object "{space}" does not match the namespace "{asked}". '
        f"You must pass '--namespace={space}' to perform this operation."
        for space in others
    ]
    if texts:
        raise BadLine("\n".join(texts) if len(texts) > 1 else f"error: {texts[0]}")


def check_known(documents: Iterable[Json], sight: Sight) -> None:
    """Raise BadLine for kinds that neither Kubernetes nor a CustomResourceDefinition of the cluster has."""
    found = [_unknown(document, sight) for document in documents if not _is_known(document, sight)]
    if found:
        raise BadLine("\n".join(found) if len(found) > 1 else f"error: {found[0]}")


def _is_known(document: Json, sight: Sight) -> bool:
    api_version, kind, kinds = document["apiVersion"], document["kind"], catalog(sight.minor)
    if is_custom(api_version, kind) or kinds.schema(api_version, kind) is not None or f"{api_version} {kind}" in kinds.others:
        return True
    info = kind_in(sight.world, kind)
    return info is not None and api_version in info.api_versions(sight.minor)


def _unknown(document: Json, sight: Sight) -> str:
    matches = f'no matches for kind "{document["kind"]}" in version "{document["apiVersion"]}"'
    if not _MAPPING_NAMED.holds_for(sight.minor):
        return f'unable to recognize "STDIN": {matches}'
    metadata = document["metadata"]
    named = f'name: "{metadata.get("name", "")}" namespace: "{metadata.get("namespace", "")}"'
    return f'resource mapping not found for {named} from "STDIN": {matches}\nensure CRDs are installed first'


def _manifests(text: str) -> Iterator[Json]:
    """The objects in a YAML or JSON text, with the items of Lists one by one. Raises BadLine."""
    for part in _SEPARATOR.split(text):
        try:
            document = from_yaml(part) if part.strip() else None
        except (TooDeep, ManyAliases) as error:
            raise BadLine(f"error: error parsing STDIN: {error}") from None
        if document is None and not part.strip():
            continue
        if not isinstance(document, dict):
            if document is None and all(line.strip().startswith("#") or not line.strip() for line in part.splitlines()):
                continue
            raise BadLine("error: error parsing STDIN: it is neither a JSON nor a YAML object")
        items = document.get("items") if document.get("kind") == "List" else None
        yield from (_checked(item) for item in (items if isinstance(items, list) else [document]))


def _checked(document: Any) -> Json:
    held = document if isinstance(document, dict) else {}
    missing = [f"{key} not set" for key in ("apiVersion", "kind") if not isinstance(held.get(key), str) or not held.get(key)]
    if missing:
        listed = f"[{', '.join(missing)}]" if len(missing) > 1 else missing[0]
        ignore = "if you choose to ignore these errors, turn validation off with --validate=false"
        raise BadLine(f'error: error validating "STDIN": error validating data: {listed}; {ignore}')
    metadata = held.get("metadata")
    if not isinstance(metadata, dict) or not (metadata.get("name") or metadata.get("generateName")):
        raise BadLine("error: resource name may not be empty")
    return held


def _server_side(document: Json, line: Line, sight: Sight) -> Step:
    """The manifest as ``apply --server-side`` sends it: the server merges it under a field manager."""
    command = ApplyServerSide(
        document=body_of(document),
        namespace=space_of(document, sight),
        manager=line.value("field-manager") or "kubectl",
        force=line.has("force-conflicts"),
    )
    return Step(command=command, done=f"{full_name(document)} serverside-applied")


def _sent(document: Json, line: Line, sight: Sight) -> Step:
    full, namespace, verb = full_name(document), space_of(document, sight), line.verb
    if verb == "apply" and not document["metadata"].get("name"):
        raise BadLine(f"error: from {document['metadata'].get('generateName')}: cannot use generate name with apply")
    is_noted = verb == "apply" or line.has("save-config")
    command = ApplyManifest(
        documents=(body_of(annotated(document) if is_noted else document),), namespace=namespace, create=verb == "create"
    )
    is_there = verb == "apply" and live(sight.world, document) is not None
    if is_there:
        return Step(command=command, done=f"{full} configured", unchanged=f"{full} unchanged")
    metadata = document["metadata"]
    prefix = "" if metadata.get("name") else str(metadata.get("generateName") or "")
    return Step(command=command, done=f"{full} created", source=failing("creating"), prefix=prefix)
