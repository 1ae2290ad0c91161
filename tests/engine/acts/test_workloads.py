"""What acts on workloads refuse, in the words of kubectl."""

from typing import Any

import pytest

from simulator.engine import apply
from simulator.engine.acts.registry import AnyCommand
from simulator.engine.acts.workloads.image import SetWorkloadImage
from simulator.engine.acts.workloads.rollout import PauseRollout, RestartRollout, UndoRollout
from simulator.engine.acts.workloads.scale import ScaleWorkload
from tests.engine.acts.test_offers import CONFIG, DEPLOYMENT, WEB, WORLDS
from tests.engine.worlds import header, run

OTHER: dict[str, Any] = {"kind": "ConfigMap", "namespace": "default", "name": "settings"}


@pytest.mark.parametrize(
    ("command", "message"),
    [
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
