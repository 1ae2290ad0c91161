"""What changed between versions in the rules for new pods."""

import pytest

from simulator.engine.apiserver.validation import RULES, validate_pod
from simulator.engine.apiserver.validation.pod_order import SPEC_ORDER, WHOLE_ORDER
from simulator.engine.versions.release import Release, release_of
from tests.engine.apiserver.validation.pods import wrong, wrong_container, wrong_spec

EXEC = {"exec": {"command": ["true"]}}
RULE = {"action": "Restart", "exitCodes": {"operator": "In", "values": [3]}}


@pytest.mark.parametrize("scope", ["spec", "whole"])
def test_every_rule_about_the_whole_pod_has_its_place_in_the_order(scope):
    listed = {"spec": SPEC_ORDER, "whole": WHOLE_ORDER}[scope]
    assert {rule.id for rule in RULES if rule.scope == scope} == set(listed)


def test_every_rule_says_what_holds():
    assert [rule.id for rule in RULES if not (rule.check.__doc__ or "").rstrip().endswith(".")] == []


EPHEMERAL = {"name": "d", "image": "x", "terminationMessagePolicy": "File", "imagePullPolicy": "Always"}


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"name": ""}, "ephemeralContainers[0]: Required value: ephemeralContainer requires a name"),
        ({"image": ""}, "ephemeralContainers[0][0].image: Required value"),
        ({"name": "app"}, 'ephemeralContainers[0].name: Duplicate value: "app"'),
        ({"resources": {}}, None),
        (
            {"securityContext": {}},
            "ephemeralContainers[0].securityContext: Forbidden: cannot be set for an Ephemeral Container",
        ),
    ],
)
def test_ephemeral_container_stands_in_a_list_of_its_own_until_1_25(changes, text):
    found = wrong_spec({"ephemeralContainers": [{**EPHEMERAL, **changes}]}, minor=20)
    assert found == [*([text] if text else []), "ephemeralContainers: Forbidden: cannot be set on create"]


def test_host_port_of_any_init_container_is_reported_for_the_first_until_1_25():
    port = {"containerPort": 80, "hostPort": 80}
    inits = [{"name": "a", "image": "x"}, {"name": "b", "image": "x", "ports": [port, port]}]
    assert wrong_spec({"initContainers": inits}, minor=25) == ['initContainers[0].ports[1].hostPort: Duplicate value: "TCP//80"']
    assert wrong_spec({"initContainers": inits}, minor=26) == ['initContainers[1].ports[1].hostPort: Duplicate value: "TCP//80"']


def test_name_that_is_taken_comes_before_the_missing_image_until_1_25():
    twice = {"containers": [{"name": "app", "image": "x"}, {"name": "app"}]}
    assert wrong_spec(twice, minor=25) == ['containers[1].name: Duplicate value: "app"', "containers[1].image: Required value"]


def test_secret_of_a_driver_has_a_blank_in_its_path_until_1_25():
    volume = {"name": "v", "csi": {"driver": "d", "nodePublishSecretRef": {}}}
    assert wrong_spec({"volumes": [volume]}, minor=25) == ["volumes[0].csi.nodePublishSecretRef .name: Required value"]


def test_projection_of_two_kinds_is_reported_in_other_words_until_1_31():
    volume = {"name": "v", "projected": {"sources": [{"secret": {"name": "a"}, "configMap": {"name": "b"}}]}}
    assert wrong_spec({"volumes": [volume]}, minor=31) == [
        "volumes[0].projected.sources[0]: Forbidden: may not specify more than 1 volume type"
    ]


