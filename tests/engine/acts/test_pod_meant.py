"""Which pod an act means whose target was replaced by another pod of its name."""

import json

import pytest

from simulator.engine.acts.containers.exit import ExitContainer
from simulator.engine.acts.containers.probe import SetProbe
from simulator.engine.acts.nodes.static_pod import PlaceStaticPod
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.acts.pods.sandbox import KillSandbox
from simulator.engine.acts.registry import AnyCommand
from tests.engine.worlds import container, header, pod, run

PROBED = pod(container("sleep 600", livenessProbe={"exec": {"command": ["true"]}}))
AGAIN = ((5.0, DeletePod(target="default/p", grace_s=0, force=False)), (20.0, ApplyManifest(documents=(json.dumps(PROBED),))))
ACTS = (
    ExitContainer(target="default/p", container="app", exit_code=3),
    SetProbe(target="default/p", container="app", probe="liveness", outcome="failure"),
    KillSandbox(target="default/p"),
)


@pytest.mark.parametrize("act", ACTS, ids=lambda act: type(act).__name__)
def test_act_on_the_name_of_a_pod_that_was_made_anew_reaches_the_new_one(act: AnyCommand) -> None:
    world, records = run(header(PROBED), 90, *AGAIN, (30.0, act))
    assert [record.target for record in records if record.machine == "command"] == ["accepted"] * 3
    (status,) = world.tables.pods["default/p#2"].status.containers
    assert status.restart_count > 0


def test_act_on_a_static_pod_reaches_what_runs_under_the_new_mirror() -> None:
    place = PlaceStaticPod(node="node1", document=json.dumps(pod(container("sleep 600"), name="w")))
    world, _ = run(
        header(),
        60,
        (5, place),
        (15, DeletePod(target="default/w-node1")),
        (20, ExitContainer(target="default/w-node1", container="app", exit_code=1)),
    )
    (status,) = world.tables.pods["default/w-node1#2"].status.containers
    assert status.restart_count == 1
