"""``-o`` on a line that changes something: prints the resulting objects instead of the usual messages.

The commands are carried out in a fork, which is then thrown away. Source: k8s.io/cli-runtime pkg/genericclioptions
(print_flags.go), kubectl pkg/cmd/apply (printObjects).
"""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from simulator.engine.acts.workloads.autoscale import AutoscaleWorkload
from simulator.engine.apiserver.documents.custom import info_in, kind_in
from simulator.engine.apiserver.documents.objects import object_document
from simulator.engine.course.step import apply
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.json_text import Json, decode
from simulator.engine.versions.span import Span
from simulator.engine.world.world import World
from simulator.kubectl.acting.action import KubectlAction, Step
from simulator.kubectl.acting.applying import list_of
from simulator.kubectl.generators.base import as_typed
from simulator.kubectl.line import BadLine, Grammar, Line
from simulator.kubectl.output.formats import format_of
from simulator.kubectl.output.managed import with_managers
from simulator.kubectl.output.printer import print_object
from simulator.kubectl.output.texts import ordered
from simulator.kubectl.tables.model import Sight

_OPTIONAL = {"show-managed-fields": "true", "allow-missing-template-keys": "true", "field-manager": ""}
_SCALES_NOTHING = Span(until=35)
"""The kubectl versions whose client-side dry run of scale prints the object as it is; seen with 1.33 and 1.37."""
_TYPED = ("autoscale", "create", "expose")
_LATER = {"generation", "resourceVersion", "managedFields"}
"""The metadata that only a server changes."""


def printing(flags: Grammar, *, records: bool) -> Grammar:
    """The grammar with the output flags that nearly every verb has, and with ``--record``, which some have."""
    short = {"o": "output", **flags.short}
    return Grammar(
        flags.switches,
        flags.valued | {"output", "template"},
        {**_OPTIONAL, **({"record": "true"} if records else {}), **flags.optional},
        short,
    )


def prints(line: Line) -> bool:
    """Whether a line asks for objects rather than messages."""
    return bool(line.value("output") or line.value("template"))


def printed(action: KubectlAction, line: Line, sight: Sight, *, strategy: str = "") -> KubectlAction:
    """The action that prints the objects its commands create or change; ``strategy`` is the dry-run strategy. Raises BadLine."""
    if not prints(line) or not action.steps:
        return action
    fork = sight.world.fork()
    shown = list(_shown(action.steps, fork, strategy))
    after = Sight(fork, sight.now_ms)
    if line.verb == "apply" and len(shown) > 1 and format_of(line)[0] != "name":
        return replace(action, steps=tuple(_as_list(shown, line, after)))
    if strategy == "client":
        shown = [(step, document and _untouched(step.command, document, line, sight)) for step, document in shown]
    texts = [_text(document, line, after, managed=strategy != "client") if document is not None else None for _, document in shown]
    if line.value("output") == "yaml":
        first = next((n for n, text in enumerate(texts) if text is not None), 0)
        texts = [f"---\n{text}" if text is not None and n > first else text for n, text in enumerate(texts)]
    return replace(action, steps=tuple(_with_text(step, text) for (step, _), text in zip(shown, texts, strict=True)))


def _shown(steps: Iterable[Step], fork: World, strategy: str) -> Iterator[tuple[Step, Json | None]]:
    """Each step with the resulting object, or None if the server refuses."""
    for step in steps:
        kind, namespace, name = place_of(step.command, fork)
        before = _object(fork, kind, namespace, name)
        records = apply(fork, step.command)
        own = next(record for record in records if record.kind == "command")
        name = name or next((record.subject.rpartition("/")[2] for record in records if record.cause == own.seq), "")
        after = _object(fork, kind, namespace, name) if own.target != "refused" else None
        yield step, _undone(before, after, strategy) if after is not None and strategy else after


def _undone(before: Json | None, after: Json, strategy: str) -> Json:
    """The object without the metadata that only storing it would have changed."""
    old = before["metadata"] if before is not None else {}
    kept = {"resourceVersion"} if strategy == "server" else _LATER
    metadata = {key: value for key, value in after["metadata"].items() if key not in kept}
    return {**after, "metadata": {**metadata, **{key: old[key] for key in kept if key in old}}}


