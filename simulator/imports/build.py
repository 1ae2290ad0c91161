"""From a text to the beginning of a run: reads it, works out the past, and lists what was assumed.

Moments are absolute up to here. The run begins at the earliest creation, or ``past_ms_max`` before the import, and its
wall clock (``epoch_s``) starts at that second; ``resume_ms`` is when the text was written.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from simulator.engine import new_world
from simulator.engine.apiserver.wire.catalog import catalog, minor_in
from simulator.engine.course.header import RunHeader
from simulator.engine.kernel.errors import EngineError
from simulator.engine.kernel.json_text import decode
from simulator.engine.kernel.units import HOUR, SECOND, Ms
from simulator.engine.model.manifest import without_nulls
from simulator.engine.past.document import Past
from simulator.engine.past.document import past_of as past_of_header
from simulator.imports.behaviours import Assumed, assume
from simulator.imports.cluster import cluster_of, companions_of, lost_nodes
from simulator.imports.document import ANNOTATION
from simulator.imports.facts import next_second
from simulator.imports.history import PodHistory, history_of, is_silent, latest_of, past_of
from simulator.imports.lives import lives_max
from simulator.imports.read import Reading, SeenPod, read
from simulator.imports.texts import _
from simulator.imports.version import guess_minor, minor_of_nodes
from simulator.kubectl.yaml import to_yaml
from simulator.manifests.check.decodable import UNDECODABLE
from simulator.manifests.check.schema import check_structure
from simulator.manifests.problems import ERROR, INFO, WARNING, Problem, sorted_problems

PAST_MS_MAX: Ms = 12 * HOUR
"""How much of the past is shown; anything earlier is already there at the beginning of the run."""


class Imported(Struct, frozen=True, kw_only=True):
    """The result of an import. ``header`` is None if the text cannot be imported; ``assumed`` are the behaviours by pod and container."""

    header: RunHeader | None = None
    resume_ms: Ms = 0
    title: str = ""
    kubernetes: str = ""
    assumed: dict[str, tuple[Assumed, ...]] = {}
    problems: tuple[Problem, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether a run can start from it."""
        return self.header is not None


def import_text(
    text: str | bytes,
    *,
    kubernetes: str = "",
    now_ms: Ms | None = None,
    seed: int = 1,
    jitter: bool = True,
    blocks: Mapping[str, Mapping[str, Any]] | None = None,
    past_ms_max: Ms = PAST_MS_MAX,
) -> Imported:
    """Import the output of ``kubectl get pod,events -o yaml``.

    ``kubernetes`` is worked out from the text if empty; ``now_ms`` (since the Unix epoch) is when the text was written,
    at the earliest the latest moment in it; ``blocks`` replace the assumed behaviour, by pod name and container;
    ``past_ms_max`` of the past is shown. Never raises because of anything in the text.
    """
    reading = read(text)
    if not reading.ok:
        return Imported(problems=reading.problems)
    try:
        found = import_reading(
            reading, kubernetes=kubernetes, now_ms=now_ms, seed=seed, jitter=jitter, blocks=blocks, past_ms_max=past_ms_max
        )
        if found.header is not None:
            new_world(found.header)  # a header that the engine cannot start must not become a run that no one can open
        return found
    except (AssertionError, AttributeError, EngineError, IndexError, KeyError, TypeError, ValueError) as error:
        message = _("this text cannot be understood: %s") % f"{type(error).__name__} {error}"[:200]
        return Imported(problems=(Problem(severity=ERROR, message=message, code="not-understood", line=1),))


def import_reading(
    reading: Reading,
    *,
    kubernetes: str = "",
    now_ms: Ms | None = None,
    seed: int = 1,
    jitter: bool = True,
    blocks: Mapping[str, Mapping[str, Any]] | None = None,
    past_ms_max: Ms = PAST_MS_MAX,
) -> Imported:
    """Like ``import_text``, for a text that was read without errors. Raises if a field has a shape that no API server produces."""
    latest = max(latest_of(pod) for pod in reading.pods)
    problems = list(reading.problems)
    if now_ms is not None and now_ms < latest:
        message = _("the text contains times later than the one given: the latest time in the text is used")
        problems.append(Problem(severity=WARNING, message=message, code="too-early", line=1))
    # The text was written after the latest moment in it, and its moments are whole seconds.
    now = next_second(latest) if now_ms is None or now_ms < latest else now_ms
    minor = kubernetes or minor_of_nodes(reading.nodes) or guess_minor(reading.pods)
    reading = replace(reading, companions=tuple(_readable(reading.companions, minor, problems)))
    lost = lost_nodes(reading.nodes)
    most = lives_max(sum(len(pod.spec.get("containers") or ()) for pod in reading.pods))
    histories = [replace(item, lost=item.node in lost) for item in (history_of(pod, now_ms=now, most=most) for pod in reading.pods)]
    assumed = {_key(item.pod): _assumed(item, blocks) for item in histories}
    problems += _notes(reading, histories, now, past_ms_max)
    header = _header(reading, histories, assumed, kubernetes=minor, now_ms=now, past_ms_max=past_ms_max)
    header = replace(header, seed=seed, jitter=jitter)
    past = header.past
    assert isinstance(past, Past)
    names = list(dict.fromkeys(pod.metadata["name"] for pod in reading.pods))
    return Imported(
        header=header,
        resume_ms=past.resume_ms,
        title=", ".join(names[:3]) + (", …" if len(names) > 3 else ""),
        kubernetes=minor,
        assumed=assumed,
        problems=sorted_problems(problems),
    )


