"""A user imposes the outcome of a probe, instead of the container determining it.

The outcome stays with the probe until it is healed or its attempts are used up, and each attempt
that is due reads it in place of the container's answer. Thresholds, periods and what follows from a
failure are unaffected: an imposed failure is counted like any other.
"""

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from simulator.engine.acts.act import Act, Among
from simulator.engine.acts.form import CHOICE, NUMBER, TARGET, THE_CONTAINER, Form, FormField, Values
from simulator.engine.acts.offer import TICK, Button, Input, Offer, Offers, gone, in_container
from simulator.engine.acts.script import BadStep, StepReader, Verb
from simulator.engine.apiserver.refusal import Doing, Refusal, bad_value, live_pod
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Key, Subject
from simulator.engine.kubelet.pods.probes.probe_workers import probe_of
from simulator.engine.projection.model import ContainerView, PodView, ProbeView
from simulator.engine.projection.text import Text
from simulator.engine.world.effects import Effects
from simulator.engine.world.world import World

PROBES = ("liveness", "readiness", "startup")
OUTCOMES = ("success", "failure", "timeout", "error")


class SetProbe(Command, frozen=True, kw_only=True, tag="set_probe"):
    """Impose a probe's outcome: ``outcome`` success, failure, timeout or error; None leaves it to the container again."""

    target: Key
    container: str
    probe: str  # liveness | readiness | startup
    outcome: str | None
    attempts: int = 0  # for this many attempts; 0 = until healed


def _set_probe(fx: Effects, command: SetProbe) -> Doing:
    row = live_pod(fx, command.target)
    spec = row.pod.spec
    if command.outcome not in (None, *OUTCOMES):
        raise bad_value("an outcome is success, failure, timeout or error")
    for container in (*spec.containers, *spec.init_containers):
        if container.name == command.container and probe_of(container, command.probe) is not None:
            break
    else:
        raise Refusal("COMMAND-NO-PROBE")
    key = (row.key, command.container, command.probe)
    # The spec has the probe, but it is not running yet, or no longer.
    held = fx.tables.probes.get(key)
    if held is None:
        raise Refusal("COMMAND-NO-PROBE")
    changed = replace(held, outcome=command.outcome or "", outcome_left=command.attempts)
    return lambda: fx.save_probe(key, replace(changed, outcome_seq=fx.cause if command.outcome else 0))


def _subject(command: SetProbe) -> Subject:
    return f"probe/{command.target}/{command.container}/{command.probe}"


def _make(values: Values) -> SetProbe:
    where = {"target": values["target"], "container": values["container"], "probe": values["probe"]}
    return SetProbe(**where, outcome=values["outcome"] or None, attempts=values["attempts"] or 0)


_BUTTONS = {
    "failure": gettext_noop("Fail {probe}"),
    "timeout": gettext_noop("Time out {probe}"),
    "error": gettext_noop("Break {probe}"),
    "success": gettext_noop("Pass {probe}"),
}


def _offer(world: World, pod: PodView, container: ContainerView, probe: ProbeView) -> Iterator[Offer]:
    """One form with a button for each outcome, and one to heal if one is imposed already."""
    buttons: dict[str, Any] = {**_BUTTONS, "": gettext_noop("Heal {probe}")} if probe.override else _BUTTONS
    is_known = (pod.key, container.name, probe.kind) in world.tables.probes
    yield Offer(
        key=f"{pod.key}-{container.name}-{probe.kind}",
        place="probe",
        given={**in_container(pod, container), "probe": probe.kind},
        buttons=tuple(Button(Text(msgid, (("probe", probe.kind),)), "outcome", outcome) for outcome, msgid in buttons.items()),
        help=Text(gettext_noop("Heal hands the probe back to the container. 0 attempts means until healed.")),
        inputs=(Input("attempts", Text(gettext_noop("Attempts (0: until healed)")), 0, maximum=1000),),
        why_not=gone(pod) or ("" if is_known else "COMMAND-NO-PROBE"),
        handle=TICK,
        fires=("PROBE-SUCCEEDED", *(("PROBE-FAILED",) if probe.kind == "readiness" else ("PROBE-FAILED-HOLD", "STOP-REQUESTED"))),
    )


def _read(step: StepReader) -> Iterator[SetProbe]:
    probe, outcome, attempts = step.needed("probe", str), step.field("outcome", str), step.field("attempts", int, 0)
    if probe not in PROBES:
        raise BadStep(gettext_noop("probe must be one of {known}"), "probe.probe", known=", ".join(PROBES))
    if outcome is not None and outcome not in OUTCOMES:
        raise BadStep(gettext_noop("outcome must be one of {known}"), "probe.outcome", known=", ".join(OUTCOMES))
    if attempts < 0:
        raise BadStep(gettext_noop("attempts must not be negative"), "probe.attempts")
    yield SetProbe(target=step.target(), container=step.needed("container", str), probe=probe, outcome=outcome, attempts=attempts)


SET_PROBE = Act(
    command=SetProbe,
    handler=_set_probe,
    subject=_subject,
    sentence=Among(
        "outcome",
        (
            ("success", gettext_noop("Make the {probe} probe of {container} succeed")),
            ("failure", gettext_noop("Make the {probe} probe of {container} fail")),
            ("timeout", gettext_noop("Make the {probe} probe of {container} time out")),
            ("error", gettext_noop("Break the {probe} probe of {container}")),
        ),
        gettext_noop("Heal {probe} of {container}"),
    ),
    headline=Among(
        "outcome",
        (
            ("success", gettext_noop("You made the {probe} probe of {container} succeed")),
            ("failure", gettext_noop("You made the {probe} probe of {container} fail")),
            ("timeout", gettext_noop("You made the {probe} probe of {container} time out")),
            ("error", gettext_noop("You broke the {probe} probe of {container}")),
        ),
        gettext_noop("You healed the {probe} probe of {container}"),
    ),
    icon="heart",
    form=Form(
        (
            TARGET,
            THE_CONTAINER,
            FormField("probe", CHOICE, choices=PROBES, is_needed=True),
            FormField("outcome", CHOICE, choices=(*OUTCOMES, "")),
            FormField("attempts", NUMBER, maximum=1000),
        ),
        _make,
    ),
    offers=Offers(probe=_offer),
    verbs=(
        Verb(
            "probe",
            "sets the outcome of a probe; without `outcome` the container decides again",
            _read,
            needs=("pod", "container", "probe"),
            may=("outcome success, failure, timeout or error", "attempts"),
        ),
    ),
    rules=(RuleText("COMMAND-NO-PROBE", gettext_noop("The container does not have that probe."), "a command of the run"),),
)
