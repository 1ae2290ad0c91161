"""The Diff tab: the selected object at two moments of a run, or in two runs.

resourceVersion tells whether an object was written, so the last write is found by a binary search over the records
about it. Writes that only change bookkeeping are skipped, unless ``noise`` asks for them.
"""

from typing import Any

from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import Ms, Seq, Subject
from simulator.engine.projection.subjects import short
from simulator.engine.world.world import World
from simulator.kubectl.changes import FieldChange, changes, document_of, without_noise
from simulator.kubectl.yaml import to_yaml
from simulator.manifests.editor.preview.differ import diff_lines
from simulator.runs.log import timemachine
from simulator.runs.log.history import is_kept
from simulator.web.base.common import Context
from simulator.web.run.scenes import WorldScene

LOOKS_MAX = 6
"""How many writes are examined to find one that changed more than bookkeeping."""
CHANGES_MAX = 60
VALUE_MAX = 90
_OF_POD = ("pod", "container", "probe", "condition")


def diff_panel(scene: WorldScene) -> Context:
    """The selected object at the pinned moment and at the current one; without a pin, just before its last change."""
    subject = subject_of(scene)
    after = document_of(scene.world, subject)
    if scene.pin_ms is None:
        before, before_ms = _before_last_change(scene, subject, after)
    else:
        world = timemachine.seek(scene.run, ms=scene.pin_ms)
        before, before_ms = document_of(world, subject), scene.pin_ms
    return {
        **difference(before, after, noise=scene.noise),
        "subject": subject,
        "name": short(subject),
        "before_ms": before_ms,
        "after_ms": scene.now_ms,
        "is_pinned": scene.pin_ms is not None,
    }


def subject_of(scene: WorldScene) -> Subject:
    """The selected node or object, otherwise the pod."""
    if scene.node is not None:
        return scene.node.subject
    return scene.object.subject if scene.object is not None else f"pod/{scene.key}" if scene.key else ""


def difference(before: dict[str, Any] | None, after: dict[str, Any] | None, *, noise: bool) -> Context:
    """The differences between two states of an object, as lines of YAML and as fields."""
    old, new = (before, after) if noise else (_comparable(before), _comparable(after))
    found = changes(old, new)
    return {
        "lines": diff_lines(old, new),
        "changes": [_change(change) for change in found[:CHANGES_MAX]],
        "hidden": max(0, len(found) - CHANGES_MAX),
        "noise": noise,
        "is_only_noise": not found and before != after,
        "is_there": (before is not None, after is not None),
    }


def _comparable(document: dict[str, Any] | None) -> dict[str, Any] | None:
    return None if document is None else without_noise(document)


def _change(change: FieldChange) -> Context:
    return {"path": change.path, "kind": change.kind, "before": _value(change.before), "after": _value(change.after)}


def _value(value: Any) -> str:
    """A value on one line: as YAML if it is short, otherwise a summary."""
    if value is None:
        return ""
    if isinstance(value, dict | list) and value:
        return f"{{{', '.join(value)}}}"[:VALUE_MAX] if isinstance(value, dict) else f"[{len(value)}]"
    text = value if isinstance(value, str) and value else to_yaml(value).strip()
    text = text.replace("\n", " ")
    return text if len(text) <= VALUE_MAX else f"{text[: VALUE_MAX - 1]}…"


def _before_last_change(scene: WorldScene, subject: Subject, after: dict[str, Any] | None) -> tuple[dict[str, Any] | None, Ms]:
    """The object before the last write that changed more than bookkeeping, and when that write was. At most a few dozen seeks."""
    seqs = [record.seq for record in scene.past if _is_about(record, subject)]
    shown, before, moment_ms = _comparable(after), after, scene.now_ms
    # Each iteration skips one write, until the object without bookkeeping differs.
    for _look in range(LOOKS_MAX):
        place = _first_with(scene, subject, seqs, before)
        moment_ms = scene.past[seqs[place] - 1].at_ms if place < len(seqs) else moment_ms
        if place == 0:
            return None, moment_ms if seqs else 0
        before, seqs = document_of(_world(scene, seqs[place - 1]), subject), seqs[:place]
        if _comparable(before) != shown:
            break
    return before, moment_ms


def _first_with(scene: WorldScene, subject: Subject, seqs: list[Seq], wanted: dict[str, Any] | None) -> int:
    """The index of the first record after which the object is in its final state, by binary search, since revisions only grow."""
    low, high = 0, len(seqs)
    while low < high:
        middle = (low + high) // 2
        if _revision(document_of(_world(scene, seqs[middle]), subject)) == _revision(wanted):
            high = middle
        else:
            low = middle + 1
    return low


def _revision(document: dict[str, Any] | None) -> str | None:
    return None if document is None else str(document.get("metadata", {}).get("resourceVersion"))


def _world(scene: WorldScene, seq: Seq) -> World:
    if not is_kept(scene.run):
        return timemachine.seek(scene.run, seq=seq)
    world = timemachine.recorded_world(scene.run, seq=seq)
    return scene.world if world is None else world


def _is_about(record: Record, subject: Subject) -> bool:
    if record.subject == subject:
        return True
    kind, *words = record.subject.split("/")
    return kind in _OF_POD and subject == f"pod/{'/'.join(words[:2])}"
