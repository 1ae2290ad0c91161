"""Rejected Services, with their messages."""

import pytest

SERVICE = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "s"},
    "spec": {"selector": {"app": "a"}, "ports": [{"port": 80}]},
}
IP = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
ONLY_LB = "Forbidden: may only be used when `type` is 'LoadBalancer'"
LABEL_1035 = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character"


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"spec.type": "NodePort", "spec.ports.0.nodePort": 30000, "spec.externalTrafficPolicy": "Local"},
        {"spec.clusterIP": "None", "spec.ports": None},
        {"spec.type": "ExternalName", "spec.externalName": "example.com.", "spec.ports": None},
        {"spec.clusterIP": "10.0.0.1", "spec.clusterIPs": ["10.0.0.1", "fd00::1"], "spec.ipFamilies": ["IPv4", "IPv6"]},
        {"spec.ports.0.targetPort": "http", "spec.ports.0.appProtocol": "example.com/h2c"},
        {"spec.sessionAffinity": "ClientIP", "spec.sessionAffinityConfig.clientIP.timeoutSeconds": 60},
    ],
)
@pytest.mark.parametrize("minor", [20, 30, 37])
def test_service_is_accepted_when_it_is_consistent(said, changes, minor):
    assert said(SERVICE, changes, minor) == []


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"spec.ports": None}, "spec.ports: Required value"),
        (
            {"spec.type": "Open"},
            'spec.type: Unsupported value: "Open": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
        ),
        ({"spec.ports.0.port": 0}, "spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive"),
        (
            {"spec.ports.0.protocol": "ICMP"},
            'spec.ports[0].protocol: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"',
        ),
        (
            {"spec.ports.0.targetPort": 70000},
            "spec.ports[0].targetPort: Invalid value: 70000: must be between 1 and 65535, inclusive",
        ),
        (
            {"spec.ports.0.targetPort": "123"},
            'spec.ports[0].targetPort: Invalid value: "123": must contain at least one letter (a-z)',
        ),
        ({"spec.ports.0.nodePort": 30000}, "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"),
        (
            {"spec.type": "NodePort", "spec.clusterIP": "None"},
            "spec.clusterIPs[0]: Invalid value: \"None\": may not be set to 'None' for NodePort services",
        ),
        (
            {"spec.type": "LoadBalancer", "spec.ports.0.port": 10250},
            "spec.ports[0]: Invalid value: 10250: may not expose port 10250 externally since it is used by kubelet",
        ),
        ({"spec.type": "ExternalName"}, "spec.externalName: Required value"),
        (
            {"spec.type": "ExternalName", "spec.externalName": "a.b", "spec.clusterIP": "10.0.0.1"},
            "spec.clusterIPs: Forbidden: may not be set for ExternalName services",
        ),
        (
            {"spec.sessionAffinity": "Cookie"},
            'spec.sessionAffinity: Unsupported value: "Cookie": supported values: "ClientIP", "None"',
        ),
        (
            {"spec.sessionAffinity": "ClientIP", "spec.sessionAffinityConfig.clientIP.timeoutSeconds": 0},
            "spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 0: must be greater than 0 and less than 86400",
        ),
        ({"spec.clusterIP": "10.0.0"}, f'spec.clusterIPs[0]: Invalid value: "10.0.0": {IP}'),
        (
            {"spec.clusterIP": "10.0.0.1", "spec.clusterIPs": ["10.0.0.2"]},
            'spec.clusterIPs: Invalid value: ["10.0.0.2"]: first value must match `clusterIP`',
        ),
        (
            {"spec.clusterIP": "10.0.0.1", "spec.clusterIPs": ["10.0.0.1", "10.0.0.2"]},
            'spec.clusterIPs: Invalid value: ["10.0.0.1","10.0.0.2"]: may specify no more than one IP for each IP family',
        ),
        (
            {"spec.clusterIP": "fd00::1", "spec.ipFamilies": ["IPv4"]},
            'spec.clusterIPs[0]: Invalid value: "fd00::1": expected an IPv4 value as indicated by `ipFamilies[0]`',
        ),
        ({"spec.ipFamilies": ["IPv5"]}, 'spec.ipFamilies[0]: Unsupported value: "IPv5": supported values: "IPv4", "IPv6"'),
        (
            {"spec.ipFamilyPolicy": "Both"},
            'spec.ipFamilyPolicy: Unsupported value: "Both": supported values: "PreferDualStack", "RequireDualStack", "SingleStack"',
        ),
        (
            {"spec.externalIPs": ["127.0.0.1"]},
            'spec.externalIPs[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
        ),
        ({"spec.loadBalancerClass": "example.com/lb"}, f"spec.loadBalancerClass: {ONLY_LB}"),
        ({"spec.allocateLoadBalancerNodePorts": False}, f"spec.allocateLoadBalancerNodePorts: {ONLY_LB}"),
        ({"spec.loadBalancerSourceRanges": ["10.0.0.0/8"]}, f"spec.LoadBalancerSourceRanges: {ONLY_LB}"),
        (
            {"spec.externalTrafficPolicy": "Local"},
            'spec.externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services',
        ),
        (
            {"spec.internalTrafficPolicy": "Near"},
            'spec.internalTrafficPolicy: Unsupported value: "Near": supported values: "Cluster", "Local"',
        ),
        (
            {"spec.healthCheckNodePort": 30000},
            "spec.healthCheckNodePort: Invalid value: 30000: "
            "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
        ),
        (
            {"spec.trafficDistribution": "Near"},
            'spec.trafficDistribution: Unsupported value: "Near": supported values: "PreferClose", "PreferSameNode", "PreferSameZone"',
        ),
    ],
)
def test_service_is_rejected_when_a_field_is_wrong(said, changes, expected):
    assert said(SERVICE, changes) == [expected]


