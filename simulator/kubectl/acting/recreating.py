"""``replace --force`` and ``apply --force``: objects are deleted, and created again once they are gone.

Source: kubectl pkg/cmd/replace/replace.go (forceReplace), pkg/cmd/apply/patcher.go (deleteAndCreate).

It is one line of two halves with a wait between them. Like a line that attaches to a pod (``attached``) it is told anew at each moment from
the run's records. The second half is the same line given again, which then finds nothing to delete.
"""

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from simulator.engine.acts.objects.delete import DeleteObject
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.apiserver.documents.objects import object_document
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import SECOND, Ms, Seq
from simulator.engine.versions.span import Span
from simulator.engine.world.world import World
from simulator.kubectl.acting.action import KubectlAction, Recreation, Step
from simulator.kubectl.acting.attached import AttachedSoFar
from simulator.kubectl.acting.objects import CASCADES, whole_seconds
from simulator.kubectl.durations import BadDuration, duration_of
from simulator.kubectl.line import BadLine, Line
from simulator.kubectl.tables.model import Sight

_LOOKS_EVERY: Ms = SECOND
_PATIENCE: Ms = 300 * SECOND
_CONTEXT_ENDS = Span(since=31)
"""The kubectl versions that name the end of a context where their patience ends; seen with 1.30 and 1.33."""


def check_forced(line: Line) -> None:
    """Raise BadLine for flags of ``replace`` that are only allowed with --force (kubectl pkg/cmd/replace Validate)."""
    whole_seconds(line)
    for flag in ("grace-period", "timeout"):
        if line.value(flag) not in ("", "-1", "0s") and not line.has("force"):
            raise BadLine(f"error: --{flag} must have --force specified")


def in_two_halves(action: KubectlAction, deletions: int, line: Line) -> KubectlAction:
    """The action whose first ``deletions`` steps remove objects at once, as one that waits for their end before it takes the others.

    Raises BadLine for a timeout that is no duration.
    """
    if not deletions:
        return action
    grace_s = _grace_s(line)
    first = [replace(step, command=_graceful(step, grace_s)) for step in action.steps[:deletions]]
    recreation = Recreation(steps=action.steps[deletions:], patience_ms=_patience(line))
    return replace(action, steps=tuple(first), recreation=recreation)


def _grace_s(line: Line) -> int | None:
    """The grace period of the deletions in seconds; None for the objects' own. 0 counts as 1, so that the object's end is waited for."""
    seconds = whole_seconds(line)
    return max(seconds, 1) if seconds is not None and seconds >= 0 else None


def _graceful(step: Step, grace_s: int | None) -> DeletePod | DeleteObject:
    assert isinstance(step.command, DeletePod | DeleteObject), "only deletions come first"
    return replace(step.command, grace_s=grace_s, force=False) if isinstance(step.command, DeletePod) else step.command


def _patience(line: Line) -> Ms:
    try:
        return duration_of(line.value("timeout") or "0") or _PATIENCE
    except BadDuration as error:
        raise BadLine(f'error: invalid argument "{line.value("timeout")}" for "--timeout" flag: {error}') from None


def deletion_at_once(document: Json, line: Line, sight: Sight) -> DeletePod | DeleteObject:
    """The command that removes the object of a manifest without any grace."""
    metadata = document["metadata"]
    namespace, name = str(metadata.get("namespace") or ""), str(metadata["name"])
    row = sight.world.live_pod(namespace, name) if document["kind"] == "Pod" else None
    if row is not None:
        return DeletePod(target=row.key, grace_s=0, force=True)
    return DeleteObject(kind=document["kind"], namespace=namespace, name=name, propagation=CASCADES.get(line.value("cascade"), ""))


def recreated(
    action: KubectlAction,
    seqs: Sequence[Seq],
    past: Sequence[Record],
    world: World,
    refusal_of: Callable[[Step, Record, int], str],
) -> AttachedSoFar:
    """How far a line has come whose deletions are the commands ``seqs``, at the end of ``past``. Costs what has been recorded since."""
    assert action.recreation is not None, "the line has a second half"
    steps, begun_ms = action.recreation.steps, past[seqs[-1] - 1].at_ms
    if any(past[seq - 1].target == "refused" for seq in seqs):
        return AttachedSoFar(is_over=True)
    given = [record for record in past[seqs[-1] :] if record.kind == "command" and record.get("do") == "apply"][: len(steps)]
    if given:
        refused = [record.target == "refused" for record in given]
        texts = (
            f"{refusal_of(step, record, world.release.minor)}\n" if record.target == "refused" else _done(step)
            for step, record in zip(steps, given, strict=False)
        )
        return AttachedSoFar(text="".join(texts), is_over=True, exit_code=int(any(refused)))
    if world.now_ms >= begun_ms + action.recreation.patience_ms:
        why = "context deadline exceeded" if _CONTEXT_ENDS.holds_for(world.release.minor) else "timed out waiting for the condition"
        return AttachedSoFar(text=f"error: {why}\n", is_over=True, exit_code=1)
    looked_ms = [_looked_ms(step.command, past[seq - 1], begun_ms, world) for step, seq in zip(action.steps, seqs, strict=True)]
    is_due = all(at_ms is not None and at_ms <= world.now_ms for at_ms in looked_ms)
    return AttachedSoFar(due=action.recreation.line if is_due else "")


def _done(step: Step) -> str:
    return step.done if step.printed or not step.done else f"{step.done}\n"


def _looked_ms(command: Command, own: Record, begun_ms: Ms, world: World) -> Ms | None:
    """When kubectl, which looks once a second, finds the deleted object gone; None as long as there is one of its name."""
    if isinstance(command, DeletePod):
        row = world.tables.pods.get(own.subject.partition("/")[2])
        if row is None:
            return begun_ms
        if row.gone_ms is None or world.live_pod(row.namespace, row.name) is not None:
            return None
        return begun_ms + -(-(row.gone_ms - begun_ms) // _LOOKS_EVERY) * _LOOKS_EVERY
    assert isinstance(command, DeleteObject), "only deletions come first"
    try:
        object_document(world, command.kind, command.namespace, command.name)
    except KeyError:
        return begun_ms
    return None
