"""The rules by which a new pod is accepted or rejected."""

import pytest

from simulator.engine.apiserver.validation import RULES, validate_pod
from simulator.engine.apiserver.validation.errors import FieldError
from simulator.engine.versions.release import Release


def errors(changes: dict, *, container: dict | None = None, minor: int = 30) -> list[FieldError]:
    spec = {"containers": [{"name": "app", "image": "busybox:1.28", **(container or {})}], **changes.pop("spec", {})}
    document = {"metadata": {"name": "p", **changes.pop("metadata", {})}, "spec": spec}
    return [error for rule, error in validate_pod(document, release=Release(minor)) if not rule.warning]


def texts(found: list[FieldError]) -> list[str]:
    return [f"{error.field}: {error.message}" for error in found]


EXEC = {"exec": {"command": ["true"]}}


def test_pod_is_accepted_when_it_is_plain():
    assert errors({}) == []


def test_every_rule_has_its_own_id():
    assert len({rule.id for rule in RULES}) == len(RULES) >= 200


def test_name_error_has_the_official_text_when_name_holds_a_tag():
    (error,) = errors({"metadata": {"name": "<script>alert(1)</script>"}})
    assert error.field == "metadata.name"
    assert error.message.startswith('Invalid value: "<script>alert(1)</script>": a lowercase RFC 1123 subdomain must consist of')


def test_name_is_required_when_there_is_no_prefix():
    assert texts(errors({"metadata": {"name": ""}})) == ["metadata.name: Required value: name or generateName is required"]


@pytest.mark.parametrize(
    ("container", "text"),
    [
        ({"name": ""}, "spec.containers[0].name: Required value"),
        ({"image": ""}, "spec.containers[0].image: Required value"),
        ({"image": " busybox "}, 'spec.containers[0].image: Invalid value: " busybox ": must not have leading or trailing whitespace'),
        ({"ports": [{"containerPort": 0}]}, "spec.containers[0].ports[0].containerPort: Required value"),
        (
            {"ports": [{"containerPort": 65536}]},
            "spec.containers[0].ports[0].containerPort: Invalid value: 65536: must be between 1 and 65535, inclusive",
        ),
        (
            {"ports": [{"containerPort": 80, "protocol": "ICMP"}]},
            'spec.containers[0].ports[0].protocol: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"',
        ),
        ({"volumeMounts": [{"name": "v", "mountPath": "/v"}]}, 'spec.containers[0].volumeMounts[0].name: Not found: "v"'),
        ({"livenessProbe": {}}, "spec.containers[0].livenessProbe: Required value: must specify a handler type"),
        (
            {"livenessProbe": {**EXEC, "tcpSocket": {"port": 80}}},
            "spec.containers[0].livenessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type",
        ),
        (
            {"startupProbe": {**EXEC, "successThreshold": 2}},
            "spec.containers[0].startupProbe.successThreshold: Invalid value: 2: must be 1",
        ),
        (
            {"readinessProbe": {**EXEC, "timeoutSeconds": -1}},
            "spec.containers[0].readinessProbe.timeoutSeconds: Invalid value: -1: must be greater than or equal to 0",
        ),
        (
            {"livenessProbe": {"httpGet": {}}},
            "spec.containers[0].livenessProbe.httpGet.port: Invalid value: 0: must be between 1 and 65535, inclusive",
        ),
        (
            {"resources": {"requests": {"cpu": "2"}, "limits": {"cpu": "1"}}},
            'spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1',
        ),
        (
            {"resources": {"requests": {"cpu": "-1"}}},
            'spec.containers[0].resources.requests[cpu]: Invalid value: "-1": must be greater than or equal to 0',
        ),
        (
            {"env": [{"name": "A", "value": "x", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}]},
            'spec.containers[0].env[0].valueFrom: Invalid value: "": may not be specified when `value` is not empty',
        ),
        (
            {"imagePullPolicy": "Sometimes"},
            'spec.containers[0].imagePullPolicy: Unsupported value: "Sometimes": supported values: "Always", "IfNotPresent", "Never"',
        ),
        (
            {"terminationMessagePolicy": "X"},
            'spec.containers[0].terminationMessagePolicy: Unsupported value: "X": supported values: "File", "FallbackToLogsOnError"',
        ),
    ],
)
def test_container_is_rejected_with_the_official_text(container, text):
    assert texts(errors({}, container=container)) == [text]


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        (
            {"restartPolicy": "always"},
            'spec.restartPolicy: Unsupported value: "always": supported values: "Always", "OnFailure", "Never"',
        ),
        ({"activeDeadlineSeconds": 0}, "spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive"),
        ({"containers": []}, "spec.containers: Required value"),
        ({"dnsPolicy": "None"}, "spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None"),
        ({"volumes": [{"name": "v"}, {"name": "v"}]}, 'spec.volumes[1].name: Duplicate value: "v"'),
        (
            {"volumes": [{"name": "v", "emptyDir": {}, "hostPath": {"path": "/x"}}]},
            "spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type",
        ),
        ({"initContainers": [{"name": "app", "image": "x"}]}, 'spec.initContainers[0].name: Duplicate value: "app"'),
        ({"ephemeralContainers": [{"name": "d", "image": "x"}]}, "spec.ephemeralContainers: Forbidden: cannot be set on create"),
    ],
)
def test_spec_is_rejected_with_the_official_text(spec, text):
    assert texts(errors({"spec": spec})) == [text]