@pytest.mark.parametrize(
    ("container", "minor", "text"),
    [
        (
            {"terminationMessagePolicy": "X"},
            20,
            "terminationMessagePolicy: Invalid value: \"X\": must be 'File' or 'FallbackToLogsOnError'",
        ),
        ({"livenessProbe": {"grpc": {"port": 80}}}, 23, "livenessProbe: Required value: must specify a handler type"),
        (
            {"lifecycle": {"preStop": {"sleep": {"seconds": 0}}}},
            31,
            "lifecycle.preStop.sleep: Invalid value: 0: must be greater than 0 and less than terminationGracePeriodSeconds (30)",
        ),
        ({"restartPolicy": "Always"}, 33, "restartPolicy: Forbidden: may not be set for non-init containers"),
        ({"restartPolicyRules": [RULE]}, 35, "restartPolicy: Required value: must specify restartPolicy when restart rules are used"),
        (
            {"restartPolicy": "Never", "restartPolicyRules": [{**RULE, "exitCodes": {}}]},
            35,
            'restartPolicyRules[0].exitCodes.operator: Unsupported value: "": supported values: "In", "NotIn"',
        ),
        (
            {"restartPolicy": "Never", "restartPolicyRules": [{**RULE, "action": "RestartAllContainers"}]},
            35,
            'restartPolicyRules[0].action: Unsupported value: "RestartAllContainers": supported values: "Restart"',
        ),
        (
            {"env": [{"name": "A", "valueFrom": {}}]},
            35,
            (
                'env[0].valueFrom: Invalid value: "": must specify one of: `fieldRef`, `resourceFieldRef`, '
                "`configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
            ),
        ),
        (
            {"resources": {"limits": {"a.b/c": "0.5"}}},
            33,
            (
                "resources.limits[a.b/c]: Invalid value: resource.Quantity{i:resource.int64Amount{value:5, "
                'scale:-1}, d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:"", Format:"DecimalSI"}: must be an '
                "integer"
            ),
        ),
        ({"resources": {"limits": {"a.b/c": "0.5"}}}, 34, 'resources.limits[a.b/c]: Invalid value: "0.5": must be an integer'),
    ],
)
def test_container_is_rejected_in_the_words_of_the_version(container, minor, text):
    assert wrong_container(container, minor=minor) == [text]


@pytest.mark.parametrize(
    ("container", "minor"),
    [
        ({"livenessProbe": {"grpc": {"port": 80}}}, 24),
        ({"lifecycle": {"preStop": {"sleep": {"seconds": 0}}}}, 33),
        ({"restartPolicy": "Never", "restartPolicyRules": [RULE]}, 35),
        ({"restartPolicy": "Never", "restartPolicyRules": [{**RULE, "action": "RestartAllContainers"}]}, 36),
        ({"resizePolicy": [{"resourceName": "gpu", "restartPolicy": "X"}]}, 32),
    ],
)
def test_container_is_accepted_in_the_version(container, minor):
    assert wrong_container(container, minor=minor) == []


@pytest.mark.parametrize(
    ("spec", "minor", "text"),
    [
        ({"hostAliases": [{"ip": "x"}]}, 29, 'hostAliases.ip: Invalid value: "x": must be valid IP address'),
        ({"hostUsers": False, "hostIPC": True}, 35, "HostIPC: Forbidden: when `hostUsers` is false"),
        (
            {"hostUsers": False, "volumes": [{"name": "v", "hostPath": {"path": "/x"}}]},
            27,
            "volumes[0]: Forbidden: volume type not supported when `pod.Spec.HostUsers` is false",
        ),
        (
            {"hostnameOverride": "a", "setHostnameAsFQDN": True},
            35,
            "hostnameOverride: Forbidden: may not be specified when setHostnameAsFQDN is true",
        ),
        (
            {"dnsConfig": {"searches": ["a"] * 7}},
            25,
            'dnsConfig.searches: Invalid value: []string{"a", "a", "a", "a", "a", "a", "a"}: must not have more than 6 search paths',
        ),
        ({"dnsConfig": {"searches": ["_a"]}}, 32, 'dnsConfig.searches[0]: Invalid value: "_a": a lowercase RFC 1123'),
        (
            {"tolerations": [{"key": "a", "operator": "Lt", "value": "1"}]},
            35,
            'tolerations[0].operator: Unsupported value: "Lt": supported values: "Equal", "Exists", "Lt", "Gt"',
        ),
        (
            {
                "resources": {"requests": {"cpu": "100m"}},
                "containers": [{"name": "a", "image": "b", "resources": {"requests": {"cpu": "300m"}}}],
            },
            34,
            'resources.requests[cpu]: Invalid value: "100m": must be greater than or equal to aggregate container requests of 300m',
        ),
    ],
)
def test_spec_is_rejected_in_the_words_of_the_version(spec, minor, text):
    (found,) = wrong_spec(spec, minor=minor)
    assert found.startswith(text)


