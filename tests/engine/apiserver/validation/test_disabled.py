"""Fields that a version drops because their feature is off."""

import pytest

from simulator.engine.apiserver.validation import disabled
from simulator.engine.apiserver.validation.disabled import drop_disabled_fields, drop_disabled_of_kind
from simulator.engine.versions.release import Release, release_of
from simulator.engine.versions.rows import GATES


@pytest.mark.parametrize(
    ("spec", "dropped", "kept", "left"),
    [
        ({"hostUsers": False}, 32, 33, {}),
        ({"volumes": [{"name": "v", "ephemeral": {}}]}, 20, 21, {"volumes": [{"name": "v"}]}),
        ({"containers": [{"resizePolicy": []}]}, 32, 33, {"containers": [{}]}),
        ({"containers": [{"lifecycle": {"preStop": {"sleep": {}}}}]}, 29, 30, {"containers": [{"lifecycle": {"preStop": {}}}]}),
        ({"containers": [{"livenessProbe": {"grpc": {}}}]}, 23, 24, {"containers": [{"livenessProbe": {}}]}),
        (
            {"containers": [{"securityContext": {"procMount": "Unmasked"}}]},
            32,
            33,
            {"containers": [{"securityContext": {"procMount": "Default"}}]},
        ),
        ({"topologySpreadConstraints": [{"minDomains": 2}]}, 26, 27, {"topologySpreadConstraints": [{}]}),
    ],
)
def test_field_is_dropped_until_its_feature_is_on(spec, dropped, kept, left):
    written = repr(spec)
    drop_disabled_fields(spec, release=Release(kept))
    assert repr(spec) == written
    drop_disabled_fields(spec, release=Release(dropped))
    assert spec == left


def test_gate_that_brings_a_field_is_a_gate():
    named = {gate for table in disabled.TABLES for used in table.values() for gate in (used.gate, *used.also) if gate}
    assert named <= GATES.keys()


@pytest.mark.parametrize("table", disabled.TABLES)
def test_field_has_a_gate_or_versions_and_not_both(table):
    assert [key for key, used in table.items() if bool(used.gate) == bool(used.since)] == []


def test_stop_signal_is_dropped_while_its_gate_is_off_by_default():
    spec = {"containers": [{"lifecycle": {"stopSignal": "SIGUSR1"}}]}
    drop_disabled_fields(spec, release=release_of(37, {"ContainerStopSignals": True}))
    assert spec["containers"][0]["lifecycle"] == {"stopSignal": "SIGUSR1"}
    drop_disabled_fields(spec, release=Release(37))
    assert spec["containers"][0]["lifecycle"] == {}


@pytest.mark.parametrize(
    ("spec", "minor", "gate"),
    [
        ({"containers": [{"livenessProbe": {"grpc": {}}}]}, 23, "GRPCContainerProbe"),
        ({"containers": [{"lifecycle": {"preStop": {"sleep": {}}}}]}, 29, "PodLifecycleSleepAction"),
        ({"containers": [{"restartPolicyRules": []}]}, 34, "ContainerRestartRules"),
        ({"initContainers": [{"restartPolicy": "Always"}]}, 28, "SidecarContainers"),
        ({"hostUsers": False}, 26, "UserNamespacesStatelessPodsSupport"),
    ],
)
def test_gate_that_is_switched_on_brings_its_field(spec, minor, gate):
    written = repr(spec)
    drop_disabled_fields(spec, release=release_of(minor, {gate: True}))
    assert repr(spec) == written
    drop_disabled_fields(spec, release=Release(minor))
    assert repr(spec) != written


def test_gate_that_is_switched_off_takes_its_field_away():
    spec = {"containers": [{"livenessProbe": {"grpc": {}}}]}
    drop_disabled_fields(spec, release=release_of(25, {"GRPCContainerProbe": False}))
    assert spec == {"containers": [{"livenessProbe": {}}]}


@pytest.mark.parametrize(
    ("kind", "path", "field", "value", "dropped", "kept"),
    [
        ("Job", "spec", "podFailurePolicy", {"rules": []}, 25, 26),
        ("Job", "spec", "successPolicy", {"rules": []}, 30, 31),
        ("CronJob", "spec.jobTemplate.spec", "podFailurePolicy", {"rules": []}, 25, 26),
        ("CronJob", "spec", "timeZone", "Etc/UTC", 24, 25),
        ("StatefulSet", "spec", "ordinals", {"start": 1}, 26, 27),
        ("StatefulSet", "spec.updateStrategy.rollingUpdate", "maxUnavailable", 2, 36, 37),
        ("DaemonSet", "spec.updateStrategy.rollingUpdate", "maxSurge", 1, 21, 22),
        ("Service", "spec", "trafficDistribution", "PreferClose", 30, 31),
        ("PodDisruptionBudget", "spec", "unhealthyPodEvictionPolicy", "AlwaysAllow", 26, 27),
    ],
)
def test_other_kinds_lose_what_is_switched_off(kind, path, field, value, dropped, kept):
    def left(release: Release) -> bool:
        holder = {field: value}
        document = holder
        for step in reversed(path.split(".")):
            document = {step: document}
        drop_disabled_of_kind({"kind": kind, **document}, release=release)
        return field in holder

    assert (left(Release(dropped)), left(Release(kept))) == (False, True)


def test_gate_brings_a_field_of_another_kind():
    document = {"kind": "PodDisruptionBudget", "spec": {"unhealthyPodEvictionPolicy": "AlwaysAllow"}}
    drop_disabled_of_kind(document, release=release_of(26, {"PDBUnhealthyPodEvictionPolicy": True}))
    assert document["spec"] == {"unhealthyPodEvictionPolicy": "AlwaysAllow"}
