"""What acts on workloads refuse, in kubectl's words."""

import json
from typing import Any

import pytest

from simulator.engine import apply
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.workloads.autoscale import AutoscaleWorkload
from simulator.engine.acts.workloads.image import SetWorkloadImage
from simulator.engine.acts.workloads.rollout import PauseRollout, RestartRollout, UndoRollout
from simulator.engine.acts.workloads.scale import ScaleWorkload
from simulator.kubectl.acting.verbs import action_of
from tests.engine.acts.sending import command_of, offers_of
from tests.engine.acts.test_offers import CONFIG, DEPLOYMENT, WEB, WORLDS
from tests.engine.worlds import header, run

OTHER: dict[str, Any] = {"kind": "ConfigMap", "namespace": "default", "name": "settings"}


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (AutoscaleWorkload(**WEB, max_replicas=0), "--max=MAXPODS is required and must be at least 1"),
        (AutoscaleWorkload(**WEB, max_replicas=1, min_replicas=2), "must be larger or equal to --min=MINPODS, max: 1, min: 2"),
        (AutoscaleWorkload(**WEB, max_replicas=2, cpu="x%"), "'x%' is no part of the requests"),
        (AutoscaleWorkload(**WEB, max_replicas=2, memory="much"), "'much' is no part of the requests"),
        (AutoscaleWorkload(**OTHER, max_replicas=2), "configmaps are none of Deployment"),
        (AutoscaleWorkload(**{**WEB, "name": "none"}, max_replicas=2), 'deployments.apps "none" not found'),
        (ScaleWorkload(**WEB, replicas=-1), "COUNT must be greater than or equal to 0"),
        (ScaleWorkload(**OTHER, replicas=1), "configmaps are none of Deployment"),
        (ScaleWorkload(**{**WEB, "name": "none"}, replicas=1), 'deployments.apps "none" not found'),
        (SetWorkloadImage(**WEB, container="other", image="x"), 'unable to find container named "other"'),
        (UndoRollout(**WEB), 'no rollout history found for deployment "web"'),
        (UndoRollout(**WEB, to_revision=4), "unable to find specified revision 4 in history"),
        (PauseRollout(**WEB, paused=False), "is not paused"),
        (RestartRollout(**OTHER), "configmaps are none of Deployment, DaemonSet, StatefulSet"),
    ],
)
def test_act_is_refused(command: AnyCommand, message: str) -> None:
    world, _ = run(header(DEPLOYMENT, CONFIG), 5)
    own = apply(world, command)[0]
    assert own.target == "refused" and message in str(own.get("message"))


@pytest.mark.parametrize("command", [UndoRollout(**WEB), RestartRollout(**WEB), PauseRollout(**WEB)])
def test_paused_rollout_is_only_resumed(command: AnyCommand) -> None:
    assert apply(WORLDS["rollout paused"].fork(), command)[0].target == "refused"


@pytest.mark.parametrize(
    ("kubernetes", "line"),
    [
        ("1.33", "kubectl autoscale deployment/web --min=1 --max=10 --cpu-percent=80"),
        ("1.34", "kubectl autoscale deployment/web --min=1 --max=10 --cpu=80%"),
    ],
)
def test_offer_to_autoscale_has_the_line_that_the_version_knows_and_means_the_same(kubernetes: str, line: str) -> None:
    world, _ = run(header(DEPLOYMENT, kubernetes=kubernetes), 5)
    offer = next(offer for offer in offers_of(world) if offer.do == "autoscale" and offer.given["kind"] == "Deployment")
    assert offer.command_line == line
    of_button, of_line = world.fork(), world.fork()
    apply(of_button, command_of(offer, offer.buttons[0]))
    (step,) = action_of(world, line.removeprefix("kubectl "), now_ms=world.now_ms).steps
    apply(of_line, step.command)
    key = ("HorizontalPodAutoscaler", "default", "web")
    specs = [json.loads(there.tables.objects[key].document)["spec"] for there in (of_button, of_line)]
    assert specs[0] == specs[1] and specs[0]["maxReplicas"] == 10
