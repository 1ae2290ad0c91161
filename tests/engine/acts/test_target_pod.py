"""The pod that an act means if its target was replaced by another pod of the same name."""

import json

import pytest

from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.containers.exit import ExitContainer
from simulator.engine.acts.containers.probe import SetProbe
from simulator.engine.acts.nodes.static_pod import PlaceStaticPod
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.acts.pods.sandbox import KillSandbox
from tests.engine.worlds import container, header, pod, run

PROBED = pod(container("sleep 600", livenessProbe={"exec": {"command": ["true"]}}))
AGAIN = ((5.0, DeletePod(target="default/p", grace_s=0, force=False)), (20.0, ApplyManifest(documents=(json.dumps(PROBED),))))
ACTS = (
    ExitContainer(target="default/p", container="app", exit_code=3),
    SetProbe(target="default/p", container="app", probe="liveness", outcome="failure"),
    KillSandbox(target="default/p"),
)


@pytest.mark.parametrize("act", ACTS, ids=lambda act: type(act).__name__)
def test_act_on_the_name_of_a_pod_that_was_recreated_reaches_the_new_one(act: AnyCommand) -> None:
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


def three():
    return [pod(container("sleep 600"), name=name) for name in ("c", "a", "b")]


@pytest.mark.parametrize(("place", "name"), [(0, "a"), (1, "b"), (2, "c")])
def test_pod_is_meant_by_its_place_among_the_names(place: int, name: str) -> None:
    _, records = run(header(*three()), 5, (2.0, DeletePod(target=f"default/[{place}]")))
    (command,) = [record for record in records if record.machine == "command"]
    assert (command.subject, command.target) == (f"pod/default/{name}", "accepted")


def test_place_that_no_pod_has_is_refused() -> None:
    _, records = run(header(*three()), 5, (2.0, DeletePod(target="default/[3]")))
    (command,) = [record for record in records if record.machine == "command"]
    assert (command.target, command.rule) == ("refused", "COMMAND-NO-POD")
