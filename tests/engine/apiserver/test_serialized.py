"""Pod documents as the API server serialises them."""

import pytest

from simulator.engine.apiserver.defaulting.serialized import as_serialized


@pytest.mark.parametrize(
    ("sent", "written"),
    [
        ({"hostNetwork": False, "hostname": "", "nodeSelector": {}, "tolerations": [], "securityContext": {}}, {"securityContext": {}}),
        ({"runtimeClassName": "", "terminationGracePeriodSeconds": 0}, {"runtimeClassName": "", "terminationGracePeriodSeconds": 0}),
        ({"automountServiceAccountToken": False}, {"automountServiceAccountToken": False}),
        ({"volumes": [{"name": "v", "emptyDir": {"sizeLimit": "1024Ki"}}]}, {"volumes": [{"name": "v", "emptyDir": {"sizeLimit": "1Mi"}}]}),
        (
            {"volumes": [{"name": "v", "hostPath": {"path": "/", "type": ""}}]},
            {"volumes": [{"name": "v", "hostPath": {"path": "/", "type": ""}}]},
        ),
        ({"dnsConfig": {"options": [{"name": "n", "value": ""}]}}, {"dnsConfig": {"options": [{"name": "n", "value": ""}]}}),
    ],
)
def test_what_says_nothing_is_left_out(sent, written):
    assert as_serialized({"spec": sent}) == {"spec": written}


def test_unit_of_an_amount_is_always_written():
    variable = {"name": "A", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}}
    container = {"name": "a", "stdin": False, "resources": {}, "env": [{"name": "B", "value": ""}, variable]}
    (written,) = as_serialized({"spec": {"containers": [container]}})["spec"]["containers"]
    reference = {"resource": "limits.cpu", "divisor": "0"}
    assert written == {"name": "a", "resources": {}, "env": [{"name": "B"}, {"name": "A", "valueFrom": {"resourceFieldRef": reference}}]}


def test_labels_keep_empty_texts():
    assert as_serialized({"metadata": {"name": "p", "labels": {"a": ""}}}) == {"metadata": {"name": "p", "labels": {"a": ""}}}
