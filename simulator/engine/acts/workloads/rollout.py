"""``kubectl rollout restart``, ``undo``, ``pause`` and ``resume``.

None of them is a separate request to the API server: each changes the object, and the controller
does the rest. Restart writes an annotation with the current time into the pod template, which makes
it a different template. Undo restores an earlier template, which creates a new revision rather than the
old one. Pause sets a field of the Deployment that keeps its controller from rolling out
changes of the template; it continues scaling.

What kubectl itself refuses is refused here in its words: a restart or an undo of a
paused Deployment, pausing one that is already paused.
"""

import json
from collections.abc import Iterator

from simulator.engine.acts.act import Act, Either
from simulator.engine.acts.changing import changing
from simulator.engine.acts.form import NUMBER, SWITCH, Form, FormField, Values
from simulator.engine.acts.offer import Input, Offer, Offers, button
from simulator.engine.acts.script import StepReader, Verb
from simulator.engine.acts.workloads.earlier import UNDONE, earlier, earlier_number, no_earlier_text, paused_text, returned
from simulator.engine.acts.workloads.named import OBJECT_FIELDS, line_of, read_names, refused, shown_workload, the_workload, workload
from simulator.engine.apiserver.refusal import Doing
from simulator.engine.apiserver.store.edits import by_patch, minor_of_run
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.engine.projection.text import Text
from simulator.engine.workloads.objects import now_text, spec_of
from simulator.engine.world.effects import Effects
from simulator.engine.world.world import World

RESTARTED = ("Deployment", "DaemonSet", "StatefulSet")
PAUSED = ("Deployment",)
RESTARTED_AT = "kubectl.kubernetes.io/restartedAt"
_REVISIONS_MAX = 1_000_000


class RestartRollout(Command, frozen=True, kw_only=True, tag="rollout_restart"):
    """Roll out the same pods again: the template gets an annotation with the current time."""

    kind: str
    namespace: str
    name: str


class UndoRollout(Command, frozen=True, kw_only=True, tag="rollout_undo"):
    """Return to the template of an earlier revision; 0 means the one before."""

    kind: str
    namespace: str
    name: str
    to_revision: int = 0


class PauseRollout(Command, frozen=True, kw_only=True, tag="rollout_pause"):
    """Pause the rollout of template changes, or resume it (``paused`` False)."""

    kind: str
    namespace: str
    name: str
    paused: bool = True


def _changing(fx: Effects, command: RestartRollout | PauseRollout, body: Json) -> Doing:
    edit = by_patch(json.dumps(body), "merge", minor=minor_of_run(fx))
    return changing(fx, (command.kind, command.namespace, command.name), edit, subresource="", is_patch=True)


def _restart(fx: Effects, command: RestartRollout) -> Doing:
    row = workload(fx, command, RESTARTED)
    if spec_of(row).get("paused"):
        raise refused("can't restart paused deployment (run rollout resume first)")
    # Changing the template is all it takes: the controller rolls it out like any other change.
    return _changing(fx, command, {"spec": {"template": {"metadata": {"annotations": {RESTARTED_AT: now_text(fx)}}}}})


def _pause(fx: Effects, command: PauseRollout) -> Doing:
    row = workload(fx, command, PAUSED)
    if bool(spec_of(row).get("paused")) is command.paused:
        raise refused("is already paused" if command.paused else "is not paused")
    return _changing(fx, command, {"spec": {"paused": command.paused}})


def _undo(fx: Effects, command: UndoRollout) -> Doing:
    row = workload(fx, command, UNDONE)
    if paused_text(row):
        raise refused(paused_text(row))
    to = earlier(fx.tables, row, command.to_revision)
    if to is None:
        raise refused(no_earlier_text(row, command.to_revision))
    names = (command.kind, command.namespace, command.name)
    return changing(fx, names, lambda whole: returned(whole, to), subresource="", is_patch=True)


def _given(kind: str, namespace: str, name: str) -> dict[str, str | int]:
    return {"kind": kind, "namespace": namespace, "name": name}


def _offer_restart(world: World, kind: str, namespace: str, name: str) -> Iterator[Offer]:
    document = shown_workload(world, kind, namespace, name) if kind in RESTARTED else None
    if document is not None:
        yield Offer(
            key=f"restart-{kind}-{namespace}-{name}", place="object", given=_given(kind, namespace, name),
            buttons=button(gettext_noop("Restart rollout")), kubectl=line_of("rollout restart", kind, namespace, name),
            help=Text(gettext_noop("The same pods are rolled out again: the template gets an annotation with the current time.")),
            why_not="COMMAND-REJECTED" if (document.get("spec") or {}).get("paused") else "",
        )  # fmt: skip


