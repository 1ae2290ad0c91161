"""Valid specs of a new pod, apart from containers and volumes."""

import pytest

from tests.engine.apiserver.validation.pods import wrong, wrong_spec

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
IP = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"


def nodes(*terms):
    return {"affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": list(terms)}}}}


def match(**requirement):
    return {"matchExpressions": [{"key": "disk", **requirement}]}


def pods(**term):
    return {"affinity": {"podAffinity": {REQUIRED: [{"topologyKey": "zone", **term}]}}}


TERM = f"affinity.nodeAffinity.{REQUIRED}.nodeSelectorTerms"
POD_TERM = f"affinity.podAffinity.{REQUIRED}[0]"


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        (nodes(), f"{TERM}: Required value: must have at least one node selector term"),
        (
            nodes(match(operator="In")),
            f"{TERM}[0].matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
        ),
        (
            nodes(match(operator="Exists", values=["a"])),
            f"{TERM}[0].matchExpressions[0].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        ),
        (
            nodes(match(operator="Gt")),
            f"{TERM}[0].matchExpressions[0].values: Required value: must be specified single value when `operator` is 'Lt' or 'Gt'",
        ),
        (nodes(match(operator="X")), f'{TERM}[0].matchExpressions[0].operator: Invalid value: "X": not a valid selector operator'),
        (
            {"affinity": {"nodeAffinity": {PREFERRED: [{"weight": 101, "preference": match(operator="Exists")}]}}},
            f"affinity.nodeAffinity.{PREFERRED}[0].weight: Invalid value: 101: must be in the range 1-100",
        ),
        (
            pods(labelSelector={"matchExpressions": [{"key": "a", "operator": "Gt"}]}),
            f'{POD_TERM}.labelSelector.matchExpressions[0].operator: Invalid value: "Gt": not a valid selector operator',
        ),
        (pods(matchLabelKeys=["a"]), f"{POD_TERM}.matchLabelKeys: Forbidden: must not be specified when labelSelector is not set"),
        (
            pods(matchLabelKeys=["a"], mismatchLabelKeys=["a"], labelSelector={}),
            f'{POD_TERM}.matchLabelKeys[0]: Invalid value: "a": exists in both matchLabelKeys and mismatchLabelKeys',
        ),
    ],
)
def test_affinity_is_rejected_with_the_official_text(spec, text):
    assert wrong_spec(spec) == [text]


