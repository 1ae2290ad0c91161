"""What an act declares that it makes a machine do, the machine does then and not without it."""

from collections import Counter

import pytest

from simulator.engine import Record, replay
from simulator.engine.acts.all_acts import ACTS, AnyCommand
from simulator.engine.acts.containers.exit import ExitContainer
from simulator.engine.acts.containers.oom import OomContainer
from simulator.engine.acts.containers.probe import SetProbe
from simulator.engine.acts.containers.signal import SignalContainer
from simulator.engine.acts.offer import Offer
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.acts.pods.sandbox import KillSandbox
from simulator.engine.projection import project
from simulator.engine.rules.machine_tables import ALL
from tests.engine.worlds import container, header, pod, stamped

DEAF = "trap '' TERM; while true; do sleep 1; done"
HEALTHY = {"exec": {"command": ["true"]}, "periodSeconds": 5}
PROBED = pod(container(DEAF, livenessProbe=HEALTHY, readinessProbe=HEALTHY))
WHERE = {"target": "default/p", "container": "app"}
DELETE = DeletePod(target="default/p", grace_s=10)
FAIL = {kind: SetProbe(**WHERE, probe=kind, outcome="failure", attempts=0) for kind in ("liveness", "readiness")}
HEAL = SetProbe(**WHERE, probe="readiness", outcome="success", attempts=0)
COMMANDS = {
    "exit_container": (ExitContainer(**WHERE, exit_code=3),),
    "signal_container": (SignalContainer(**WHERE, signal=9),),
    "oom_container": (OomContainer(**WHERE),),
    "set_probe": tuple(FAIL.values()),
    "delete_pod": (DELETE,),
    "kill_sandbox": (KillSandbox(target="default/p"),),
}
BEFORE: dict[str, list[tuple[float, AnyCommand]]] = {
    "STOP-EXITED": [(18.0, DeletePod(target="default/p", grace_s=600))],
    "PROBE-SUCCEEDED": [(10.0, FAIL["readiness"])],
}
"""Prerequisites of a step: the container is being stopped, the probe fails."""


def offers() -> list[Offer]:
    world = replay(header(PROBED), [], until_ms=20_000)
    view = project.pod_view(world, "default/p")
    assert view is not None
    (app,) = view.containers
    about = ACTS.about(world, view)
    found = [*about.on_pod(), *about.on_container(app)]
    found += [offer for probe in app.probes for offer in about.on_probe(app, probe)]
    return [offer for offer in found if offer.fires]


OFFERS = offers()


def steps(*commands: tuple[float, AnyCommand]) -> Counter[str]:
    """How often each rule was applied within the minute."""
    records: list[Record] = []
    replay(header(PROBED), stamped(*commands), until_ms=60_000, into=records)
    return Counter(record.rule for record in records)


@pytest.mark.parametrize(
    ("offer", "rule"), [(offer, rule) for offer in OFFERS for rule in offer.fires], ids=lambda it: getattr(it, "key", it)
)
def test_act_makes_the_machine_take_the_step(offer: Offer, rule: str) -> None:
    before = BEFORE.get(rule, [])
    commands = [command for command in COMMANDS[offer.do] if getattr(command, "probe", None) == offer.given.get("probe")]
    commands += [HEAL] if rule == "PROBE-SUCCEEDED" else []
    taken = [steps(*before, (20.0, command))[rule] for command in commands]
    assert max(taken) > steps(*before)[rule]


def test_steps_are_those_of_machines() -> None:
    known = {row.rule for machine in ALL for row in machine.rows}
    assert {rule for offer in OFFERS for rule in offer.fires} <= known
