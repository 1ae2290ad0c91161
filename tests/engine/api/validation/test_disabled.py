"""Fields that a version drops because their feature is off."""

import pytest

from simulator.engine.api.validation import disabled
from simulator.engine.api.validation.disabled import drop_disabled_fields
from simulator.engine.profile.minors import minor_number
from simulator.engine.profile.rows import GATES


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
    drop_disabled_fields(spec, minor=kept)
    assert repr(spec) == written
    drop_disabled_fields(spec, minor=dropped)
    assert spec == left


GATE_OF = {
    "hostUsers": "UserNamespacesSupport",
    "schedulingGates": "PodSchedulingReadiness",
    "resources": "PodLevelResources",
    "hostnameOverride": "HostnameOverride",
    "image": "ImageVolume",
    "restartPolicy": "SidecarContainers",
    "restartPolicyRules": "ContainerRestartRules",
    "resizePolicy": "InPlacePodVerticalScaling",
    "grpc": "GRPCContainerProbe",
    "terminationGracePeriodSeconds": "ProbeTerminationGracePeriod",
    "sleep": "PodLifecycleSleepAction",
    "fileKeyRef": "EnvFiles",
    "supplementalGroupsPolicy": "SupplementalGroupsPolicy",
}


@pytest.mark.parametrize(("field", "gate"), GATE_OF.items())
def test_field_is_used_from_the_version_whose_gate_is_on(field, gate):
    used = {key: since for table in disabled.TABLES for key, since in table.items()}
    on = min(minor_number(minor) for minor, stage in GATES[gate].stages.items() if stage in ("on", "ga", "locked"))
    assert used[field] == on
