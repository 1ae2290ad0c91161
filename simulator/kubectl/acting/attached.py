"""``kubectl run -i`` and ``--attach``: what becomes of the pod that the line makes, attaches to and, with ``--rm``, deletes.

Source: kubectl pkg/cmd/run/run.go (Run, handleAttachPod, removeCreatedObjects), pkg/cmd/attach; seen with 1.20, 1.33 and 1.37.

kubectl waits until the pod is ready or over, shows its output until the container ends, waits for the end of the pod unless it is always
restarted, and deletes what it made. It is one line of several commands with a wait between them, so it is told anew at each moment from the
run's records: ``followed`` says what has been printed, and which line is due next. Nothing reads what is typed: the main process of an app
container has no input here. All output is shown from its beginning; a real client before 1.36 loses what came before it was attached.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import Key, Ms, Seq
from simulator.engine.model.status import TERMINAL_PHASES
from simulator.engine.versions.span import Span
from simulator.engine.world.world import World

_SHOWN_BEFORE = Span(since=36)
"""kubectl that prints what the container has logged before it attaches (kubernetes#136010)."""
_PLACE_NAMED = Span(since=36)
"""kubectl that names the namespace to attach in again, of every pod that it was at a terminal of (kubernetes#135790)."""


class Attachment(Struct, frozen=True, kw_only=True):
    """A pod that a line attaches to once it is ready. ``said`` are the words at that moment, ``timeout_ms`` is its patience with each wait.

    ``removed`` are the kinds of the objects that are deleted at the end, all of which have the name of the pod; ``restart`` is the pod's
    policy, ``holds_on``: its end is not waited for.
    """

    namespace: str
    name: str
    restart: str
    said: tuple[str, ...] = ()
    timeout_ms: Ms
    removed: tuple[str, ...] = ()
    holds_on: bool = False
    tty: bool = False
    quiet: bool = False


class AttachedSoFar(Struct, frozen=True, kw_only=True):
    """What a line has printed of its pod. ``due`` is the line that is to be carried out now; empty where there is none, or it was given."""

    text: str = ""
    is_over: bool = False
    exit_code: int = 0
    due: str = ""


class _Story(Struct, kw_only=True):
    """What the records tell of the pod, with the moments of its turns; None: it has not come to that."""

    key: Key
    begun_ms: Ms
    ready: Record | None = None
    left: Record | None = None  # the end of the container that was attached to
    over: Record | None = None  # the end of the pod
    ended: Record | None = None  # the container's published end
    gone: Record | None = None
    deleted: Record | None = None


def followed(attachment: Attachment, seq: Seq, past: Sequence[Record], world: World) -> AttachedSoFar:
    """How far the line has come whose pod is made by command ``seq``, at the end of ``past``. Costs what has been recorded since."""
    story = _story(attachment, seq, past)
    if story is None:
        return AttachedSoFar(is_over=True)
    text, problem, exit_code = _watched(attachment, story, world)
    if problem is None:
        return AttachedSoFar(text=text)
    text += "".join(_removals(attachment, world)) if story.deleted is not None and not attachment.quiet else ""
    is_left = bool(attachment.removed) and story.deleted is None and story.gone is None
    if is_left:
        return AttachedSoFar(text=text, due=_removing(attachment))
    return AttachedSoFar(text=text + problem, is_over=True, exit_code=exit_code)


def _story(attachment: Attachment, seq: Seq, past: Sequence[Record]) -> _Story | None:
    # What a command makes is recorded right after it.
    made = next((item for item in past[seq:] if item.subject.startswith("pod/")), None)
    if made is None:
        return None
    story = _Story(key=made.subject.removeprefix("pod/"), begun_ms=made.at_ms)
    for record in past[made.seq :]:
        _tell(story, attachment, record)
    return story


def _tell(story: _Story, attachment: Attachment, record: Record) -> None:
    """Take a record into the story. The first of each kind counts, but for the container's end."""
    pod, container = f"pod/{story.key}", f"container/{story.key}/{attachment.name}"
    if record.subject == f"condition/{story.key}/Ready" and record.target == "True":
        story.ready = story.ready or record
    elif record.subject == container and record.machine == "container" and record.target == "exited" and story.ready is not None:
        story.left = story.left or record
    elif record.subject == container and record.machine == "container_status" and record.target == "terminated":
        story.ended = record
    elif record.subject != pod:
        return
    elif record.machine == "phase" and record.target in TERMINAL_PHASES:
        story.over = story.over or record
    elif record.machine == "object" and record.target == "gone":
        story.gone = record if story.deleted is None else None
    elif record.machine == "command" and record.get("do") == "delete_pod" and record.target == "accepted":
        story.deleted = story.deleted or (record if _is_due(story, attachment, record.at_ms) else None)


def _is_due(story: _Story, attachment: Attachment, at_ms: Ms) -> bool:
    """Whether kubectl was at its end, so that a deletion was its own; one that comes earlier is somebody else's."""
    is_late = story.ready is None and at_ms >= story.begun_ms + attachment.timeout_ms
    return bool(attachment.removed) and (story.left is not None or story.over is not None or is_late)


def _watched(attachment: Attachment, story: _Story, world: World) -> tuple[str, str | None, int]:
    """What has been printed before the end, what is printed at it (None: not yet at it), and the exit code."""
    now_ms = world.now_ms
    first = min((item.at_ms for item in (story.ready, story.over, story.gone) if item is not None), default=None)
    if first is None or first > story.begun_ms + attachment.timeout_ms:
        is_late = now_ms >= story.begun_ms + attachment.timeout_ms
        return ("", _TIMED_OUT, 1) if is_late else ("", None, 0)
    if story.ready is None and story.over is None:
        return "", _NOT_FOUND, 1
    if story.ready is None:
        text, left = _logged(attachment, story, world), story.over
    else:
        text, left = _attached(attachment, story, world), story.left or story.over or story.gone
    if left is None:
        return text, None, 0
    if story.ready is not None and attachment.tty and not attachment.quiet:
        text += "".join(_session_ended(attachment, world.release.minor))
    if attachment.holds_on or attachment.restart == "Always":
        return text, "", 0
    return text, *_end(attachment, story, left, now_ms)


_TIMED_OUT = "error: timed out waiting for the condition\n"
_NOT_FOUND = 'Error from server (NotFound): pods "" not found\n'
"""What kubectl says of a pod that somebody else deletes while it waits; its watch does not name the pod."""


def _end(attachment: Attachment, story: _Story, left: Record, now_ms: Ms) -> tuple[str | None, int]:
    """What kubectl says of the end of a pod that is not always restarted, and the exit code; None where it waits for that end."""
    over = story.over if story.over is not None and (story.over.target == "Succeeded" or attachment.restart == "Never") else None
    if over is None and story.gone is not None and story.gone.at_ms > left.at_ms:
        return _NOT_FOUND, 1
    if over is None:  # also where the pod was gone by then: kubectl watches for what it never sees
        return (_TIMED_OUT, 1) if now_ms >= left.at_ms + attachment.timeout_ms else (None, 0)
    if over.target == "Succeeded":
        return "", 0
    if story.ended is None or not (code := story.ended.get("exit_code")):
        return f"error: pod {attachment.namespace}/{attachment.name} failed with unknown exit code\n", 1
    message = str(story.ended.get("message"))
    said = f"pod {attachment.namespace}/{attachment.name} terminated ({story.ended.get('reason')})\n{message}"
    return said if said.endswith("\n") else f"{said}\n", int(code)


def _attached(attachment: Attachment, story: _Story, world: World) -> str:
    """The words at the beginning, and the output of the container: later kubectls print first what was there before."""
    assert story.ready is not None, "kubectl attaches to what is ready"
    words = "".join(f"{text}\n" for text in attachment.said)
    from_ms = story.ready.at_ms if _SHOWN_BEFORE.holds_for(world.release.minor) else -1
    lines = list(_lines(attachment, story, world))
    early = sum(at_ms <= from_ms for at_ms, _ in lines)
    return "".join([*(text for _, text in lines[:early]), words, *(text for _, text in lines[early:])])


def _logged(attachment: Attachment, story: _Story, world: World) -> str:
    return "".join(text for _, text in _lines(attachment, story, world))


def _lines(attachment: Attachment, story: _Story, world: World) -> Iterator[tuple[Ms, str]]:
    """The lines of the container that was attached to, with their moments."""
    end = story.left.at_ms if story.left is not None else world.now_ms
    for _, at_ms, _, text in world.tables.logs.get((story.key, attachment.name), ()):
        if at_ms <= end:
            yield at_ms, f"{text}\n"


def _session_ended(attachment: Attachment, minor: int) -> Iterator[str]:
    if _PLACE_NAMED.holds_for(minor):
        place = f"{attachment.name} -c {attachment.name} -n {attachment.namespace}"
        yield f"Session ended, resume using 'kubectl attach {place} -i -t' command\n"
    elif attachment.restart == "Always":
        place = f"{attachment.name} -c {attachment.name}"
        yield f"Session ended, resume using 'kubectl attach {place} -i -t' command when the pod is running\n"


def _removals(attachment: Attachment, world: World) -> Iterator[str]:
    where = f" from {attachment.namespace} namespace" if world.release.facts.delete_namespace_shown else ""
    yield from (f'{kind} "{attachment.name}" deleted{where}\n' for kind in attachment.removed)


def _removing(attachment: Attachment) -> str:
    named = " ".join(f"{kind}/{attachment.name}" for kind in attachment.removed)
    return f"delete {named} --namespace={attachment.namespace} --ignore-not-found --wait=false"
