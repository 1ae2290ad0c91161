"""Fields that a version drops because their feature is off."""

import pytest

from simulator.engine.api.validation.disabled import drop_disabled_fields


@pytest.mark.parametrize(
    ("spec", "dropped", "kept", "left"),
    [
        ({"hostUsers": False}, 32, 33, {}),
        ({"volumes": [{"name": "v", "ephemeral": {}}]}, 20, 21, {"volumes": [{"name": "v"}]}),
        ({"containers": [{"resizePolicy": []}]}, 32, 33, {"containers": [{}]}),
        ({"containers": [{"lifecycle": {"preStop": {"sleep": {}}}}]}, 29, 30, {"containers": [{"lifecycle": {"preStop": {}}}]}),
        ({"containers": [{"livenessProbe": {"grpc": {}}}]}, 23, 24, {"containers": [{"livenessProbe": {}}]}),
        ({"topologySpreadConstraints": [{"minDomains": 2}]}, 26, 27, {"topologySpreadConstraints": [{}]}),
    ],
)
def test_field_is_dropped_until_its_feature_is_on(spec, dropped, kept, left):
    written = repr(spec)
    drop_disabled_fields(spec, minor=kept)
    assert repr(spec) == written
    drop_disabled_fields(spec, minor=dropped)
    assert spec == left