def spread(**more):
    return {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", **more}


@pytest.mark.parametrize(
    ("constraints", "text"),
    [
        ([spread(maxSkew=0)], "[0].maxSkew: Invalid value: 0: must be greater than zero"),
        (
            [spread(whenUnsatisfiable="X")],
            '[0].whenUnsatisfiable: Unsupported value: "X": supported values: "DoNotSchedule", "ScheduleAnyway"',
        ),
        ([spread(), spread(maxSkew=2)], '[0].{topologyKey, whenUnsatisfiable}: Duplicate value: "{zone, DoNotSchedule}"'),
        (
            [spread(whenUnsatisfiable="ScheduleAnyway", minDomains=2)],
            "[0].minDomains: Invalid value: 2: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway",
        ),
        ([spread(nodeTaintsPolicy="X")], '[0].nodeTaintsPolicy: Unsupported value: "X": supported values: "Honor", "Ignore"'),
        ([spread(matchLabelKeys=["a"])], "[0].matchLabelKeys: Forbidden: must not be specified when labelSelector is not set"),
    ],
)
def test_spreading_is_rejected_with_the_official_text(constraints, text):
    assert wrong_spec({"topologySpreadConstraints": constraints}) == [f"topologySpreadConstraints{text}"]


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ({"dnsConfig": {"nameservers": ["x"]}}, f'dnsConfig.nameservers[0]: Invalid value: "x": {IP}'),
        ({"dnsConfig": {"options": [{"value": "1"}]}}, "dnsConfig.options[0]: Required value: must not be empty"),
        (
            {"dnsPolicy": "None", "dnsConfig": {"searches": ["a b"]}},
            "dnsConfig.nameservers: Required value: must provide at least one DNS nameserver when `dnsPolicy` is None",
        ),
        ({"hostAliases": [{"ip": "1.2.3", "hostnames": ["a"]}]}, f'hostAliases[0].ip: Invalid value: "1.2.3": {IP}'),
        (
            {"shareProcessNamespace": True, "hostPID": True},
            "securityContext.shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID cannot both be enabled",
        ),
        (
            {"securityContext": {"sysctls": [{"name": "net.ipv4.x", "value": "1"}]}, "hostNetwork": True},
            "securityContext.sysctls[0].name: Invalid value: \"net.ipv4.x\": may not be specified when 'hostNetwork' is true",
        ),
        (
            {"securityContext": {"supplementalGroupsPolicy": "X"}},
            'securityContext.supplementalGroupsPolicy: Unsupported value: "X": supported values: "Merge", "Strict"',
        ),
        ({"hostUsers": False, "hostPID": True}, "HostPID: Forbidden: when `pod.Spec.HostUsers` is false"),
        ({"preemptionPolicy": "X"}, 'preemptionPolicy: Unsupported value: "X": supported values: "PreemptLowerPriority", "Never"'),
        ({"overhead": {"gpus": "1"}}, 'overhead.limits[gpus]: Invalid value: "gpus": must be a standard resource type or fully qualified'),
        (
            {"tolerations": [{"key": "a", "effect": "X"}]},
            'tolerations[0].effect: Unsupported value: "X": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
        ),
        (
            {"tolerations": [{"key": "a", "operator": "Exists", "value": "b"}]},
            'tolerations[0].operator: Invalid value: core.Toleration{Key:"a", Operator:"Exists", Value:"b", Effect:"", '
            "TolerationSeconds:(*int64)(nil)}: value must be empty when `operator` is 'Exists'",
        ),
        (
            {"schedulingGates": [{"name": "a"}], "nodeName": "n"},
            "nodeName: Forbidden: cannot be set until all schedulingGates have been cleared",
        ),
        ({"os": {}}, "os.name: Required value: cannot be empty"),
        ({"os": {"name": "windows"}, "hostIPC": True}, "hostIPC: Forbidden: cannot be set for a windows pod"),
        (
            {"os": {"name": "linux"}, "securityContext": {"windowsOptions": {}}},
            "securityContext.windowsOptions: Forbidden: windows options cannot be set for a linux pod",
        ),
    ],
)
def test_spec_is_rejected_with_the_official_text(spec, text):
    assert wrong_spec(spec)[0] == text


@pytest.mark.parametrize(
    ("metadata", "text"),
    [
        (
            {"finalizers": ["mine"]},
            'finalizers[0]: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified',
        ),
        (
            {"finalizers": ["orphan", "foregroundDeletion"]},
            (
                'finalizers: Invalid value: []string{"orphan", "foregroundDeletion"}: finalizer orphan and '
                "foregroundDeletion cannot be both set"
            ),
        ),
        (
            {"annotations": {"kubernetes.io/config.mirror": "x"}},
            'annotations[kubernetes.io/config.mirror]: Invalid value: "x": must set spec.nodeName if mirror pod annotation is set',
        ),
        (
            {"annotations": {"controller.kubernetes.io/pod-deletion-cost": "+1"}},
            'annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "+1": must be a 32bit integer',
        ),
        (
            {"annotations": {"container.apparmor.security.beta.kubernetes.io/x": "runtime/default"}},
            'annotations[container.apparmor.security.beta.kubernetes.io/x]: Invalid value: "x": container not found',
        ),
        (
            {"ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "", "uid": "u"}]},
            'ownerReferences.name: Invalid value: "": name must not be empty',
        ),
    ],
)
def test_metadata_is_rejected_with_the_official_text(metadata, text):
    assert wrong(metadata=metadata) == [f"metadata.{text}"]


def test_only_one_owner_is_the_controller():
    owners = [{"apiVersion": "v1", "kind": "K", "name": name, "uid": "u", "controller": True} for name in ("a", "b")]
    (text,) = wrong(metadata={"ownerReferences": owners})
    assert text.endswith('Only one reference can have Controller set to true. Found "true" in references for K/a and K/b')


def test_parts_of_the_spec_come_in_the_order_of_the_api_server():
    spec = {"preemptionPolicy": "X", "hostname": "A", "nodeName": "A", "dnsPolicy": "X", "restartPolicy": "X", "activeDeadlineSeconds": 0}
    fields = [text.partition(":")[0] for text in wrong_spec(spec)]
    assert fields == ["restartPolicy", "dnsPolicy", "nodeName", "activeDeadlineSeconds", "hostname", "preemptionPolicy"]
