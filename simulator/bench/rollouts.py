"""How fast Deployments are: pods from nothing to available, and a rolling update of all of them to another image."""

import json
from time import process_time

from msgspec import Struct

from simulator.bench.engine import make_header
from simulator.engine import World, advance, apply, new_world
from simulator.engine.acts.workloads.image import SetWorkloadImage
from simulator.engine.kernel.units import HOUR, SECOND

STEP_MS = 20 * SECOND
LATEST_MS = 2 * HOUR


class Rolled(Struct, frozen=True, kw_only=True):
    """One Deployment: CPU seconds until all its pods were available, until all had the new image, and the simulated time."""

    pods: int
    made_s: float
    rolled_s: float
    simulated_ms: int


def rolled_over(pods: int) -> Rolled:
    """Create a Deployment of ``pods`` pods and update its image once, with the default surge and unavailability."""
    container = {"name": "app", "image": "registry.k8s.io/pause:3.9"}
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"terminationGracePeriodSeconds": 1, "containers": [container]}}
    spec = {"replicas": pods, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    document = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}
    room = make_header(["{}"] * (2 * pods))
    world = new_world(type(room)(kubernetes=room.kubernetes, manifests=(json.dumps(document),), cluster=room.cluster))
    made_s = _until_done(world, pods)
    apply(world, SetWorkloadImage(kind="Deployment", namespace="default", name="web", container="app", image="registry.k8s.io/pause:3.10"))
    return Rolled(pods=pods, made_s=made_s, rolled_s=_until_done(world, pods), simulated_ms=world.now_ms)


def _until_done(world: World, pods: int) -> float:
    began = process_time()
    while world.now_ms < LATEST_MS:
        advance(world, until_ms=world.now_ms + STEP_MS)
        row = world.tables.objects[("Deployment", "default", "web")]
        status = json.loads(row.document).get("status") or {}
        counts = {status.get(key) for key in ("replicas", "updatedReplicas", "availableReplicas")}
        if counts == {pods} and status.get("observedGeneration") == row.generation:
            break
    return round(process_time() - began, 2)
