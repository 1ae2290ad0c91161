"""A page's offers match the engine: an enabled button works, and a disabled act would be refused for the reason given."""

from typing import Any

import pytest

from simulator.engine import World, advance, apply, new_world
from simulator.engine.acts.all_acts import ACTS, AnyCommand
from simulator.engine.acts.containers.exit import ExitContainer
from simulator.engine.acts.containers.hang import HangContainer
from simulator.engine.acts.containers.image import SetImage
from simulator.engine.acts.containers.probe import SetProbe
from simulator.engine.acts.nodes.control import NodeControl
from simulator.engine.acts.nodes.cordon import CordonNode
from simulator.engine.acts.nodes.delete import DeleteNode
from simulator.engine.acts.nodes.pressure import SetNodePressure
from simulator.engine.acts.nodes.shutdown import ShutdownNode
from simulator.engine.acts.nodes.static_pod import PlaceStaticPod
from simulator.engine.acts.offer import Offer
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.acts.workloads.autoscale import AutoscaleWorkload
from simulator.engine.acts.workloads.image import SetWorkloadImage
from simulator.engine.acts.workloads.rollout import PauseRollout
from tests.engine.acts.sending import command_of, offers_of
from tests.engine.worlds import container, header, pod, run

KEY = "default/p"
DEAF = "trap '' TERM; while true; do sleep 1; done"
LIVENESS = {"exec": {"command": ["test", "-f", "/ok"]}, "periodSeconds": 5}
CONFIG: dict[str, Any] = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}}
SERVICE: dict[str, Any] = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": {"ports": [{"port": 80}]}}
SIZED: dict[str, Any] = {"resources": {"requests": {"cpu": "100m"}}}
GATED = pod(container(**SIZED), name="gated", schedulingGates=[{"name": "example.com/hold"}])
TEAM = {**pod(container(**SIZED)), "metadata": {"name": "p", "namespace": "team"}}
DEPLOYMENT: dict[str, Any] = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web"},
    "spec": {
        "selector": {"matchLabels": {"app": "web"}},
        "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container(**SIZED)]}},
    },
}
WEB: dict[str, Any] = {"kind": "Deployment", "namespace": "default", "name": "web"}
STATIC = PlaceStaticPod(node="node1", document=header(pod(container(**SIZED), name="still")).manifests[0])


def world_at(seconds: float, *commands: tuple[float, AnyCommand], script: str = "sleep 600", **spec: Any) -> World:
    kubernetes = spec.pop("kubernetes", "1.30")
    documents = (pod(container(script, livenessProbe=LIVENESS, **SIZED), **spec), GATED, TEAM, CONFIG, SERVICE)
    return run(header(*documents, kubernetes=kubernetes), seconds, *commands)[0]


WORLDS = {
    "not yet scheduled": world_at(0),
    "running": world_at(5),
    "running, of a version that resizes": world_at(5, kubernetes="1.35"),
    "running, of an old client": world_at(5, kubernetes="1.20"),
    "gone, with its processes": world_at(6, (5, DeletePod(target=KEY, force=True)), script=DEAF),
    "gone": world_at(60, (5, DeletePod(target=KEY))),
    "ended": world_at(5, (4, ExitContainer(target=KEY, container="app", exit_code=1)), restartPolicy="Never"),
    "hung": world_at(6, (5, HangContainer(target=KEY, container="app"))),
    "probe decided": world_at(6, (5, SetProbe(target=KEY, container="app", probe="liveness", outcome="failure"))),
    "image away": world_at(6, (5, SetImage(image="busybox:1.28", available=False))),
    "machine down": world_at(8, (5, NodeControl(node="node1", kubelet="stop", runtime="stop", network_plugin="missing"))),
    "cordoned": world_at(8, (5, CordonNode(node="node1"))),
    "node object deleted": world_at(8, (5, DeleteNode(node="node1"))),
    "node under pressure": world_at(8, (5, SetNodePressure(node="node1", signal="memory.available", available="50Mi"))),
    "static pod": world_at(8, (5, STATIC)),
    "static pod, of a version that resizes": world_at(8, (5, STATIC), kubernetes="1.35"),
    "static pod, before the API server refused to debug it": world_at(8, (5, STATIC), kubernetes="1.25"),
    "rolled out": run(
        header(DEPLOYMENT, images=("busybox:1.29",)), 20, (5, SetWorkloadImage(**WEB, container="app", image="busybox:1.29"))
    )[0],
    "autoscaled": run(header(DEPLOYMENT), 8, (5, AutoscaleWorkload(**WEB, max_replicas=3)))[0],
    "rollout paused": run(header(DEPLOYMENT), 8, (5, PauseRollout(**WEB)))[0],
    "node shuts down": world_at(8, (5, STATIC), (6, ShutdownNode(node="node1"))),
}


@pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS)
def test_offers_say_what_the_engine_will_answer(world: World) -> None:
    for offer in offers_of(world):
        for button in offer.buttons:
            own = apply(world.fork(), command_of(offer, button))[0]
            assert (own.target, offer.why_not or own.rule) == ("refused" if offer.why_not else "accepted", own.rule), offer


@pytest.mark.parametrize(
    ("world", "expected"),
    [
        ("static pod", "COMMAND-REJECTED"),
        ("static pod, of a version that resizes", "COMMAND-REJECTED"),
        ("static pod, before the API server refused to debug it", None),
    ],
)
def test_static_pod_is_not_debugged(world: str, expected: str | None) -> None:
    offers = [offer for offer in offers_of(WORLDS[world]) if offer.key == "default/still-node1-debug"]
    assert next((offer.why_not for offer in offers), None) == expected


def test_every_act_with_a_form_is_offered_somewhere() -> None:
    possible = {offer.do for world in WORLDS.values() for offer in offers_of(world) if not offer.why_not}
    assert possible == {act.do for act in ACTS if act.form is not None}


@pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS)
def test_offers_have_keys_of_their_own(world: World) -> None:
    seen: dict[str, Offer] = {}
    for offer in offers_of(world):
        assert seen.setdefault(offer.key, offer) == offer


def test_eviction_is_offered_although_a_budget_may_refuse_it() -> None:
    budget = {"kind": "PodDisruptionBudget", "metadata": {"name": "b"}, "spec": {"selector": {}, "minAvailable": 1}}
    world = new_world(header(pod(container()), budget))
    advance(world, until_ms=5_000)
    (offer,) = [offer for offer in offers_of(world) if offer.do == "evict"]
    assert (offer.why_not, apply(world.fork(), command_of(offer))[0].rule) == ("", "EVICT-REFUSED")


def labels(name: str, do: str) -> list[str]:
    return [button.label.english for offer in offers_of(WORLDS[name]) if offer.do == do for button in offer.buttons if not offer.why_not]


def test_hung_process_may_be_woken() -> None:
    assert "Wake process" in labels("hung", "hang_container")
    assert "Wake process" not in labels("running", "hang_container")


def test_only_a_decided_probe_may_be_healed() -> None:
    assert "Heal liveness" in labels("probe decided", "set_probe")
    assert "Heal liveness" not in labels("running", "set_probe")


def test_number_of_attempts_says_what_none_means() -> None:
    inputs = {item.label.english for offer in offers_of(WORLDS["running"]) for item in offer.inputs if item.name == "attempts"}
    assert inputs == {"Attempts (0: until healed)"}


def line(name: str, key: str) -> str:
    return next(offer.command_line for offer in offers_of(WORLDS[name]) if offer.key == key)


def test_command_line_has_the_values_of_the_inputs() -> None:
    assert line("running", f"{KEY}-app-image") == "kubectl set image pod/p app=busybox:1.28"


def test_command_line_names_the_namespace_unless_default() -> None:
    assert line("running", "team/p-delete") == "kubectl delete pod p --namespace=team"
    assert line("running", f"{KEY}-delete") == "kubectl delete pod p"