def test_ports_have_different_names_when_there_are_several(said):
    found = said(SERVICE, {"spec.ports": [{"port": 80, "name": "a"}, {"port": 81, "name": "a"}, {"port": 82}]})
    assert found == ['spec.ports[1].name: Duplicate value: "a"', "spec.ports[2].name: Required value"]


def test_port_is_a_duplicate_when_protocol_and_number_repeat(said):
    ports = [{"name": "a", "port": 53}, {"name": "b", "port": 53}, {"name": "c", "port": 53, "protocol": "UDP"}]
    (found,) = said(SERVICE, {"spec.ports": ports}, 30)
    assert found.startswith(
        'spec.ports[1]: Duplicate value: core.ServicePort{Name:"", Protocol:"TCP", AppProtocol:(*string)(nil), Port:53,'
    )


def test_node_port_is_a_duplicate_when_it_repeats(said):
    ports = [{"name": name, "port": port, "nodePort": 30000} for name, port in (("a", 1), ("b", 2))]
    assert said(SERVICE, {"spec.type": "NodePort", "spec.ports": ports}) == ["spec.ports[1].nodePort: Duplicate value: 30000"]


def test_name_starts_with_a_digit_when_the_version_lets_it(said):
    assert said(SERVICE, {"metadata.name": "1s"}, 36) == []


def test_name_is_invalid_when_it_starts_with_a_digit(said):
    (found,) = said(SERVICE, {"metadata.name": "1s"})
    assert found.startswith(f'metadata.name: Invalid value: "1s": {LABEL_1035}')


def test_traffic_policy_is_refused_in_older_words_when_the_version_is_1_25(said):
    expected = "ExternalTrafficPolicy can only be set on NodePort and LoadBalancer service"
    assert said(SERVICE, {"spec.externalTrafficPolicy": "Local"}, 25) == [f'spec.externalTrafficPolicy: Invalid value: "Local": {expected}']


ADDRESS = {"spec.clusterIP": "10.0.0.1", "spec.clusterIPs": ["10.0.0.1"], "spec.ipFamilies": ["IPv4"]}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (
            ADDRESS,
            {"spec.clusterIP": "10.0.0.2", "spec.clusterIPs": ["10.0.0.2"]},
            'spec.clusterIPs[0]: Invalid value: ["10.0.0.2"]: may not change once set',
        ),
        (
            ADDRESS,
            {"spec.clusterIP": None, "spec.clusterIPs": None},
            "spec.clusterIPs[0]: Invalid value: null: primary clusterIP can not be unset",
        ),
        (
            {"spec.type": "LoadBalancer", "spec.loadBalancerClass": "a.b/c"},
            {"spec.loadBalancerClass": "a.b/d"},
            'spec.loadBalancerClass: Invalid value: "a.b/d": may not change once set',
        ),
        (
            {"spec.type": "LoadBalancer", "spec.externalTrafficPolicy": "Local", "spec.healthCheckNodePort": 30001},
            {"spec.healthCheckNodePort": 30002},
            "spec.healthCheckNodePort: Forbidden: field is immutable",
        ),
    ],
)
def test_change_of_a_service_is_refused_when_it_touches_what_stays(refused, before, after, expected):
    assert refused(SERVICE, before, after) == [expected]


@pytest.mark.parametrize(
    "after",
    [
        {"spec.selector.app": "b"},
        {"spec.ports.0.port": 81},
        {"spec.type": "NodePort"},
        {"spec.type": "ExternalName", "spec.externalName": "a.b", "spec.clusterIP": None, "spec.clusterIPs": None, "spec.ipFamilies": None},
    ],
)
def test_change_of_a_service_is_accepted_when_its_address_stays_or_goes_with_its_type(refused, after):
    assert refused(SERVICE, ADDRESS, after) == []


@pytest.mark.parametrize("kind", ["NodePort", "LoadBalancer"])
def test_chosen_node_port_is_invalid_outside_the_range(said, kind):
    detail = "provided port is not in the valid range. The range of valid ports is 30000-32767"
    for port, errors in ((30000, []), (32767, []), (80, [f"spec.ports[0].nodePort: Invalid value: 80: {detail}"])):
        assert said(SERVICE, {"spec.type": kind, "spec.ports.0.nodePort": port}) == errors