@pytest.mark.parametrize(
    ("spec", "minor"),
    [
        ({"os": {"name": "mac"}}, 23),
        ({"hostUsers": False, "volumes": [{"name": "v", "hostPath": {"path": "/x"}}]}, 28),
        ({"hostUsers": False, "volumes": [{"name": "v", "emptyDir": {}}]}, 27),
        ({"schedulingGates": [{"name": ""}]}, 26),
        ({"dnsConfig": {"searches": ["_a"]}}, 33),
    ],
)
def test_spec_is_accepted_in_the_version(spec, minor):
    assert wrong_spec(spec, minor=minor) == []


def test_init_containers_are_judged_one_by_one_from_1_26_on():
    inits = [{"name": "a", "image": "i", "livenessProbe": EXEC}, {"name": "b"}]
    assert [text.partition(":")[0] for text in wrong({"initContainers": inits}, minor=26)] == [
        "spec.initContainers[0].livenessProbe",
        "spec.initContainers[1].image",
    ]


def test_what_init_containers_may_not_have_comes_last_until_1_25():
    inits = [{"name": "a", "image": "i", "livenessProbe": EXEC}, {"name": "b"}]
    assert [text.partition(":")[0] for text in wrong({"initContainers": inits}, minor=25)] == [
        "spec.initContainers[1].image",
        "spec.initContainers[0].livenessProbe",
    ]


def test_probe_is_shown_in_the_notation_of_go_where_the_version_does_so():
    (text,) = wrong({"initContainers": [{"name": "i", "image": "x", "livenessProbe": {**EXEC, "periodSeconds": 3}}]}, minor=20)
    assert "core.Probe{Handler:core.Handler{Exec:(*core.ExecAction)(0x" in text
    assert "PeriodSeconds:3" in text


@pytest.mark.parametrize(
    ("system", "text"),
    [
        ({}, "lifecycle.stopSignal: Forbidden: may not be set for containers with empty `spec.os.name`"),
        ({"os": {"name": "windows"}}, 'lifecycle.stopSignal: Unsupported value: "SIGINT": supported values: "SIGKILL", "SIGTERM"'),
    ],
)
def test_stop_signal_is_one_of_the_system_where_its_gate_is_on(system, text):
    pod = {
        "metadata": {"name": "p"},
        "spec": {"containers": [{"name": "a", "image": "i", "lifecycle": {"stopSignal": "SIGINT"}}], **system},
    }
    release = release_of(37, {"ContainerStopSignals": True})
    assert [f"{error.field}: {error.message}" for _, error in validate_pod(pod, release=release)] == [f"spec.containers[0].{text}"]
    assert list(validate_pod(pod, release=Release(37))) == []


def test_windows_pod_has_no_resources_of_its_own():
    spec = {"os": {"name": "windows"}, "resources": {"requests": {"cpu": "1"}}}
    assert wrong_spec(spec, minor=34) == ["resources: Forbidden: may not be set for a windows pod"]


def test_what_defaults_fill_in_is_required_only_after_defaulting():
    pod = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "a", "image": "i", "ports": [{"containerPort": 80}]}]}}
    fields = [error.field for _, error in validate_pod(pod, release=Release(33), defaulted=True)]
    assert {"metadata.namespace", "spec.restartPolicy", "spec.dnsPolicy", "spec.containers[0].ports[0].protocol"} <= set(fields)
    assert list(validate_pod(pod, release=Release(33))) == []


def test_request_of_a_probe_has_path_and_scheme_after_defaulting():
    probe = {"httpGet": {"port": 80}}
    pod = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "a", "image": "i", "readinessProbe": probe}]}}
    found = [(error.type, error.field) for _, error in validate_pod(pod, release=Release(33), defaulted=True)]
    path = "spec.containers[0].readinessProbe.httpGet"
    assert {("Required", f"{path}.path"), ("NotSupported", f"{path}.scheme")} <= set(found)


@pytest.mark.parametrize(("minor", "field"), [(27, "containerPort"), (28, "hostPort")])
def test_host_port_on_the_network_of_the_node_is_there_after_defaulting(minor, field):
    container = {"name": "a", "image": "i", "ports": [{"containerPort": 80}]}
    pod = {"metadata": {"name": "p"}, "spec": {"hostNetwork": True, "containers": [container]}}
    path = f"spec.containers[0].ports[0].{field}"
    assert path in [error.field for _, error in validate_pod(pod, release=Release(minor), defaulted=True)]
    assert list(validate_pod(pod, release=Release(minor))) == []