def _readable(companions: tuple[dict[str, Any], ...], kubernetes: str, problems: list[Problem]) -> Iterator[dict[str, Any]]:
    """The objects other than pods whose values the API server could decode: the engine creates them as they are."""
    minor = minor_in(kubernetes)
    for item in companions:
        name, has_schema = item["metadata"].get("name"), catalog(minor).schema(str(item.get("apiVersion")), item["kind"]) is not None
        found = check_structure(without_nulls(item), minor=minor, lenient=True) if name and has_schema else None
        if found is not None and not any(problem.code in UNDECODABLE for problem in found):
            yield item
            continue
        message = _("objects of kind %s are ignored") % item["kind"]
        problems.append(Problem(severity=WARNING, message=message, code="left-out", line=1))


def _key(pod: SeenPod) -> str:
    return f"{pod.metadata['namespace']}/{pod.metadata['name']}"


def _assumed(history: PodHistory, blocks: Mapping[str, Mapping[str, Any]] | None) -> tuple[Assumed, ...]:
    """What the containers of a pod do from now on; the pod's annotation and the user's input take precedence."""
    given: dict[str, Any] = dict((blocks or {}).get(history.pod.metadata["name"]) or {})
    own = _own(history.pod)
    found = []
    for (place, lives), spans in zip(history.places, history.spans, strict=True):
        was_ready = bool(lives) and lives[-1].n in spans
        entry = assume(place, lives, history.pod.events, now_ms=history.now_ms, was_ready=was_ready)
        block = given.get(place.name) or own.get(place.name)
        if block and block != entry.block:
            entry = Assumed(container=place.name, sentence=_("it does what its behaviour block says"), block=block)
        found.append(entry)
    return tuple(found)


def _own(pod: SeenPod) -> dict[str, Any]:
    text = (pod.metadata.get("annotations") or {}).get(ANNOTATION)
    try:
        value = decode(text) if isinstance(text, str) else {}
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _header(
    reading: Reading, histories: list[PodHistory], assumed: dict[str, tuple[Assumed, ...]], *, kubernetes: str, now_ms: Ms, past_ms_max: Ms
) -> RunHeader:
    # Whole seconds: timestamps of the text must come out the same in the run's YAML.
    earliest = min(item.created_ms for item in histories)
    epoch_ms = max(earliest - earliest % SECOND, now_ms - now_ms % SECOND - past_ms_max)
    resume_ms = now_ms - epoch_ms
    pods = []
    for item in histories:
        blocks = {entry.container: entry.block for entry in assumed[_key(item.pod)] if entry.block is not None}
        pods.append(past_of(item, epoch_ms=epoch_ms, resume_ms=resume_ms, kubernetes=kubernetes, blocks=blocks))
    sentences = tuple((f"container/{key}/{entry.container}", entry.sentence) for key, entries in assumed.items() for entry in entries)
    return RunHeader(
        kubernetes=kubernetes,
        namespace=reading.pods[0].metadata["namespace"],
        cluster=cluster_of(reading.pods, now_ms=now_ms, given=reading.nodes),
        manifests=tuple(companions_of(reading.pods, reading.companions)),
        epoch_s=epoch_ms // SECOND,
        past=Past(resume_ms=resume_ms, pods=tuple(pods), assumed=sentences),
    )


def _notes(reading: Reading, histories: list[PodHistory], now_ms: Ms, past_ms_max: Ms) -> list[Problem]:
    """Notes for the reader of the import."""
    found: list[Problem] = []

    def note(message: str, code: str) -> None:
        found.append(Problem(severity=INFO, message=message, code=code, line=1))

    if not any(pod.events for pod in reading.pods):
        note(_("the text contains no events: of the past, only what the status dates is known"), "no-events")
    if now_ms - min(item.created_ms for item in histories) > past_ms_max:
        note(_("only the last %d hours are drawn; anything earlier is placed at the start") % (past_ms_max // HOUR), "cut")
    if any(is_silent(item) for item in histories):
        note(_("the node of a pod is not responding: its containers are left as they are"), "silent")
    if any(pod.metadata.get("ownerReferences") for pod in reading.pods):
        note(_("the controller that created the pod is not imported: a deleted pod is not replaced"), "owner")
    return found


def manifests_of(header: RunHeader) -> str:
    """The imported pods and the objects created with them as manifests, in YAML."""
    past = past_of_header(header)
    texts = [pod.document for pod in past.pods] if past is not None else []
    return "---\n".join(to_yaml(json.loads(text)) for text in (*texts, *header.manifests))


def errors(imported: Imported) -> list[Problem]:
    """The problems that prevent an import."""
    return [problem for problem in imported.problems if problem.severity == ERROR]
