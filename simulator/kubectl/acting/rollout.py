"""``kubectl rollout restart``, ``undo``, ``pause`` and ``resume``.

Source: kubectl pkg/cmd/rollout; pkg/polymorphichelpers objectrestarter.go, objectpauser.go, objectresumer.go, rollback.go.
"""

from collections.abc import Callable

from simulator.engine.acts.workloads.earlier import UNDONE, earlier, has_returned, no_earlier_text, paused_text
from simulator.engine.acts.workloads.rollout import PAUSED, RESTARTED, PauseRollout, RestartRollout, UndoRollout
from simulator.engine.kernel.bounded import is_digits
from simulator.engine.model.meta import LAST_APPLIED
from simulator.engine.versions.span import Span
from simulator.kubectl.acting.action import KubectlAction, Step, Target, made, targets
from simulator.kubectl.line import BadLine, Line
from simulator.kubectl.tables.model import Sight, at

_NOTE_STAYS = Span(since=36)
"""The kubectl versions that warn about the last-applied annotation of an object they roll back."""
_NOTE_TEXT = (
    "Rolling back will not update the kubectl.kubernetes.io/last-applied-configuration annotation, which may cause unexpected behavior on "
    "future 'kubectl apply' operations. Consider using 'kubectl apply' with your previous configuration file instead."
)
_HELP = "See 'kubectl rollout --help' for usage."


class _NotDone(Exception):
    """kubectl refuses this one of several objects."""


class _Skipped(_NotDone):
    """Nothing is to be done, and that is no error."""


def rollout(line: Line, sight: Sight) -> KubectlAction:
    """A ``kubectl rollout`` line that changes something. Raises BadLine."""
    verb = line.words[0] if line.words else ""
    if verb not in _VERBS:
        raise BadLine(f'error: unknown command "rollout {verb}"\n{_HELP}' if verb else f"error: a subcommand is needed\n{_HELP}")
    words = line.words[1:]
    if not words:
        raise BadLine("error: required resource not specified")
    found, missing = targets(line, sight, words, every=True)
    steps: list[Step] = []
    errors = list(missing)
    said = [_annotation_warning(item) for item in found if verb == "undo" and _NOTE_STAYS.holds_for(sight.minor)]
    for item in found:
        try:
            steps.append(_VERBS[verb](item, line, sight))
        except _Skipped as skipped:
            said.append(str(skipped))
        except _NotDone as error:
            errors.append(str(error))
    return made(steps, errors, said=said)


def _annotation_warning(item: Target) -> str:
    """The warning for an object with a last-applied annotation, which a rollback leaves as it is; empty for other objects."""
    if LAST_APPLIED not in (item.document["metadata"].get("annotations") or {}):
        return ""
    return f"Warning: resource {item.info.plural}/{item.name} was previously managed with 'kubectl apply'. {_NOTE_TEXT}"


def _where(item: Target) -> dict[str, str]:
    return {"kind": item.info.kind, "namespace": item.namespace, "name": item.name}


def _refused(item: Target, text: str) -> _NotDone:
    group = f".{item.info.group}" if item.info.group else ""
    return _NotDone(f'error: {item.info.plural}{group} "{item.name}" {text}')


def _restart(item: Target, line: Line, sight: Sight) -> Step:
    if item.info.kind not in RESTARTED:
        raise _refused(item, "restarting is not supported")
    if at(item.document, "spec", "paused"):
        raise _refused(item, "can't restart paused deployment (run rollout resume first)")
    again = "if deployment has already been triggered restart within the past second, please wait before attempting to trigger another"
    return Step(command=RestartRollout(**_where(item)), done=f"{item.full_name} restarted", unchanged=str(_refused(item, again)))


def _undo(item: Target, line: Line, sight: Sight) -> Step:
    if item.info.kind not in UNDONE:
        raise _NotDone(f'error: no rollbacker has been implemented for "{item.info.kind}"')
    text = line.value("to-revision") or "0"
    if not is_digits(text) or len(text) > 18:
        raise BadLine(f'error: invalid argument "{text}" for "--to-revision" flag: strconv.ParseInt: parsing "{text}": invalid syntax')
    row = sight.world.tables.objects[(item.info.kind, item.namespace, item.name)]
    if paused_text(row):
        raise _NotDone(f"error: {paused_text(row)}")
    to = earlier(sight.world.tables, row, int(text))
    if to is None:
        raise _NotDone(f"error: {no_earlier_text(row, int(text))}")
    if has_returned(row, to):
        raise _Skipped(f"{item.full_name} skipped rollback (current template already matches revision {int(text)})")
    return Step(command=UndoRollout(**_where(item), to_revision=int(text)), done=f"{item.full_name} rolled back")


def _pause(item: Target, line: Line, sight: Sight) -> Step:
    return _pausing(item, paused=True)


def _resume(item: Target, line: Line, sight: Sight) -> Step:
    return _pausing(item, paused=False)


def _pausing(item: Target, *, paused: bool) -> Step:
    if item.info.kind not in PAUSED:
        raise _refused(item, "pausing is not supported" if paused else "resuming is not supported")
    if bool(at(item.document, "spec", "paused")) is paused:
        raise _refused(item, "is already paused" if paused else "is not paused")
    return Step(command=PauseRollout(**_where(item), paused=paused), done=f"{item.full_name} {'paused' if paused else 'resumed'}")


_VERBS: dict[str, Callable[[Target, Line, Sight], Step]] = {"restart": _restart, "undo": _undo, "pause": _pause, "resume": _resume}