def _offer_pause(world: World, kind: str, namespace: str, name: str) -> Iterator[Offer]:
    document = shown_workload(world, kind, namespace, name) if kind in PAUSED else None
    if document is None:
        return
    is_paused = bool((document.get("spec") or {}).get("paused"))
    given = _given(kind, namespace, name)
    yield Offer(
        key=f"pause-{kind}-{namespace}-{name}", place="object", given=given if is_paused else {**given, "paused": "on"},
        buttons=button(gettext_noop("Resume rollout") if is_paused else gettext_noop("Pause rollout")),
        kubectl=line_of("rollout resume" if is_paused else "rollout pause", kind, namespace, name),
    )  # fmt: skip


def _offer_undo(world: World, kind: str, namespace: str, name: str) -> Iterator[Offer]:
    document = shown_workload(world, kind, namespace, name) if kind in UNDONE else None
    if document is None:
        return
    row = world.tables.objects[(kind, namespace, name)]
    before = earlier(world.tables, row, 0)
    if before is None:
        return
    yield Offer(
        key=f"undo-{kind}-{namespace}-{name}", place="object", given=_given(kind, namespace, name),
        buttons=button(gettext_noop("Undo rollout")),
        kubectl=line_of("rollout undo", kind, namespace, name, " --to-revision={to_revision}"),
        help=Text(gettext_noop("The pod template of that revision is restored, as a new revision.")),
        inputs=(Input("to_revision", Text(gettext_noop("Revision")), earlier_number(before), maximum=_REVISIONS_MAX),),
        why_not="COMMAND-REJECTED" if (document.get("spec") or {}).get("paused") else "",
    )  # fmt: skip


def _make_undo(values: Values) -> UndoRollout:
    where = {"kind": values["kind"], "namespace": values["namespace"], "name": values["name"]}
    return UndoRollout(**where, to_revision=values["to_revision"] or 0)


def _read_restart(step: StepReader) -> Iterator[RestartRollout]:
    for names in read_names(step, RESTARTED):
        yield RestartRollout(**names)


def _read_undo(step: StepReader) -> Iterator[UndoRollout]:
    for names in read_names(step, UNDONE):
        yield UndoRollout(**names, to_revision=step.field("revision", int, 0))


def _read_pause(step: StepReader) -> Iterator[PauseRollout]:
    for names in read_names(step, PAUSED):
        yield PauseRollout(**names, paused=step.verb == "rollout-pause")


RESTART_ROLLOUT = Act(
    command=RestartRollout,
    handler=_restart,
    subject=the_workload,
    sentence=gettext_noop("Restart the rollout of {kind} {name}"),
    headline=gettext_noop("You restarted the rollout of {kind} {name}"),
    icon="refresh",
    form=Form(OBJECT_FIELDS),
    offers=Offers(object=_offer_restart),
    verbs=(
        Verb(
            "rollout-restart",
            "as `kubectl rollout restart`",
            _read_restart,
            needs=("name",),
            may=("kind Deployment, DaemonSet or StatefulSet",),
        ),
    ),
)
UNDO_ROLLOUT = Act(
    command=UndoRollout,
    handler=_undo,
    subject=the_workload,
    sentence=Either(
        "to_revision",
        gettext_noop("Return {kind} {name} to revision {to_revision}"),
        gettext_noop("Return {kind} {name} to the previous revision"),
    ),
    headline=gettext_noop("You undid the rollout of {kind} {name}"),
    omitted_if_empty=("to_revision",),
    icon="refresh",
    form=Form((*OBJECT_FIELDS, FormField("to_revision", NUMBER, maximum=_REVISIONS_MAX)), _make_undo),
    offers=Offers(object=_offer_undo),
    verbs=(
        Verb(
            "rollout-undo",
            "as `kubectl rollout undo`, to the previous revision unless one is named",
            _read_undo,
            needs=("name",),
            may=("kind Deployment, DaemonSet or StatefulSet", "revision"),
        ),
    ),
)
PAUSE_ROLLOUT = Act(
    command=PauseRollout,
    handler=_pause,
    subject=the_workload,
    sentence=Either("paused", gettext_noop("Pause the rollout of {kind} {name}"), gettext_noop("Resume the rollout of {kind} {name}")),
    headline=Either(
        "paused", gettext_noop("You paused the rollout of {kind} {name}"), gettext_noop("You resumed the rollout of {kind} {name}")
    ),
    icon="pause",
    form=Form((*OBJECT_FIELDS, FormField("paused", SWITCH))),
    offers=Offers(object=_offer_pause),
    verbs=(
        Verb("rollout-pause", "as `kubectl rollout pause`", _read_pause, needs=("name",), may=("kind Deployment",)),
        Verb("rollout-resume", "as `kubectl rollout resume`", _read_pause, needs=("name",), may=("kind Deployment",)),
    ),
)