def test_init_container_may_not_have_probes_when_it_runs_to_its_end():
    init = {"name": "i", "image": "x", "livenessProbe": EXEC}
    (error,) = errors({"spec": {"initContainers": [init]}})
    assert error.message == "Forbidden: may not be set for init containers without restartPolicy=Always"


def test_init_container_may_have_probes_when_it_is_a_sidecar():
    init = {"name": "i", "image": "x", "restartPolicy": "Always", "livenessProbe": EXEC}
    assert errors({"spec": {"initContainers": [init]}}) == []


def test_init_container_probe_has_the_older_text_in_1_20():
    init = {"name": "i", "image": "x", "livenessProbe": EXEC}
    (error,) = errors({"spec": {"initContainers": [init]}}, minor=20)
    assert error.message.endswith("must not be set for init containers")


def test_env_name_may_be_odd_from_1_32_on():
    odd = {"env": [{"name": "1 odd"}]}
    assert errors({}, container=odd, minor=32) == []
    assert len(errors({}, container=odd, minor=31)) == 1


def test_host_port_may_not_be_taken_twice():
    port = {"ports": [{"containerPort": 80, "hostPort": 8080}]}
    spec = {"containers": [{"name": "a", "image": "x", **port}, {"name": "b", "image": "x", **port}]}
    assert texts(errors({"spec": spec})) == ['spec.containers[1].ports[0].hostPort: Duplicate value: "TCP//8080"']


def test_negative_grace_is_a_warning_only():
    document = {"metadata": {"name": "p"}, "spec": {"terminationGracePeriodSeconds": -1, "containers": [{"name": "a", "image": "x"}]}}
    ((rule, error),) = validate_pod(document, release=Release(30))
    assert rule.warning
    assert error.field == "spec.terminationGracePeriodSeconds"
    assert list(validate_pod(document, release=Release(20))) == []


def test_causes_come_in_the_order_of_the_api_server():
    containers = [{"name": "A", "livenessProbe": {"periodSeconds": -1}}, {"name": "A", "image": "x"}]
    fields = [
        error.field for error in errors({"metadata": {"name": "Bad_Name"}, "spec": {"restartPolicy": "No", "containers": containers}})
    ]
    assert fields == [
        "metadata.name",
        "spec.containers[0].name",
        "spec.containers[0].image",
        "spec.containers[0].livenessProbe",
        "spec.containers[0].livenessProbe.periodSeconds",
        "spec.containers[1].name",
        "spec.containers[1].name",
        "spec.restartPolicy",
    ]


def test_error_reason_is_that_of_the_status_body():
    assert errors({"spec": {"containers": []}})[0].reason == "FieldValueRequired"
