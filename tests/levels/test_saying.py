"""The sentence of a pattern says what it requires and no more."""

import pytest

from simulator.levels.saying import clause_of
from simulator.scenarios.grading.patterns import Range, RecordPattern

MORE = ({"source": "Running"}, {"rule": "R"}, {"own": True}, {"or_": (RecordPattern(machine="stop"),)})
APP, ANY = "container/default/shop#*/app", "container/default/*/app"


@pytest.mark.parametrize(
    ("pattern", "clause"),
    [
        (RecordPattern(machine="container_status", subject=APP, target="running"), "Container app is running"),
        (
            RecordPattern(machine="container", subject=ANY, owner="deployment/default/web", target="running"),
            "Container app of a pod of Deployment web is running",
        ),
        (
            RecordPattern(machine="container", subject=APP, target="running", data={"instance": Range(min=1)}),
            "Container app is running after at least 1 restart",
        ),
        (RecordPattern(machine="container", subject=APP, target="exited", data={"exit_code": 0}), "Container app exits with code 0"),
        (RecordPattern(machine="hook", subject=APP, target="failed", data={"hook": "pre_stop"}), "Container app fails its preStop hook"),
        (RecordPattern(machine="object", subject="pod/dev/shop#*", target="gone"), "Pod dev/shop is removed"),
        (
            RecordPattern(machine="condition", subject="condition/default/shop#*/Ready", target="True"),
            "Pod shop has the condition Ready=True",
        ),
        (
            RecordPattern(machine="phase", subject="pod/default/*", owner="job/default/a", target="Failed"),
            "A pod of Job a is in phase Failed",
        ),
        (RecordPattern(machine="api_object", subject="configmap/default/dump", target="present"), "ConfigMap dump exists"),
        (
            RecordPattern(machine="api_object", subject="replicaset/default/*", owner="deployment/dev/web", target="gone"),
            "A ReplicaSet of Deployment dev/web is removed",
        ),
        (RecordPattern(machine="api_object", subject="replicaset/default/*", target="gone"), "ReplicaSet * is removed"),
        (RecordPattern(machine="api_object", subject="namespace/dev", target="gone"), "Namespace dev is removed"),
        (RecordPattern(machine="phase", subject="pod/default/*", target="Failed"), "Pod * is in phase Failed"),
        (RecordPattern(machine="phase", subject="pod/default/a", owner="job/default/a", target="Failed"), "Pod a is in phase Failed"),
        (RecordPattern(machine="hook", subject=APP, target="done", data={"hook": "other"}), "Container app is done with its other hook"),
        (
            RecordPattern(machine="taint", subject="node/n#2", target="present", data={"key": "dedicated"}),
            "Node n has the taint dedicated",
        ),
        (
            RecordPattern(machine="node_condition", subject="node/n", target="False", data={"condition": "Ready"}),
            "Node n has the condition Ready=False",
        ),
    ],
)
def test_pattern_is_said_in_words(pattern, clause):
    assert clause_of(pattern) == clause


@pytest.mark.parametrize(
    "pattern",
    [
        RecordPattern(machine="container", subject=APP, target="running", data={"image": "busybox"}),
        RecordPattern(machine="container", subject=APP, target="exited"),
        RecordPattern(machine="command", target="accepted", data={"do": "patch"}),
        RecordPattern(machine="phase", subject="pod/default/shop", target=("Failed", "Succeeded")),
        RecordPattern(subject=APP),
        RecordPattern(machine="phase", subject="pod/shop", target="Failed"),
        RecordPattern(machine="container", subject="container/default/shop", target="running"),
        RecordPattern(machine="api_object", subject="configmap/", target="present"),
        RecordPattern(machine="api_object", subject="unknown/default/a", target="present"),
        *(RecordPattern(machine="phase", subject="pod/default/a", target="Failed", **more) for more in MORE),
    ],
)
def test_pattern_without_words_is_said_in_none(pattern):
    assert clause_of(pattern) == ""