def _as_list(shown: list[tuple[Step, Json | None]], line: Line, sight: Sight) -> Iterator[Step]:
    """apply prints all its objects as one List, after the last of them."""
    items = [with_managers(document, line, sight) for _, document in shown if document is not None]
    whole = ordered(items[0]) if len(items) == 1 else list_of(items, sight)
    text = print_object(whole, line.value("output") or "go-template", full_name="", line=line, sight=sight) if items else None
    last = max((n for n, (_, document) in enumerate(shown) if document is not None), default=-1)
    for n, (step, _) in enumerate(shown):
        yield _with_text(step, text if n == last else "")


def _with_text(step: Step, text: str | None) -> Step:
    return step if text is None else replace(step, done=text, unchanged=None, printed=True, prefix="")


def _untouched(command: Command, document: Json, line: Line, sight: Sight) -> Json:
    """The object as the client alone knows it: it keeps its former managers, and ``set`` writes it through its Go types."""
    kind, namespace, name = place_of(command, sight.world)
    before = _object(sight.world, kind, namespace, name)
    managed = with_managers(before, line, sight)["metadata"].get("managedFields") if before is not None else None
    found: Json = {**document, "metadata": {**document["metadata"], **({"managedFields": managed} if managed else {})}}
    if before is not None and line.verb == "scale" and _SCALES_NOTHING.holds_for(sight.minor):
        return {**before, "metadata": found["metadata"]}
    if line.verb == "set" and document["kind"] == "Service":
        return {"status": {"loadBalancer": {}}, **found}
    return as_typed(found, sight) if line.verb == "set" else found


def _typed_status(document: Json, line: Line, sight: Sight) -> Json:
    """The object as a Go struct writes it, with an empty status, for the verbs that generate objects."""
    if "status" in document or line.verb.partition(" ")[0] not in _TYPED:
        return document
    if document["kind"] == "Service":
        return {**document, "status": {"loadBalancer": {}}}
    if document["kind"] == "HorizontalPodAutoscaler":
        counted: Json = {"currentMetrics": None} if sight.facts.autoscale_by_metrics else {"currentReplicas": 0}
        return {**document, "status": {**counted, "desiredReplicas": 0}}
    return document


def _text(document: Json, line: Line, sight: Sight, *, managed: bool = True) -> str:
    info = info_in(sight.world, document["kind"])
    full_name = f"{info.singular}{f'.{info.group}' if info.group else ''}/{document['metadata']['name']}"
    shown = ordered(_typed_status(with_managers(document, line, sight) if managed else document, line, sight))
    return print_object(shown, line.value("output") or "go-template", full_name=full_name, line=line, sight=sight)


def _object(world: World, kind: str, namespace: str, name: str) -> Json | None:
    try:
        return object_document(world, kind, namespace, name)
    except KeyError:
        return None


def place_of(command: Command, world: World) -> tuple[str, str, str]:
    """Kind, namespace and name of the object that a command is about. Raises BadLine for a command about anything else."""
    texts = getattr(command, "documents", ()) or (getattr(command, "document", ""),)
    if texts[0]:
        document = decode(texts[0])
        info = kind_in(world, document["kind"])
        space = document["metadata"].get("namespace") or (getattr(command, "namespace", "") if info is None or info.namespaced else "")
        return document["kind"], space, str(document["metadata"].get("name") or "")
    if node := getattr(command, "node", ""):
        return "Node", "", node
    if isinstance(command, AutoscaleWorkload):
        return "HorizontalPodAutoscaler", command.namespace, command.called or command.name
    if target := getattr(command, "target", ""):
        row = world.tables.pods.get(target)
        if row is not None:
            return "Pod", row.namespace, row.name
    if name := getattr(command, "name", ""):
        return getattr(command, "kind", "Service"), getattr(command, "namespace", ""), name
    raise BadLine("error: -o prints one object of each command; this line has others")
