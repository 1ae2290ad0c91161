"""Whatever triggers the kubelet, it writes a pod's status under its own name: otherwise it would mistake its write for somebody else's."""

import json
import sys
from collections.abc import Callable

import pytest

from simulator.engine.acts.nodes.static_pod import PlaceStaticPod
from tests.engine.test_past import DELETED, END, LIVED, world_of
from tests.engine.worlds import container, header, pod, run

SLOW = {"exec": {"command": ["sleep", "0.3"]}, "periodSeconds": 10}
HOOKS = {"postStart": {"exec": {"command": ["sleep", "1"]}}, "preStop": {"exec": {"command": ["sleep", "1"]}}}


@pytest.fixture(autouse=True)
def writers(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names under which the kubelet's modules publish statuses."""
    found: list[str] = []

    def watched(publish: Callable) -> Callable:
        def publishes(fx, *args, **more):
            found.append(fx.component)
            return publish(fx, *args, **more)

        return publishes

    for name, module in list(sys.modules.items()):
        if name.startswith("simulator.engine.kubelet.") and hasattr(module, "publish"):
            monkeypatch.setattr(module, "publish", watched(module.publish))
    return found


def slow_probe() -> None:
    run(header(pod({**container("sleep 20; exit 1"), "readinessProbe": SLOW, "livenessProbe": SLOW, "lifecycle": HOOKS})), 60)


def static_pod_that_goes() -> None:
    placed = PlaceStaticPod(node="node1", document=json.dumps(pod(container("sleep 900"), name="stat")))
    run(header(), 60, (1, placed), (20, PlaceStaticPod(node="node1", remove="stat")))


def import_of_a_pod_that_is_stopped() -> None:
    world_of(*LIVED, *END, DELETED, until_ms=60_000)


@pytest.mark.parametrize("case", [slow_probe, static_pod_that_goes, import_of_a_pod_that_is_stopped])
def test_kubelet_writes_in_its_own_name(case: Callable[[], None], writers: list[str]) -> None:
    case()
    assert set(writers) == {"kubelet"}
