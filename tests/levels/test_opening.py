"""An attempt opens where its first pods are visible, and the level begins at its beginning."""

import pytest

from simulator.levels.opening import opening_ms
from simulator.levels.reading import read_level
from simulator.levels.start import start_of
from tests.built_in import LEVELS

POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: app, image: busybox}]}"
DEPLOYMENT = (
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 2\n  selector: {matchLabels: {app: web}}\n"
    "  template:\n    metadata: {labels: {app: web}}\n    spec: {containers: [{name: app, image: busybox}]}"
)
CRON_JOB = (
    'apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: web}\nspec:\n  schedule: "*/5 * * * *"\n  jobTemplate:\n    spec:\n'
    "      template:\n        spec: {restartPolicy: Never, containers: [{name: app, image: busybox}]}"
)
ASK = """
[[ask]]
id = "first"
at = "0s"
question = "What comes?"
within = "10s"
place = { machine = "object", target = "present" }
"""
CHECK = '[[check]]\nid = "c"\ntext = "c"\nnever = { machine = "stop" }\n'


def opens(manifests: str, more: str = "") -> int:
    level = read_level(f"title = \"L\"\nhorizon = \"60s\"\nmanifests = '''\n{manifests}\n'''\n{CHECK}{more}")
    return opening_ms(level, start_of(level, seed=42))


def test_pods_of_a_deployment_are_waited_for():
    assert opens(DEPLOYMENT) == 20


@pytest.mark.parametrize("manifests", [POD, CRON_JOB], ids=["a pod is there", "none comes soon"])
def test_other_levels_open_at_their_beginning(manifests):
    assert opens(manifests) == 0


def test_no_prediction_is_passed():
    assert opens(DEPLOYMENT, ASK) == 0


@pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.slug)
def test_every_act_of_a_solution_can_still_be_given(level):
    opens_ms = opening_ms(level, start_of(level, seed=level.seeds[0]))
    assert [step.at_ms for solution in level.solutions for step in solution.steps() if step.at_ms < opens_ms] == []
